"""The whole model: against nn.Transformer, deaf to future and padding, counted, compiled."""

import contextlib
import copy
import math

import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attnsteps.layers.masks import causal_mask, padding_mask
from attnsteps.layers.positional import sinusoidal_positions
from attnsteps.model.config import TransformerConfig
from attnsteps.model.flops import count_flops
from attnsteps.model.interop import from_torch, to_torch
from attnsteps.model.transformer import AttentionWeights, Transformer

# Every size is another prime (but D, which is H·Dk), so that swapped axes cannot pass.
B, S, T, H, Dk, Dff, V_SRC, V = 2, 5, 7, 3, 4, 17, 11, 13
D = H * Dk

SRC_IDS = torch.tensor([[4, 9, 10, 0, 0], [5, 5, 6, 7, 8]])
TGT_IDS = torch.tensor([[1, 4, 5, 6, 2, 0, 0], [1, 9, 8, 12, 6, 5, 4]])

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}
norms = pytest.mark.parametrize("norm", ["post", "pre"])
modes = pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)


def assert_all_close(got, expected, tolerance=1e-10):
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def small(**changes):
    """Return a configuration whose sizes are all different."""
    sizes = {"d_model": D, "num_heads": H, "d_ff": Dff, "num_decoder_layers": 3}
    vocab_sizes = {"src_vocab_size": V_SRC, "tgt_vocab_size": V}
    return TransformerConfig.tiny(**{**vocab_sizes, **sizes, **changes})


def make_model(**changes):
    """Build a model in float64 whose norms and biases are not those of the first step."""
    model = Transformer(small(**changes)).double().eval()
    for parameter in model.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return model


