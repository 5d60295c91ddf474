"""What the interventions take, what they refuse, and what they leave where no script runs."""

import pytest
import torch
from safetensors.torch import load

from attnsteps import Knockout, Transformer, TransformerConfig, knocked_out
from attnsteps.corpora.generated.corpus import generated
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import pretrained
from attnsteps.widgets import Interventions
from attnsteps.widgets.inside import GIRL, GIRL_TWIN, PRONOUNS

SRC = Vocab(["女孩", "没有", "过", "马路", "，", "因为", "太", "累", "宽", "了"])
TGT = Vocab(["the", "girl", "was", "too", "tired", "it", "she"])


def small(**changes: object) -> Transformer:
    torch.manual_seed(0)
    sizes = {"src_vocab_size": len(SRC), "tgt_vocab_size": len(TGT)}
    return Transformer(TransformerConfig.tiny(**sizes, **changes)).eval()


def widget(**options: object) -> Interventions:
    return Interventions(small(), (SRC, TGT), **options)


def test_it_starts_whole_with_the_girl_and_her_twin():
    made = widget()
    assert made.text == GIRL
    assert made.knockouts == []
    assert made.pairs == [[{"text": GIRL, "word": "累"}, {"text": GIRL_TWIN, "word": "宽"}]]
    assert made.pronouns == ["it", "she"]
    assert made.glossary["累"] == ["lèi", "tired"]


def test_the_model_goes_in_whole_and_the_shipped_one_as_it_is():
    model = small(norm="pre")
    tensors = load(Interventions(model, (SRC, TGT)).weights)
    for name, parameter in model.named_parameters():
        assert torch.equal(tensors[name], parameter.detach())
    assert Interventions()._trained.model.config == pretrained().model.config
    assert len(Interventions().weights) < 700_000


def test_the_shipped_pairs_differ_in_one_word_and_in_their_pronoun():
    shipped = Interventions()
    assert len(shipped.pairs) >= 10
    assert shipped.pronouns == list(PRONOUNS)
    texts = [[each["text"] for each in pair] for pair in shipped.pairs]
    said = [pretrained().translate(both) for both in texts]
    for one, other in said:
        spoken = [[w for w in each.tokens if w in PRONOUNS][-1] for each in (one, other)]
        assert spoken[0] != spoken[1]


def test_no_pair_was_seen_in_training():
    seen = {"".join(pair.src) for pair in generated().train}
    assert not seen & {each["text"] for pair in Interventions().pairs for each in pair}


def test_knockouts_are_those_of_the_package():
    made = widget(knockouts=[Knockout("cross", layer=1, head=2)])
    assert made.knockouts == [Knockout("cross", layer=1, head=2)._asdict()]
    made.knockouts = [{"part": "encoder", "key": 3}]  # as the page may write it
    assert made.knockouts == [Knockout("encoder", key=3)._asdict()]


def test_probabilities_are_the_models_after_the_whole_models_words():
    made = widget(text="女孩太累了", knockouts=[Knockout("cross", 0), Knockout("decoder", 1, 2)])
    whole, now = made.probabilities()
    (found,) = made._trained.translate([made.text])
    assert len(whole) == len(found.tokens) + 1
    assert whole.argmax(-1).tolist()[:-1] == TGT.ids(found.tokens)
    torch.testing.assert_close(now.sum(-1), torch.ones(len(now)))
    model, ids = made._trained.model, torch.tensor([SRC.ids(["女孩", "太", "累", "了"])])
    with knocked_out(model, Knockout("cross", 0), Knockout("decoder", 1, 2)), torch.no_grad():
        logits = model(ids, torch.tensor([[TGT.bos_id, *TGT.ids(found.tokens)]]))[0]
    logits[:, [TGT.pad_id, TGT.bos_id]] = -torch.inf
    torch.testing.assert_close(now, logits.softmax(-1))
    assert not torch.allclose(now, whole, atol=1e-3)
    model.train()
    model.encoder.layers[0].self_attention.dropout = 0.5
    assert torch.equal(made.probabilities()[1], now)
    assert model.training


def test_it_is_stable_and_leaves_a_picture():
    made = Interventions(knockouts=[Knockout("cross", layer=1)])
    assert repr(made) == "Interventions()"
    assert "image/png" in made._repr_mimebundle_()[0]
    (ax,) = made.picture().axes
    whole, now = made.probabilities()
    it = pretrained().tgt_vocab.ids(["it"])[0]
    place = pretrained().translate([GIRL])[0].tokens.index("she")
    heights = [bar.get_height() for bar in ax.patches]
    assert heights[0] == pytest.approx(float(whole[place, it]))
    assert heights[len(PRONOUNS)] == pytest.approx(float(now[place, it]))
    made.text = "马路太宽了"  # no pronoun
    assert made.picture().axes == []
    made.text = ""
    assert made.picture().axes == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: widget(knockouts=[Knockout("cross", layer=2)]),
            "layer must be an integer in [0, 1]; got 2",
        ),
        (
            lambda: widget(knockouts=[Knockout("memory")]),
            "part must be 'encoder' or 'decoder' or 'cross'; got 'memory'",
        ),
        (
            lambda: widget(pairs=[(GIRL, GIRL)]),
            "pairs[0] must differ in exactly one word; got 0",
        ),
        (
            lambda: widget(pairs=[(GIRL, GIRL_TWIN), ("太累", "太累了")]),
            "pairs[1] must be two sentences with the same number of words; got ('太累', '太累了')",
        ),
        (
            lambda: Interventions(small(causal=False), (SRC, TGT)),
            "model must be causal to write word by word; got config.causal = False",
        ),
    ],
)
def test_what_there_is_not_is_refused(make, message, refuses):
    refuses(make, message)


def test_what_is_set_later_is_checked_too(refuses):
    made = widget()

    def change():
        made.knockouts = [{"part": "cross", "head": 4}]

    refuses(change, "head must be an integer in [0, 3]; got 4")
    assert made.knockouts == []
