"""SixSteps refuses what does not fit, and leaves a picture where no script runs."""

import pytest
import torch

from attnsteps.running_example import ANIMAL, SENTENCE, TIRED, TWIN, Word
from attnsteps.toy import toy_vectors
from attnsteps.widgets import SixSteps


def test_starts_with_the_running_sentence_and_offers_its_twin():
    widget = SixSteps()
    assert [word["gloss"] for word in widget.words][widget.selected] == "tired"
    assert widget.embeddings == toy_vectors(SENTENCE).tolist()
    assert widget.value_axes == ["furry", "paved"]
    assert [sentence["ending"] for sentence in widget.sentences] == ["累 tired", "宽 wide"]
    assert SixSteps(TWIN).words[6]["gloss"] == "wide"


def test_a_shorter_sentence_begins_with_its_last_word():
    assert SixSteps().selected == 6
    assert SixSteps(SENTENCE[:4]).selected == 3


def test_takes_other_words_with_their_vectors_and_matrices():
    words = (Word("狼", "láng", "wolf"), TIRED)
    w_q, w_k, w_v = torch.ones(3, 2), torch.ones(3, 2), torch.ones(3, 5)
    widget = SixSteps(
        words, embeddings=torch.ones(2, 3), w_q=w_q, w_k=w_k, w_v=w_v, selected=0, step=6
    )
    assert widget.axes == ["1", "2", "3"]
    assert widget.value_axes == ["1", "2", "3", "4", "5"]
    assert len(widget.sentences) == 1


BAD = {
    "no words": ({"words": ()}, "words must hold at least 1 word; got 0"),
    "a word without a vector": (
        {"words": (Word("狼", "láng", "wolf"),)},
        "words must come from the running example; got Word(zh='狼', pinyin='láng', gloss='wolf')",
    ),
    "too few vectors": (
        {"words": (ANIMAL, TIRED), "embeddings": torch.ones(3, 6), "selected": 0},
        "embeddings must have shape (T, D) with T = 2; got (3, 6)",
    ),
    "w_q for another width": (
        {"w_q": torch.ones(3, 4)},
        "w_q must have shape (D, Dk) with D = 6; got (3, 4)",
    ),
    "keys and queries of unequal width": (
        {"w_k": torch.ones(6, 3)},
        "w_k must have shape (D, Dk) with D = 6, Dk = 4; got (6, 3)",
    ),
    "a vector for a matrix": (
        {"w_v": torch.ones(6)},
        "w_v must have shape (D, Dv) with D = 6; got (6,)",
    ),
    "not a number": (
        {"w_v": torch.full((6, 1), torch.nan)},
        "w_v must hold finite numbers; got [[nan], [nan], [nan], [nan], [nan], [nan]]",
    ),
    "a word that is not there": ({"selected": 8}, "selected must be in 0..7; got 8"),
    "step 0": ({"step": 0}, "step must be in 1..6; got 0"),
    "step 7": ({"step": 7}, "step must be in 1..6; got 7"),
}


@pytest.mark.parametrize(("changed", "message"), BAD.values(), ids=BAD.keys())
def test_bad_settings_are_refused(refuses, changed, message):
    refuses(lambda: SixSteps(**changed), message)


def test_bad_values_are_refused_later_too(refuses):
    widget = SixSteps()
    refuses(lambda: setattr(widget, "selected", -1), "selected must be in 0..7; got -1")
    refuses(lambda: setattr(widget, "step", 9), "step must be in 1..6; got 9")
    refuses(
        lambda: setattr(widget, "embeddings", [[0.0] * 6]),
        "embeddings must have shape (T, D) with T = 8, D = 6; got (1, 6)",
    )


def test_repr_is_stable_and_a_picture_comes_along():
    widget = SixSteps()
    assert repr(widget) == "SixSteps()"
    bundle = widget._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["image/png"].startswith("iVBOR")


def test_the_picture_shows_the_present_state():
    widget = SixSteps(selected=0)
    (ax,) = widget.picture().axes
    assert ax.get_title() == "animal: the weights of its query"
    widget.selected = 6
    (ax,) = widget.picture().axes
    assert [text.get_text() for text in ax.texts][:4] == ["0.70", "0.01", "0.03", "0.09"]
    assert ax.get_xlabel() == "the new vector: furry 0.70, paved 0.09"
