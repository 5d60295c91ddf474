"""The tokenizer widget refuses what it cannot show, and is the package's tokenizers underneath."""

import pytest
from matplotlib.figure import Figure

from attnsteps.text.batch import collate
from attnsteps.text.byte_pairs import BytePairs
from attnsteps.text.tokenizer import Characters, Words
from attnsteps.widgets import TokenizerLab
from attnsteps.widgets.text import KINDS, KNOWN, LESSONS, PENCIL_WORDS

THREE = ["动物没有过马路，因为太累了", "it was tired", "water"]
BAD = {
    "two": ({"sentences": ["a", "b"]}, "sentences must hold 3 texts; got 2"),
    "long": (
        {"sentences": ["a", "b" * 81, ""]},
        "sentences must have at most 80 characters; got one of 81",
    ),
    "a kind": (
        {"kind": "letters"},
        "kind must be 'words' or 'characters' or 'character pairs'; got 'letters'",
    ),
    "few merges": (
        {"num_merges": -1},
        "num_merges must be a number in [0, 60]; got -1",
    ),
    "many merges": (
        {"num_merges": 61},
        "num_merges must be a number in [0, 60]; got 61",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_arguments_are_refused(refuses, arguments, message):
    refuses(lambda: TokenizerLab(**arguments), message)


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_values_are_refused_afterwards_too(refuses, arguments, message):
    widget = TokenizerLab()
    [(name, value)] = arguments.items()
    refuses(lambda: setattr(widget, name, value), message)


def test_an_unknown_lesson_is_refused(refuses):
    listed = "\"the chapter's words\" or 'English' or 'Chinese' or 'your sentences'"
    message = f"lesson must be {listed}; got 'Latin'"
    refuses(lambda: TokenizerLab(lesson="Latin"), message)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentences", [THREE, ["", "", ""], ["x" * 80, "。", ""]])
def test_the_repr_is_stable_and_a_picture_stands_in_where_no_script_runs(kind, sentences):
    widget = TokenizerLab(sentences, kind=kind)
    assert repr(widget) == "TokenizerLab()"
    assert widget._repr_mimebundle_()[0]["image/png"]
    assert isinstance(widget.picture(), Figure)


def test_it_splits_as_the_packages_tokenizers_do():
    words = TokenizerLab(THREE)
    assert words.tokens == [Words(KNOWN).tokenize(text) for text in THREE]
    letters = TokenizerLab(THREE, kind="characters")
    assert letters.tokens == [Characters().tokenize(text) for text in THREE]
    pieces = TokenizerLab(THREE, kind="character pairs", num_merges=5)
    assert pieces.tokens == [BytePairs.learn(PENCIL_WORDS, 5).tokenize(text) for text in THREE]
    own = TokenizerLab(THREE, kind="character pairs", lesson=LESSONS[-1], num_merges=60)
    assert own.tokens == [BytePairs.learn(THREE, 60).tokenize(text) for text in THREE]
    assert not any(own.vocabulary.unknown(tokens) for tokens in own.tokens)


def test_the_batch_is_the_packages():
    widget = TokenizerLab(THREE)
    vocab = widget.vocabulary
    examples = [(vocab.ids(tokens), [5]) for tokens in widget.tokens]
    assert widget.batch == collate(examples).src_ids.tolist()
    assert widget.batch[2] == [vocab.unk_id] + [vocab.pad_id] * 8
    widget.ends = True
    assert widget.batch[2][:3] == [vocab.bos_id, vocab.unk_id, vocab.eos_id]


def test_folding_makes_one_of_what_reads_the_same():
    widget = TokenizerLab(["Ｔｈｅ Animal", "太累了，", ""], folded=True)
    assert widget.tokens == [["the", "animal"], ["太", "累", "了", ","], []]
    assert [len(widget.vocabulary.unknown(tokens)) for tokens in widget.tokens] == [0, 0, 0]
    widget.folded = False
    assert widget.vocabulary.unknown(widget.tokens[0]) == ["Ｔ", "ｈ", "ｅ", "Animal"]
