"""Grades the coding exercise of the chapter on the whole model."""

from collections.abc import Callable

from attnsteps.exercises.verdict import Verdict, attempt

# Sizes that have nothing in common, so that one cannot stand in for another by chance.
_SIZES = (
    {"d_model": 512, "d_ff": 2048, "num_layers": 6, "vocab_size": 37_000},
    {"d_model": 12, "d_ff": 17, "num_layers": 5, "vocab_size": 101},
)


def grade_count_parameters(function: Callable[[int, int, int, int], int]) -> Verdict:
    """Say whether the function counts the parameters of the paper's model, all tables tied.

    It takes d_model, d_ff, num_layers (of each stack) and vocab_size.

    Example:
        >>> grade_count_parameters(lambda d_model, d_ff, num_layers, vocab_size: 0)
        ✗ Not yet: for 512, 2048, 6, 37000 your count is 0, which is too few
    """
    results = []
    for sizes in _SIZES:
        got, raised = attempt(lambda sizes=sizes: function(*sizes.values()))
        if raised:
            return Verdict(False, raised)
        if isinstance(got, bool) or not isinstance(got, int | float):
            return Verdict(False, f"the result should be a number and is a {type(got).__name__}")
        results.append(got)
    if fault := _fault(results):
        return Verdict(False, fault)
    return Verdict(True, "attentions, feed-forward networks, norms, and the table once")


def _fault(results: list[float]) -> str:
    """Return what is wrong with the counts, by name if the mistake is known, or ""."""
    wanted = [_count(**sizes) for sizes in _SIZES]
    if results == wanted:
        return ""
    # At base, some mistakes give the same number; at all sizes, none do.
    mistakes = [_mistakes(**sizes) for sizes in _SIZES]
    for sentence in mistakes[0]:
        if results == [counted[sentence] for counted in mistakes]:
            return sentence
    rows = zip(_SIZES, results, wanted, strict=True)
    sizes, got, want = next(row for row in rows if row[1] != row[2])
    given = ", ".join(map(str, sizes.values()))
    found = "too few" if got < want else "too many"
    return f"for {given} your count is {got:,}, which is {found}"


def _count(d_model: int, d_ff: int, num_layers: int, vocab_size: int, **changes: int) -> int:
    """Count the parameters; ``changes`` replaces how many there are of something."""
    has = {"self": 2, "cross": 1, "feed": 2, "norms": 5, "attention_bias": 4, "feed_bias": 1}
    has |= {"norm_vectors": 2, "tables": 1, "final_norms": 0, **changes}
    attention = 4 * d_model**2 + has["attention_bias"] * d_model
    feed_forward = 2 * d_model * d_ff + has["feed_bias"] * (d_ff + d_model)
    norm = has["norm_vectors"] * d_model
    layers = (has["self"] + has["cross"]) * attention + has["feed"] * feed_forward
    layers += has["norms"] * norm
    return num_layers * layers + has["tables"] * vocab_size * d_model + has["final_norms"] * norm


def _mistakes(**sizes: int) -> dict[str, int]:
    """Return the counts that common mistakes give, keyed by the sentence about each."""

    def slip(**changes: int) -> int:
        return _count(**sizes, **changes)

    return {
        "the table is counted three times; tied, it is one and counts once": slip(tables=3),
        "the table is counted twice; all three places share it, so it counts once": slip(tables=2),
        "the table with a vector for each token is missing": slip(tables=0),
        "the output projection has no bias": slip() + sizes["vocab_size"],
        "the decoder's cross-attentions are missing: each decoder layer has two attentions": slip(
            cross=0
        ),
        "the decoder's cross-attentions are missing, and the norms after them": slip(
            cross=0, norms=4
        ),
        "a decoder layer has three norms, one after each of its parts": slip(norms=4),
        "the norms are missing": slip(norms=0),
        "a norm learns two vectors, a gain and a shift": slip(norm_vectors=1),
        "the biases of the attentions are missing: each of the four matrices has one": slip(
            attention_bias=0
        ),
        "an attention has four matrices, so it has four biases": slip(attention_bias=3),
        "the biases of the feed-forward networks are missing": slip(feed_bias=0),
        "all biases are missing": slip(attention_bias=0, feed_bias=0),
        "the decoder's feed-forward networks are missing": slip(feed=1),
        "the paper's stacks do not end with a norm of their own": slip(final_norms=2),
        "only one layer of each stack is counted": _count(**{**sizes, "num_layers": 1}),
    }