@contextlib.contextmanager
def as_a_reader():
    """Let beartype step aside, which no reader has between a call and the package's message."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


# Against PyTorch ----------------------------------------------------------------------------


def pytorchs(config, dtype):
    """Build nn.Transformer for a configuration, with norms and biases drawn at random."""
    theirs = nn.Transformer(
        config.d_model,
        config.num_heads,
        config.num_encoder_layers,
        config.num_decoder_layers,
        config.d_ff,
        0.0,
        config.activation,
        batch_first=True,
        norm_first=config.norm == "pre",
        dtype=dtype,
    )
    for parameter in theirs.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, mean=0.5, std=0.5)
    return theirs


def logits_through_pytorch(ours, theirs, src_ids, tgt_ids):
    """Embed and project with ours, and let nn.Transformer do what is in between."""
    dtype, hide_src, hide_tgt = ours.projection.weight.dtype, src_ids == 0, tgt_ids == 0
    src_emb, tgt_emb = (
        math.sqrt(D) * nn.functional.embedding(ids, table.weight, padding_idx=0)
        + sinusoidal_positions(ids.shape[1], D, dtype=dtype)
        for ids, table in ((src_ids, ours.src_embedding), (tgt_ids, ours.tgt_embedding))
    )
    output = theirs(
        src_emb,
        tgt_emb,
        tgt_mask=torch.ones(tgt_ids.shape[1], tgt_ids.shape[1], dtype=torch.bool).triu(1),
        src_key_padding_mask=hide_src,
        tgt_key_padding_mask=hide_tgt,
        memory_key_padding_mask=hide_src,
    )
    return output @ ours.projection.weight.T


def gradients_in_our_names(ours, theirs):
    """Return the gradients that nn.Transformer received, by the names of our parameters."""
    twin, source = copy.deepcopy(ours), copy.deepcopy(theirs)
    with torch.no_grad():
        for parameter, original in zip(source.parameters(), theirs.parameters(), strict=True):
            parameter.copy_(original.grad)
    from_torch(twin, source)
    return {
        name: parameter.detach()
        for name, parameter in twin.named_parameters()
        if name.startswith(("encoder", "decoder"))
    }


# Theirs says that it will not use nested tensors for these sizes.
quietly = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")


@quietly
@norms
@modes
@dtypes
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("padded", [True, False], ids=["padded", "full"])
def test_values_and_gradients_equal_pytorchs(padded, activation, dtype, training, norm):
    config = small(norm=norm, activation=activation, final_norm=True)
    ours, theirs = Transformer(config).to(dtype).train(training), pytorchs(config, dtype)
    theirs.train(training)
    from_torch(ours, theirs)
    src_ids, tgt_ids = (SRC_IDS, TGT_IDS) if padded else (SRC_IDS[1:], TGT_IDS[1:])
    direction = torch.randn(*tgt_ids.shape, V, dtype=dtype)

    tables = [ours.src_embedding.weight, ours.tgt_embedding.weight]
    expected = logits_through_pytorch(ours, theirs, src_ids, tgt_ids)
    (expected * direction).sum().backward()
    expected_tables = [table.grad.clone() for table in tables]
    ours.zero_grad()
    logits = ours(src_ids, tgt_ids)
    (logits * direction).sum().backward()

    tolerance = TOLERANCE[dtype]
    assert_all_close(logits, expected, tolerance)
    assert_all_close([table.grad for table in tables], expected_tables, 20 * tolerance)
    for name, gradient in gradients_in_our_names(ours, theirs).items():
        assert_all_close(ours.get_parameter(name).grad, gradient, 20 * tolerance)


@quietly
@norms
def test_it_equals_pytorchs_fast_path_for_inference_on_every_real_token(norm):
    config = small(norm=norm, final_norm=True)
    ours, theirs = Transformer(config).double().eval(), pytorchs(config, torch.float64).eval()
    to_torch(ours, theirs)
    with torch.no_grad():
        logits = ours(SRC_IDS, TGT_IDS)
        expected = logits_through_pytorch(ours, theirs, SRC_IDS, TGT_IDS)
    assert_all_close(logits[TGT_IDS != 0], expected[TGT_IDS != 0])


@quietly
def test_the_papers_post_norm_equals_a_pytorch_transformer_without_its_final_norms():
    config = small(num_decoder_layers=2)
    ours, theirs = make_model(num_decoder_layers=2), pytorchs(config, torch.float64)
    theirs.encoder.norm = theirs.decoder.norm = None
    to_torch(ours, theirs)
    expected = logits_through_pytorch(ours, theirs, SRC_IDS, TGT_IDS)
    assert_all_close(ours(SRC_IDS, TGT_IDS), expected)


def test_the_whole_is_its_parts_put_together():
    model = make_model()
    src_emb = model.src_embedding(SRC_IDS) + sinusoidal_positions(S, D, dtype=torch.float64)
    tgt_emb = model.tgt_embedding(TGT_IDS) + sinusoidal_positions(T, D, dtype=torch.float64)
    memory, _ = model.encoder(src_emb, padding_mask(SRC_IDS, 0))
    mask = causal_mask(T) & padding_mask(TGT_IDS, 0)
    output, *_ = model.decoder(tgt_emb, memory, mask, padding_mask(SRC_IDS, 0))
    assert torch.equal(model.encode(SRC_IDS), memory)
    assert torch.equal(model.decode(TGT_IDS, memory, SRC_IDS), model.projection(output))
    assert torch.equal(model(SRC_IDS, TGT_IDS), model.projection(output))


# Who sees whom ------------------------------------------------------------------------------


@norms
@modes
@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
def test_bug_zoo_01_no_word_moves_the_logits_before_it(need_weights, training, norm):
    model = make_model(norm=norm).train(training)

    def run(tgt_ids):
        output = model(SRC_IDS[1:], tgt_ids, need_weights=need_weights)
        return output[0] if need_weights else output

    tgt_ids = TGT_IDS[1:]
    logits = run(tgt_ids)
    for t in range(T):
        changed = tgt_ids.clone()
        changed[0, t] = 3
        moved = (run(changed) != logits).any(dim=-1)[0]
        assert not moved[:t].any()
        assert moved[t:].all()


@modes
def test_a_decoder_that_is_not_causal_sees_the_whole_target_and_no_padding(training):
    model = make_model(causal=False).train(training)
    logits = model(SRC_IDS, TGT_IDS)
    for t in range(T):
        changed = TGT_IDS.clone()
        changed[1, t] = 3
        moved = (model(SRC_IDS, changed) != logits).any(dim=-1)
        assert moved[1].all()
        assert not moved[0].any()
    longer = torch.cat([TGT_IDS, torch.zeros(B, 3, dtype=torch.long)], dim=1)
    assert_all_close(model(SRC_IDS, longer)[:, :T], logits)


@norms
@modes
def test_padding_never_moves_anything(training, norm):
    model = make_model(norm=norm).train(training)
    logits = model(SRC_IDS, TGT_IDS)
    # A row alone, without its padding, gives what it gives in the batch.
    assert_all_close(model(SRC_IDS[:1, :3], TGT_IDS[:1, :5])[0], logits[0, :5])
    # More padding changes nothing.
    more = [torch.cat([ids, torch.zeros(B, 3, dtype=torch.long)], 1) for ids in (SRC_IDS, TGT_IDS)]
    assert_all_close(model(*more)[:, :T], logits)
    # Nor does the vector of the padding token, in any place but that of the padding.
    with torch.no_grad():
        model.src_embedding.weight[0] += 100
        model.tgt_embedding.weight[0] += 100
    again = model(SRC_IDS, TGT_IDS)[..., 1:]  # (its own logit aside: the weight is tied)
    assert_all_close(again[TGT_IDS != 0], logits[..., 1:][TGT_IDS != 0])


def test_padding_on_the_left_is_hidden_too():
    model = make_model()
    padded = torch.tensor([[0, 0, 1, 4, 5]])
    logits = model(SRC_IDS[:1], padded)
    assert logits.isfinite().all()
    with torch.no_grad():
        model.tgt_embedding.weight[0] += 100
    assert_all_close(model(SRC_IDS[:1], padded)[:, 2:, 1:], logits[:, 2:, 1:])


def test_bug_zoo_13_sentences_do_not_mix():
    model = make_model()
    logits = model(SRC_IDS, TGT_IDS)
    for row in range(B):
        alone = model(SRC_IDS[row : row + 1], TGT_IDS[row : row + 1])
        assert_all_close(alone[0], logits[row])
    assert_all_close(model(SRC_IDS.flip(0), TGT_IDS.flip(0)), logits.flip(0))


@given(
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3),
    norm=st.sampled_from(["post", "pre"]),
    training=st.booleans(),
)
@settings(max_examples=20)
def test_property_a_batch_gives_what_its_sentences_give_alone(seed, lengths, norm, training):
    torch.manual_seed(seed)
    model = make_model(norm=norm).train(training)
    rows = [(torch.randint(1, V_SRC, (1, s)), torch.randint(1, V, (1, t))) for s, t in lengths]
    batch = [
        nn.utils.rnn.pad_sequence([row[side][0] for row in rows], batch_first=True)
        for side in (0, 1)
    ]
    logits = model(*batch)
    assert logits.shape == (*batch[1].shape, V)
    for index, (src_ids, tgt_ids) in enumerate(rows):
        assert_all_close(logits[index, : tgt_ids.shape[1]], model(src_ids, tgt_ids)[0])


def test_order_matters_on_both_sides():
    model = make_model()
    logits = model(SRC_IDS[1:], TGT_IDS[1:])
    assert not torch.allclose(model(SRC_IDS[1:].flip(1), TGT_IDS[1:]), logits)
    swapped = TGT_IDS[1:, [0, 2, 1, 3, 4, 5, 6]]
    assert not torch.allclose(model(SRC_IDS[1:], swapped)[:, 3:], logits[:, 3:])


# Masks by hand, weights ---------------------------------------------------------------------


def test_a_mask_that_is_passed_takes_the_place_of_the_derived_one():
    model = make_model()
    everything = torch.ones(1, 1, dtype=torch.bool)
    memory = model.encode(SRC_IDS, everything)
    assert not torch.allclose(memory, model.encode(SRC_IDS))
    derived = model.encode(SRC_IDS, padding_mask(SRC_IDS, 0))
    assert torch.equal(derived, model.encode(SRC_IDS))

    by_ids = model.decode(TGT_IDS, memory, SRC_IDS)
    by_mask = model.decode(TGT_IDS, memory, memory_mask=padding_mask(SRC_IDS, 0))
    assert torch.equal(by_ids, by_mask)
    assert not torch.allclose(model.decode(TGT_IDS, memory, memory_mask=everything), by_ids)
    assert not torch.allclose(model.decode(TGT_IDS, memory, SRC_IDS, tgt_mask=everything), by_ids)


@norms
@modes
def test_attention_weights_of_every_layer_and_head(training, norm):
    model = make_model(norm=norm, dropout=0.5 if training else 0.0).train(training)
    with torch.random.fork_rng():
        logits, weights = model(SRC_IDS, TGT_IDS, need_weights=True)
    if not training:
        assert_all_close(logits, model(SRC_IDS, TGT_IDS))
    assert isinstance(weights, AttentionWeights)
    assert [tuple(w.shape) for w in weights.encoder] == [(B, H, S, S)] * 2
    assert [tuple(w.shape) for w in weights.decoder] == [(B, H, T, T)] * 3
    assert [tuple(w.shape) for w in weights.cross] == [(B, H, T, S)] * 3
    for layer_weights in (*weights.encoder, *weights.decoder, *weights.cross):
        sums = layer_weights.sum(-1)
        assert_all_close(sums, torch.ones_like(sums))  # also in training: those before dropout
    for layer_weights in weights.decoder:
        assert not layer_weights.triu(1).any()
        assert not layer_weights[0, ..., 5:].any()
    for layer_weights in (*weights.encoder, *weights.cross):
        assert not layer_weights[0, ..., 3:].any()
        assert layer_weights[1].all()


def test_weights_of_encode_and_decode_alone():
    model = make_model()
    memory, seen = model.encode(SRC_IDS, need_weights=True)
    assert_all_close(memory, model.encode(SRC_IDS))
    assert (len(seen.encoder), seen.decoder, seen.cross) == (2, (), ())
    logits, seen = model.decode(TGT_IDS, memory, SRC_IDS, need_weights=True)
    assert_all_close(logits, model(SRC_IDS, TGT_IDS))
    assert (seen.encoder, len(seen.decoder), len(seen.cross)) == ((), 3, 3)


# Dropout and initialisation -----------------------------------------------------------------


def test_dropout_falls_on_sublayers_and_on_sums_of_embedding_and_position_only():
    model = Transformer(small(dropout=0.25, d_model=96)).double()
    for module in model.modules():
        if type(module).__name__ == "MultiHeadAttention":
            assert module.dropout == 0.0
        if type(module).__name__ == "Sublayer":
            assert module.dropout == 0.25
    seen = []
    for stack in (model.encoder, model.decoder):
        stack.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    ids = torch.randint(1, V_SRC, (23, 7))
    model(ids, ids)
    for x, table in zip(seen, (model.src_embedding, model.tgt_embedding), strict=True):
        whole = table(ids) + sinusoidal_positions(7, 96, dtype=torch.float64)
        kept = x != 0
        assert_all_close(x[kept], (whole / 0.75)[kept])
        assert kept.double().mean().item() == pytest.approx(0.75, abs=0.02)
    seen.clear()
    model.eval()
    logits = model(ids, ids)
    assert torch.equal(model(ids, ids), logits)
    assert_all_close(seen[1], model.tgt_embedding(ids) + model.tgt_positions(7))


@pytest.mark.parametrize("tie", ["none", "target", "all"])
def test_at_the_start_every_word_is_about_equally_likely(tie):
    torch.manual_seed(1)
    config = TransformerConfig.tiny(101, 101, tie=tie)
    ids = torch.randint(3, 101, (29, 11))
    with torch.no_grad():
        logits = Transformer(config)(ids, ids)
    assert logits.std().item() == pytest.approx(1.0, rel=0.25)


# Weight tying and counting ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tie", "matrices"), [("none", 3), ("target", 2), ("all", 1)], ids=["none", "target", "all"]
)
def test_tied_matrices_are_one_parameter_with_one_gradient(tie, matrices):
    model = Transformer(small(src_vocab_size=V, tie=tie) if tie == "all" else small(tie=tie))
    tables = (model.src_embedding.weight, model.tgt_embedding.weight, model.projection.weight)
    assert len({id(table) for table in tables}) == matrices
    assert model.projection.bias is None
    shared = sum(p.shape in {(V, D), (V_SRC, D)} for p in model.parameters())
    assert shared == matrices
    # Moves and copies keep them one.
    for moved in (copy.deepcopy(model), model.double(), model.half()):
        tables = (moved.src_embedding.weight, moved.tgt_embedding.weight, moved.projection.weight)
        assert len({id(table) for table in tables}) == matrices


def test_the_gradient_of_a_tied_matrix_is_the_sum_of_its_uses():
    tied, free = make_model(tie="all", src_vocab_size=V), make_model(tie="none", src_vocab_size=V)
    free.load_state_dict(tied.state_dict())
    for model in (tied, free):
        model(SRC_IDS, TGT_IDS).square().sum().backward()
    parts = (free.src_embedding, free.tgt_embedding, free.projection)
    assert_all_close(tied.projection.weight.grad, sum(part.weight.grad for part in parts), 1e-9)


def test_the_vectors_of_padding_are_zero_and_stay_so():
    model = Transformer(small(tie="none", pad_id=3))
    tables = (model.src_embedding.weight, model.tgt_embedding.weight)
    assert not any(table[3].any() for table in tables)
    model(SRC_IDS.where(SRC_IDS != 0, 3), TGT_IDS.where(TGT_IDS != 0, 3)).square().sum().backward()
    assert not any(table.grad[3].any() for table in tables)
    assert all(table.grad[5].any() for table in tables)


def number_by_formula(config):
    """Count the parameters from the sizes alone."""
    d, v_src, v = config.d_model, config.src_vocab_size, config.tgt_vocab_size
    attention = 4 * (d * d + d)
    feed_forward = 2 * d * config.d_ff + config.d_ff + d
    if config.activation == "swiglu":
        feed_forward += d * config.d_ff + config.d_ff
    norm = 2 * d
    encoder = config.num_encoder_layers * (attention + feed_forward + 2 * norm)
    decoder = config.num_decoder_layers * (2 * attention + feed_forward + 3 * norm)
    final = 2 * norm if config.norm == "pre" or config.final_norm else 0
    tables = {"none": v_src + 2 * v, "target": v_src + v, "all": v}[config.tie] * d
    positions = 2 * config.max_len * d if config.positions == "learned" else 0
    return encoder + decoder + final + tables + positions


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tie": "none", "norm": "pre"},
        {"tie": "all", "src_vocab_size": V, "final_norm": True},
        {"activation": "swiglu", "positions": "learned", "max_len": 23},
    ],
    ids=str,
)
def test_parameters_are_counted_once(changes):
    config = small(**changes)
    model = Transformer(config)
    assert model.num_parameters() == number_by_formula(config)


def test_base_has_the_papers_65_million_parameters():
    config = TransformerConfig.base(37_000, 37_000)
    with torch.device("meta"):
        model = Transformer(config)
    assert model.num_parameters() == number_by_formula(config) == 63_082_496


FLOPS = {
    "the paper's": {},
    "pre-norm, gated": {"norm": "pre", "activation": "swiglu"},
    "not causal, all tied": {"causal": False, "tie": "all", "src_vocab_size": V},
}


@pytest.mark.parametrize("changes", FLOPS.values(), ids=FLOPS.keys())
@pytest.mark.parametrize("sizes", [(B, S, T), (1, 3, 2), (3, 1, 1)], ids=str)
def test_flops_agree_exactly_with_pytorchs_counter(sizes, changes):
    batch_size, src_len, tgt_len = sizes
    model = Transformer(small(**changes))
    src_ids = torch.randint(1, V_SRC, (batch_size, src_len))
    tgt_ids = torch.randint(1, V, (batch_size, tgt_len))
    expected = model.flops(*sizes)
    assert expected == count_flops(model.config, *sizes)
    with FlopCounterMode(display=False) as counter:
        model(src_ids, tgt_ids, need_weights=True)
    assert counter.get_total_flops() == expected
    # The counter knows the fused kernels of a GPU, but not that of the CPU; PyTorch's own
    # spelled-out version of it is counted everywhere.
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        model(src_ids, tgt_ids)
    assert counter.get_total_flops() == expected


# The module ---------------------------------------------------------------------------------


def test_the_names_in_the_state_dict_are_stable():
    attention = [f"{w}.{kind}" for w in ("w_q", "w_k", "w_v", "w_o") for kind in ("weight", "bias")]
    network = [f"feed_forward.{w}.{kind}" for w in ("w_1", "w_2") for kind in ("weight", "bias")]
    norm = ["norm.weight", "norm.bias"]
    own = [f"self_attention.{name}" for name in attention]
    own += [f"self_attention_sublayer.{name}" for name in norm]
    cross = [f"cross_attention.{name}" for name in attention]
    cross += [f"cross_attention_sublayer.{name}" for name in norm]
    last = [*network, *(f"feed_forward_sublayer.{name}" for name in norm)]
    expected = ["src_embedding.weight", "tgt_embedding.weight"]
    expected += [f"encoder.layers.{i}.{name}" for i in range(2) for name in [*own, *last]]
    expected += [f"decoder.layers.{i}.{name}" for i in range(2) for name in [*own, *cross, *last]]
    expected += ["projection.weight"]
    for tie in ("none", "target", "all"):
        model = Transformer(TransformerConfig.tiny(13, 13, tie=tie))
        assert list(model.state_dict()) == expected
    pre = Transformer(TransformerConfig.tiny(13, 13, norm="pre", positions="learned"))
    assert sorted(set(pre.state_dict()) - set(expected)) == [
        "decoder.final_norm.bias",
        "decoder.final_norm.weight",
        "encoder.final_norm.bias",
        "encoder.final_norm.weight",
        "src_positions.weight",
        "tgt_positions.weight",
    ]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
@norms
def test_half_precision_and_autocast(norm, need_weights, dtype):
    model = Transformer(small(norm=norm))
    expected = model(SRC_IDS, TGT_IDS).float()
    with torch.autocast("cpu", dtype=dtype):
        logits = model(SRC_IDS, TGT_IDS, need_weights=need_weights)
    logits = logits[0] if need_weights else logits
    assert logits.dtype == dtype
    assert_all_close(logits.float(), expected, 0.1 if dtype == torch.bfloat16 else 0.02)
    logits.float().square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())
    half = model.to(dtype)(SRC_IDS, TGT_IDS, need_weights=need_weights)
    half = half[0] if need_weights else half
    assert half.dtype == dtype
    assert_all_close(half.float(), expected, 0.1 if dtype == torch.bfloat16 else 0.02)


def test_it_moves_between_devices_and_dtypes():
    model = make_model()
    on_meta = copy.deepcopy(model).to("meta")
    assert {tensor.device.type for tensor in on_meta.state_dict().values()} == {"meta"}
    assert on_meta.tgt_positions.table.device.type == "meta"
    back = model.float().double()
    assert_all_close(back.tgt_positions(T), sinusoidal_positions(T, D, dtype=torch.float64), 1e-15)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_it_runs_on_a_gpu():
    model = make_model()
    expected = model(SRC_IDS, TGT_IDS)
    logits = model.to("cuda")(SRC_IDS.cuda(), TGT_IDS.cuda())
    assert_all_close(logits.cpu(), expected)


@pytest.mark.parametrize("need_weights", [True, False], ids=["explicit", "fused"])
def test_compile_makes_one_graph(need_weights):
    norm = "pre" if need_weights else "post"
    model = make_model(norm=norm, num_encoder_layers=1, num_decoder_layers=1)
    expected = model(SRC_IDS, TGT_IDS)
    with as_a_reader():
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        output = compiled(SRC_IDS, TGT_IDS, need_weights=need_weights)
    logits = output[0] if need_weights else output
    assert_all_close(logits, expected)
    gradients = torch.autograd.grad(logits.square().sum(), list(model.parameters()))
    assert_all_close(gradients, torch.autograd.grad(expected.square().sum(), model.parameters()))
    torch.compiler.reset()


@norms
def test_export_makes_one_graph_for_any_batch_and_length(norm):
    model = make_model(norm=norm, num_encoder_layers=1, num_decoder_layers=1)
    batch, src, tgt = (torch.export.Dim(name, min=2, max=64) for name in ("batch", "src", "tgt"))
    with as_a_reader():
        program = torch.export.export(
            model,
            (SRC_IDS, TGT_IDS),
            dynamic_shapes={"src_ids": {0: batch, 1: src}, "tgt_ids": {0: batch, 1: tgt}},
        )
    exported = program.module()
    assert_all_close(exported(SRC_IDS, TGT_IDS), model(SRC_IDS, TGT_IDS))
    src_ids, tgt_ids = torch.randint(1, V_SRC, (3, 11)), torch.randint(1, V, (3, 4))
    assert_all_close(exported(src_ids, tgt_ids), model(src_ids, tgt_ids))


def test_it_learns_to_copy_with_one_table_for_both_languages():
    model = Transformer(TransformerConfig.tiny(11, 11, tie="all"))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(250):  # six seeds end between 0.03 and 0.14
        words = torch.randint(3, 11, (32, 4))
        tgt_ids = torch.cat([torch.ones(32, 1, dtype=torch.long), words], dim=1)
        loss = nn.functional.cross_entropy(
            model(words, tgt_ids[:, :-1]).flatten(0, 1), words.flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.5  # ln 8 = 2.1 without a look at the source


# Bad input ----------------------------------------------------------------------------------

IDS = "must be an int32 or int64 tensor; got"
BAD = {
    "ids in floats": (
        lambda model: model(SRC_IDS.float(), TGT_IDS),
        f"src_ids {IDS} torch.float32",
    ),
    "ids in a list": (lambda model: model(SRC_IDS, [[1, 2]]), f"tgt_ids {IDS} list"),
    "a sentence without a batch": (
        lambda model: model(SRC_IDS[0], TGT_IDS),
        "src_ids must have shape (B, T); got (5,)",
    ),
    "vectors for ids": (
        lambda model: model(SRC_IDS, TGT_IDS[:, :, None]),
        "tgt_ids must have shape (B, T); got (2, 7, 1)",
    ),
    "an empty batch": (
        lambda model: model(SRC_IDS[:0], TGT_IDS[:0]),
        "src_ids must hold at least one sentence of one id; got (0, 5)",
    ),
    "sources of length 0": (
        lambda model: model(SRC_IDS[:, :0], TGT_IDS),
        "src_ids must hold at least one sentence of one id; got (2, 0)",
    ),
    "targets of length 0": (
        lambda model: model(SRC_IDS, TGT_IDS[:, :0]),
        "tgt_ids must hold at least one sentence of one id; got (2, 0)",
    ),
    "an empty sentence": (
        lambda model: model(SRC_IDS * torch.tensor([[1], [0]]), TGT_IDS),
        "src_ids must hold a word in every row, not only padding (pad_id = 0); got none in row 1",
    ),
    "an empty target": (
        lambda model: model(SRC_IDS, TGT_IDS * torch.tensor([[0], [1]])),
        "tgt_ids must hold a word in every row, not only padding (pad_id = 0); got none in row 0",
    ),
    "a source id too large": (
        lambda model: model(SRC_IDS + 2, TGT_IDS),
        "ids must lie in 0..10 (vocab_size = 11); got 11",
    ),
    "a negative target id": (
        lambda model: model(SRC_IDS, TGT_IDS - 1),
        "ids must lie in 0..12 (vocab_size = 13); got -1",
    ),
    "fewer targets than sources": (
        lambda model: model(SRC_IDS, TGT_IDS[:1]),
        "memory must have shape (B, S, D) with B = 1, D = 12; got (2, 5, 12)",
    ),
    "a source mask of another length": (
        lambda model: model.encode(SRC_IDS, torch.ones(2, 1, 1, 7, dtype=torch.bool)),
        "mask must broadcast to (B, H, Tq, Tk) = (2, 3, 5, 5); got (2, 1, 1, 7)",
    ),
    "a float mask": (
        lambda model: model.encode(SRC_IDS, torch.zeros(5, 5)),
        "mask must be a bool tensor, True = may attend; got torch.float32"
        " (elsewhere a float mask is added to the scores, and a 1 may mean 'hide')",
    ),
    "a memory of another width": (
        lambda model: model.decode(TGT_IDS, torch.zeros(2, 5, 11).double(), SRC_IDS),
        "memory must have shape (B, S, D) with B = 2, D = 12; got (2, 5, 11)",
    ),
    "ids for a memory": (
        lambda model: model.decode(TGT_IDS, SRC_IDS, SRC_IDS),
        "memory must be a floating-point tensor; got torch.int64",
    ),
    "neither source ids nor a mask": (
        lambda model: model.decode(TGT_IDS, torch.zeros(2, 5, 12).double()),
        f"src_ids (needed where memory_mask is None) {IDS} NoneType",
    ),
    "source ids of another memory": (
        lambda model: model.decode(TGT_IDS, torch.zeros(2, 5, 12).double(), SRC_IDS[:, :3]),
        "src_ids must have shape (B, S) with B = 2, S = 5; got (2, 3)",
    ),
}


@pytest.mark.parametrize(("call", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_refused_and_leaves_the_model_as_it_was(refuses, call, message):
    model = make_model()
    before = copy.deepcopy(model.state_dict())
    refuses(lambda: call(model), message)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_a_sentence_too_long_for_learned_positions_is_refused(refuses):
    model = make_model(positions="learned", max_len=6)
    model(SRC_IDS, TGT_IDS[:, :6])
    refuses(
        lambda: model(SRC_IDS, TGT_IDS),
        "a sentence must have at most max_len = 6 tokens where positions are learned; got 7",
    )


def test_sinusoids_have_no_end():
    model = make_model(num_encoder_layers=1, num_decoder_layers=1)
    ids = torch.ones(1, 1100, dtype=torch.long)
    assert_all_close(
        model.src_positions(1100), sinusoidal_positions(1100, D, dtype=torch.float64), 1e-15
    )
    assert model(ids, ids[:, :3]).isfinite().all()


def test_unknown_sizes_for_flops_are_refused(refuses):
    refuses(
        lambda: Transformer(small()).flops(0, 5, 7),
        "batch_size must be a positive integer; got 0",
    )
    refuses(
        lambda: Transformer(small()).flops(2, 5, 7.0),
        "tgt_len must be a positive integer; got 7.0",
    )
    refuses(
        lambda: Transformer(small()).flops(2, -5, 7),
        "src_len must be a positive integer; got -5",
    )


shapes = st.lists(st.integers(0, 4), max_size=3)
kinds = st.sampled_from([torch.int64, torch.int32, torch.float32, torch.bool, torch.int16])


@given(src=shapes, tgt=shapes, low=st.integers(-2, 3), kind=kinds)
@settings(max_examples=100)
def test_property_any_input_gives_logits_or_a_value_error(src, tgt, low, kind):
    model = Transformer(small(num_encoder_layers=1, num_decoder_layers=1))
    src_ids, tgt_ids = (torch.randint(low, low + 9, shape).to(kind) for shape in (src, tgt))
    with as_a_reader():
        try:
            logits = model(src_ids, tgt_ids)
        except ValueError:
            return
    assert logits.shape == (*tgt, V)
    assert logits.isfinite().all()
