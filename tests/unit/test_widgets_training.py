"""What the time machine takes, what it refuses, and what it leaves where no script runs."""

import json

import pytest
import torch
from safetensors.torch import load

from attnsteps import Transformer, TransformerConfig
from attnsteps.text.batch import collate, encode_pairs
from attnsteps.text.tokenizer import Words
from attnsteps.text.vocab import Vocab
from attnsteps.training.loss import autoregressive_loss
from attnsteps.translator.trained import ASSETS, Trained, pretrained
from attnsteps.widgets import TimeMachine
from attnsteps.widgets.live_model import RUNNING
from attnsteps.widgets.training import SHIPPED, _loss, _unseen

SRC = Vocab(["动物", "没有", "过", "马路", "，", "因为", "太", "累", "宽", "了"])
TGT = Vocab(["the", "animal", "was", "too", "tired", "it"])
WORDS = Words(SRC.to_list()[5:]), Words(TGT.to_list()[5:])


class Letters:
    """A tokenizer of somebody's own, which no page knows."""

    def tokenize(self, text: str) -> list[str]:
        return list(text)


def small(seed: int = 0, tgt: Vocab = TGT, **changes: object) -> Trained:
    torch.manual_seed(seed)
    sizes = {"src_vocab_size": len(SRC), "tgt_vocab_size": len(tgt), "d_model": 8, "num_heads": 2}
    model = Transformer(TransformerConfig.tiny(**{**sizes, "d_ff": 12, **changes}))
    return Trained(model.eval(), SRC, tgt, *WORDS)


def moments(count: int = 3, **changes: object) -> list:
    return [(10 * n, 2.0 - 0.5 * n, small(n, **changes)) for n in range(count)]


def cut(widget: TimeMachine) -> list[bytes]:
    """Return the files that the page cuts its weights into."""
    starts = [sum(widget.sizes[:n]) for n in range(len(widget.sizes))]
    return [
        widget.weights[start : start + size]
        for start, size in zip(starts, widget.sizes, strict=True)
    ]


def test_every_moment_goes_in_whole_and_in_order():
    given = moments()
    widget = TimeMachine(given)
    assert (widget.steps, widget.losses) == ([0, 10, 20], [2.0, 1.5, 1.0])
    assert sum(widget.sizes) == len(widget.weights)
    for file, (_, _, trained) in zip(cut(widget), given, strict=True):
        tensors = load(file)
        for name, parameter in trained.model.named_parameters():
            assert torch.equal(tensors[name], parameter.detach())
        length = int.from_bytes(file[:8], "little")
        config = json.loads(json.loads(file[8 : 8 + length])["__metadata__"]["config"])
        assert config["tgt_vocab"] == TGT.to_list()


def test_glosses_and_examples_are_of_words_that_the_model_knows():
    widget = TimeMachine(moments(), examples=["太累了"])
    assert widget.glossary["累"] == ["lèi", "tired"]
    assert set(widget.glossary) <= set(SRC.to_list())
    assert widget.examples == ["太累了"]
    assert widget.twins == ["累", "宽"]
    assert widget.text == widget.first == RUNNING
    assert TimeMachine(moments(positions="learned", max_len=9)).max_words == 9


def test_it_is_stable_and_leaves_a_picture_of_the_present_moment():
    widget = TimeMachine(moments(), moment=1)
    assert repr(widget) == "TimeMachine()"
    assert "image/png" in widget._repr_mimebundle_()[0]
    curve, heads = widget.picture().axes
    assert curve.lines[1].get_xydata().tolist() == [[1.0, 1.5]]
    assert heads.get_title() == "After 10 updates: cross-attention"
    widget.moment = 2
    assert widget.picture().axes[1].get_title() == "After 20 updates: cross-attention"
    widget.text = ""
    assert "image/png" in widget._repr_mimebundle_()[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TimeMachine([]), "checkpoints must hold at least 2; got 0"),
        (
            lambda: TimeMachine([(0, 1.0, small()), (1, 1.0, small().model)]),
            "checkpoints[1] must end with a Trained; got a Transformer",
        ),
        (
            lambda: TimeMachine([(5, 1.0, small()), (5, 1.0, small())]),
            "checkpoints must be in order of their steps; got [5, 5]",
        ),
        (
            lambda: TimeMachine([(0, 1.0, small()), (5, float("nan"), small())]),
            "the loss of checkpoints[1] must be a number of at least 0; got nan",
        ),
        (
            lambda: TimeMachine([(0, -1.0, small()), (5, 1.0, small())]),
            "the loss of checkpoints[0] must be a number of at least 0; got -1.0",
        ),
        (
            lambda: TimeMachine([(0, 1.0, small()), (5, 1.0, small(norm="pre"))]),
            "checkpoints must be of one training run; checkpoints[1] has another model.config"
            " than the first",
        ),
        (
            lambda: TimeMachine(
                [(0, 1.0, small()), (5, 1.0, small(tgt=Vocab(TGT.to_list()[:4:-1])))]
            ),
            "checkpoints must be of one training run; checkpoints[1] has another tgt_vocab than the"
            " first",
        ),
        (
            lambda: TimeMachine(moments(causal=False)),
            "model must be causal to write word by word; got config.causal = False",
        ),
        (
            lambda: TimeMachine(
                [(n, 1.0, Trained(small().model, SRC, TGT, Letters(), Words())) for n in (0, 1)]
            ),
            "src_tokenizer must be Words, Characters, BytePairs or Subwords to run in a page;"
            " got Letters",
        ),
        (lambda: TimeMachine(moments(), moment=3), "moment must lie in 0..2; got 3"),
        (lambda: TimeMachine(moments(), moment=-1), "moment must lie in 0..2; got -1"),
    ],
)
def test_what_is_no_training_or_does_not_fit_is_refused(make, message, refuses):
    refuses(make, message)


def test_models_too_large_for_a_page_are_refused(monkeypatch, refuses):
    count = small().model.num_parameters()
    monkeypatch.setattr("attnsteps.widgets.training.MAX_PARAMETERS", 2 * count)
    TimeMachine(moments(2))
    refuses(
        lambda: TimeMachine(moments(3)),
        f"checkpoints must have at most {2 * count:,} parameters together to run in a page;"
        f" got {3 * count:,}",
    )


def test_the_shipped_training_is_the_default_and_goes_as_it_is():
    widget = TimeMachine()
    assert widget.steps[0] == 0
    assert len(widget.steps) == 12
    assert len(widget.weights) <= 2 * 1024**2
    files = [path.read_bytes() for path in sorted(ASSETS.glob(SHIPPED))]
    assert cut(widget) == files
    assert len(widget.examples) >= 30
    assert widget.losses[0] > 5
    assert widget.losses[-1] < 0.5
    last = pretrained(f"zh_en_step_{widget.steps[-1]:04d}")
    (found,) = last.translate([RUNNING])
    assert found.text == "the animal did not cross the street because it was too tired"


def test_the_losses_are_means_over_all_tokens_of_unseen_sentences():
    trained, pairs = small(), _unseen()
    assert len(pairs) == 200
    batches = [collate(encode_pairs(half, SRC, TGT)) for half in (pairs[:100], pairs[100:])]
    with torch.no_grad():
        found = [autoregressive_loss(trained.model, batch) for batch in batches]
    total, count = (float(sum(column)) for column in zip(*found, strict=True))
    assert _loss(trained) == pytest.approx(total / count, rel=1e-5)
