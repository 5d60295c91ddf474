"""Marks the words of the figures, which an edition in another language translates."""


def say(text: str, **fields: object) -> str:
    """Return a text of a figure with its fields filled in; catalogues have it as it stands here.

    Args:
        text: in English, a literal; what is computed is a field such as ``{total:.2f}``.
        **fields: the values of the fields.

    Example:
        >>> say("row sum {total:.2f}", total=1.0)
        'row sum 1.00'
    """
    return text.format(**fields)


def gloss(word: object) -> str:
    """Return what a word of the running sentence means, without the parentheses of a particle.

    Example:
        >>> from attnsteps.running_example import SENTENCE
        >>> gloss(SENTENCE[7])
        'state'
    """
    return say(word.gloss.strip("()"))
