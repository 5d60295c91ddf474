"""The configuration: the paper's numbers, frozen, and no value that makes no model."""

import dataclasses

import jaxtyping
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer


def test_the_defaults_are_the_papers_base_model():
    config = TransformerConfig(src_vocab_size=11, tgt_vocab_size=13)
    assert dataclasses.asdict(config) == {
        "src_vocab_size": 11,
        "tgt_vocab_size": 13,
        "d_model": 512,
        "num_heads": 8,
        "num_encoder_layers": 6,
        "num_decoder_layers": 6,
        "d_ff": 2048,
        "dropout": 0.1,
        "norm": "post",
        "activation": "relu",
        "positions": "sinusoidal",
        "max_len": 512,
        "tie": "target",
        "final_norm": False,
        "causal": True,
        "pad_id": 0,
        "bos_id": 1,
        "eos_id": 2,
        "mask_id": None,
        "norm_kind": "layer",
        "bias": True,
        "num_kv_heads": None,
        "window": None,
        "num_experts": 1,
        "experts_per_token": 1,
    }


def test_base_is_the_default_with_one_vocabulary_for_both_languages():
    assert TransformerConfig.base(37, 37) == TransformerConfig(
        src_vocab_size=37, tgt_vocab_size=37, tie="all"
    )


def test_big_is_the_last_row_of_table_3():
    big = TransformerConfig.big(37, 37)
    assert (big.d_model, big.d_ff, big.num_heads, big.dropout) == (1024, 4096, 16, 0.3)
    assert (big.num_encoder_layers, big.num_decoder_layers, big.tie) == (6, 6, "all")


def test_tiny_fits_into_the_book():
    tiny = TransformerConfig.tiny(11, 13)
    assert (tiny.d_model, tiny.d_ff, tiny.num_heads, tiny.dropout) == (64, 256, 4, 0.0)
    assert (tiny.num_encoder_layers, tiny.num_decoder_layers, tiny.tie) == (2, 2, "target")
    assert (tiny.src_vocab_size, tiny.tgt_vocab_size) == (11, 13)


@pytest.mark.parametrize("size", ["base", "big", "tiny"])
def test_every_field_can_be_changed(size):
    make = getattr(TransformerConfig, size)
    changes = {"d_model": 12, "num_heads": 3, "dropout": 0.5, "tie": "none", "norm": "pre"}
    config = make(11, 13, **changes)
    assert {name: getattr(config, name) for name in changes} == changes


def test_it_is_frozen_and_can_be_compared_and_hashed():
    config = TransformerConfig.tiny(11, 13)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.d_model = 128
    wider = dataclasses.replace(config, d_model=128)
    assert (config.d_model, wider.d_model) == (64, 128)
    assert config == TransformerConfig.tiny(11, 13)
    assert len({config, wider, TransformerConfig.tiny(11, 13)}) == 2


BAD = {
    "no source": ({"src_vocab_size": 0}, "src_vocab_size must be a positive integer; got 0"),
    "no target": (
        {"tgt_vocab_size": -1},
        "tgt_vocab_size must be a positive integer; got -1",
    ),
    "no width": ({"d_model": 0}, "d_model must be a positive integer; got 0"),
    "heads in floats": ({"num_heads": 4.0}, "num_heads must be a positive integer; got 4.0"),
    "no encoder": (
        {"num_encoder_layers": 0},
        "num_encoder_layers must be a positive integer; got 0",
    ),
    "no decoder": (
        {"num_decoder_layers": True},
        "num_decoder_layers must be a positive integer; got True",
    ),
    "no hidden width": ({"d_ff": None}, "d_ff must be a positive integer; got None"),
    "no length": ({"max_len": 0}, "max_len must be a positive integer; got 0"),
    "H does not divide D": (
        {"num_heads": 5},
        "num_heads must divide d_model = 64 without remainder; got 5",
    ),
    "everything dropped": (
        {"dropout": 1},
        "dropout must be a number in [0, 1); got 1",
    ),
    "less than nothing dropped": (
        {"dropout": -0.1},
        "dropout must be a number in [0, 1); got -0.1",
    ),
    "dropout in words": (
        {"dropout": "0.1"},
        "dropout must be a number in [0, 1); got '0.1'",
    ),
    "an unknown norm": ({"norm": "Post"}, "norm must be 'post' or 'pre'; got 'Post'"),
    "an unknown activation": (
        {"activation": "tanh"},
        "activation must be 'relu' or 'gelu' or 'swiglu'; got 'tanh'",
    ),
    "unknown positions": (
        {"positions": "alibi"},
        "positions must be 'sinusoidal' or 'learned' or 'rotary'; got 'alibi'",
    ),
    "an unknown tie": ({"tie": True}, "tie must be 'none' or 'target' or 'all'; got True"),
    "one matrix for two vocabularies": (
        {"tie": "all"},
        "tie must be 'none' or 'target' where source and target have vocabularies of their own,"
        " 11 and 13 tokens; got 'all'",
    ),
    "neither causal nor not": ({"causal": 1}, "causal must be False or True; got 1"),
    "neither final norm nor not": (
        {"final_norm": "yes"},
        "final_norm must be False or True; got 'yes'",
    ),
    "padding outside the source": (
        {"pad_id": 11},
        "pad_id must lie in 0..10 (vocab_size = 11); got 11",
    ),
    "padding outside the target": (
        {"src_vocab_size": 17, "pad_id": 13},
        "pad_id must lie in 0..12 (vocab_size = 13); got 13",
    ),
    "a negative id": ({"bos_id": -1}, "bos_id must lie in 0..12 (vocab_size = 13); got -1"),
    "an id in words": ({"eos_id": "</s>"}, "eos_id must be an integer; got '</s>'"),
    "one id twice": (
        {"eos_id": 0},
        "pad_id, bos_id and eos_id must be three different ids; got (0, 1, 0)",
    ),
    "a mask that is padding": (
        {"mask_id": 0},
        "mask_id must be none of pad_id, bos_id and eos_id, (0, 1, 2); got 0",
    ),
    "a mask outside the target": (
        {"mask_id": 13},
        "mask_id must lie in 0..12 (vocab_size = 13); got 13",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD.keys())
def test_bad_settings_are_refused(refuses, changes, message):
    settings = {"src_vocab_size": 11, "tgt_vocab_size": 13, **changes}
    vocab_sizes = settings.pop("src_vocab_size"), settings.pop("tgt_vocab_size")
    refuses(lambda: TransformerConfig.tiny(*vocab_sizes, **settings), message)


junk = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 30), st.floats(), st.text(max_size=3), st.just(())
)
fields = [field.name for field in dataclasses.fields(TransformerConfig)]


@given(changes=st.dictionaries(st.sampled_from(fields), junk, min_size=1, max_size=3))
def test_property_a_configuration_is_refused_with_a_value_error_or_makes_a_model(changes):
    settings = {"src_vocab_size": 11, "tgt_vocab_size": 13, "d_model": 12, "num_heads": 3}
    settings |= {"num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 7, **changes}
    jaxtyping.config.update("jaxtyping_disable", True)  # a reader has no beartype in between
    try:
        Transformer(TransformerConfig(**settings))
    except ValueError:
        return
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
