"""The modules of a widget become one, and what cannot be joined is refused."""

import re

import pytest

from attnsteps.diagrams.palette import palette
from attnsteps.widgets import bundle as module
from attnsteps.widgets.bundle import bundle, styles


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in place of the package's JavaScript and style sheets."""
    monkeypatch.setattr(module, "JS", tmp_path)
    monkeypatch.setattr(module, "CSS", tmp_path)
    bundle.cache_clear()
    styles.cache_clear()
    yield tmp_path
    bundle.cache_clear()
    styles.cache_clear()


VIEWS = sorted(
    stem
    for path in module.JS.parent.glob("*.py")
    for stem in re.findall(r'_esm = bundle\("(\w+)"\)$', path.read_text("utf-8"), re.MULTILINE)
)


@pytest.mark.parametrize("stem", VIEWS)
def test_every_view_of_the_package_can_be_bundled(stem):
    assert not re.search(r"^import\b", bundle(stem), re.MULTILINE)


def test_every_module_belongs_to_a_view():
    used = {path for stem in VIEWS for path in module._modules(stem)}
    assert used >= set(module.JS.glob("*.js"))


@pytest.mark.parametrize(
    "ending",
    [
        "export { render };",
        "export default render;",
        "export default { draw };",
        "export default {};\nrender();",
    ],
)
def test_a_view_that_does_not_export_what_anywidget_calls_is_refused(folder, ending):
    (folder / "view.js").write_text(f"function render() {{}}\n{ending}\n")
    with pytest.raises(ValueError, match=r"must end in `export default \{ render \};`; view\.js"):
        bundle("view")


def test_each_import_is_pasted_once_before_its_first_use(folder):
    (folder / "maths").mkdir()
    (folder / "maths/one.js").write_text("export const one = 1;\n")
    (folder / "two.js").write_text(
        'import { one } from "./maths/one.js";\nexport const two = one + one;\n'
    )
    (folder / "view.js").write_text(
        'import { one } from "./maths/one.js";\nimport { two } from "./two.js";\n'
        "export default { render() { return one + two; } };\n"
    )
    assert bundle("view") == (
        "const one = 1;\nconst two = one + one;\n"
        "export default { render() { return one + two; } };\n"
    )


def test_the_same_name_twice_is_refused(folder):
    (folder / "a.js").write_text("export const size = 1;\n")
    view = 'import { size } from "./a.js";\nconst size = 2;\nexport default { render };\n'
    (folder / "view.js").write_text(view)
    with pytest.raises(ValueError, match=r"unique in a bundle; 'size' is in both a\.js and view"):
        bundle("view")


def test_other_forms_of_import_are_refused(folder):
    (folder / "a.js").write_text("export const a = 1;\n")
    (folder / "view.js").write_text('import * as a from "./a.js";\n')
    with pytest.raises(ValueError, match=r"imports must read .* see view\.js"):
        bundle("view")


def test_what_only_readers_of_the_source_need_stays_behind(folder):
    (folder / "view.js").write_text(
        "// What it is.\n\n/**\n * @param {number} x\n */\nfunction twice(x) {\n"
        "\n  // why\n  return /** @type {number} */ (x) * 2; // here\n}\n\n"
        "/** Shows it. */\nexport default { render: twice };\n"
    )
    assert bundle("view") == (
        "function twice(x) {\nreturn (x) * 2;\n}\nexport default { render: twice };\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        'const a = "one // two";',
        "const a = 'say \"one // two';",
        'const a = "\\" // two";',
        "const a = `one // ${two} /** three */ four`;",
        'const a = "https://one"; const b = text.replace(/\\/\\//g, "//");',
    ],
)
def test_a_text_that_looks_like_a_comment_stays(folder, code):
    (folder / "view.js").write_text(f"{code} // the reader's\nexport default {{ render }};\n")
    assert bundle("view") == f"{code}\nexport default {{ render }};\n"


def test_a_text_whose_indentation_counts_is_refused(folder):
    (folder / "view.js").write_text("const text = `a\n  b`;\nexport default { render };\n")
    with pytest.raises(ValueError, match=r"backticks must end on its own line; see view\.js"):
        bundle("view")


def test_a_missing_module_is_named(folder):
    with pytest.raises(ValueError, match=r"got nothing\.js, which does not exist"):
        bundle("nothing")


def rules(css: str) -> list[str]:
    """Return the lines of a style sheet that a browser reads."""
    lines = [line.strip() for line in re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL).splitlines()]
    return [line for line in lines if line]


def test_every_widget_has_the_shared_styles():
    base = (module.CSS / "base.css").read_text(encoding="utf-8")
    shared = rules(palette(".aw")) + rules(base)
    assert rules(styles("predict"))[: len(shared)] == shared


def test_styles_hold_no_comment_and_no_indentation():
    assert not re.search(r"/\*|^\s", styles("translator"), re.MULTILINE)


def test_a_widget_has_the_styles_of_the_pieces_it_imports_once_and_before_its_own():
    sheets = [
        (module.CSS / f"{stem}.css").read_text(encoding="utf-8")
        for stem in ("base", "loom", "composer", "weight_table", "translator", "training")
    ]
    assert rules(styles("translator", "training")) == rules("\n".join([palette(".aw"), *sheets]))


def test_maths_brings_no_styles_of_a_widget_that_has_its_name(folder):
    (folder / "maths").mkdir()
    (folder / "maths/one.js").write_text("export const one = 1;\n")
    (folder / "view.js").write_text('import { one } from "./maths/one.js";\n')
    for name in ("base", "one", "view"):
        (folder / f"{name}.css").write_text(f".{name} {{}}\n")
    assert styles("view") == f"{palette('.aw')}\n.base {{}}\n.view {{}}\n"
