"""One colour for each role, in drawings, widgets and plots alike."""

#: Role → its colour on a light and on a dark page. A letter or a name always says it too.
ROLES: dict[str, tuple[str, str]] = {
    "query": ("#b34e08", "#ffab70"),
    "key": ("#0b62c4", "#7db7ff"),
    "value": ("#14704c", "#6fd6a6"),
    "context": ("#8e44ad", "#dba6f0"),
    "position": ("#7d6200", "#e3c04d"),
    "source": ("#0b7285", "#66d1e0"),
    "target": ("#b02a62", "#ff94bd"),
    "weights": ("#4b5563", "#b6c0cc"),
    "plain": ("#5c6570", "#9aa5b1"),
    "wrong": ("#b3261e", "#ff9d94"),
}


def check_role(role: str) -> str:
    """Return the role, or say which roles there are."""
    if role not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES)}; got {role!r}")
    return role


def colour_variables(dark: bool) -> str:
    """Return the roles' colours as CSS custom properties, ``--role-query: …``."""
    return " ".join(f"--role-{role}: {pair[dark]};" for role, pair in ROLES.items())


def palette(selector: str) -> str:
    """Return the rules that give what a CSS selector names the roles' colours, in every theme."""
    themes = ('html[data-theme="dark"]', '[data-jp-theme-light="false"]', 'html[theme="dark"]')
    dark = ",".join(f"{theme} {selector}" for theme in themes)
    light = colour_variables(dark=False)
    return (
        f"{selector}{{{light}}}{dark}{{{colour_variables(dark=True)}}}"
        f"@media print{{html {selector}{{{light}}}}}"
    )
