"""The chapters' figures: drawn from what they are given, fit for a phone, ready for translation.

``EXAMPLES`` holds a call of each figure; a figure without one fails a test.
"""

import importlib
import inspect
import pkgutil
import re
from xml.etree import ElementTree as ET

import nbformat
import pytest
import torch

from attnsteps import Transformer, TransformerConfig, figures, sinusoidal_positions
from attnsteps.analysis.memory import TrainingBytes
from attnsteps.corpora.generated.corpus import generated
from attnsteps.diagrams import Drawing
from attnsteps.diagrams.drawing import NARROWEST, WIDEST
from attnsteps.figures import attention, catalogue
from attnsteps.figures import decoder as across
from attnsteps.figures import decoding as choices
from attnsteps.figures import embedding as rows
from attnsteps.figures import encoder as hops
from attnsteps.figures import family as members
from attnsteps.figures import feed_forward as folds
from attnsteps.figures import inside as within
from attnsteps.figures import masks as hiding
from attnsteps.figures import multi_head as several
from attnsteps.figures import non_autoregressive as at_once
from attnsteps.figures import positional as places
from attnsteps.figures import query_key_value as qkv
from attnsteps.figures import residual_and_norm as sums
from attnsteps.figures import scale as costs
from attnsteps.figures import scaling as roots
from attnsteps.figures import sequence_to_sequence as outside
from attnsteps.figures import since_2017 as changes
from attnsteps.figures import softmax as shares
from attnsteps.figures import text as cuts
from attnsteps.figures import training as lessons
from attnsteps.figures import transformer as whole
from attnsteps.figures import your_own_sentence as own
from attnsteps.figures.shared import listed
from attnsteps.running_example import (
    ANIMAL,
    CROSS,
    SENTENCE,
    STREET,
    TIRED,
    TOO,
    TWIN,
    WIDE,
)
from attnsteps.toy import toy_projections, toy_vectors
from tests.browser import ROOT

THREE = (ANIMAL, STREET, TIRED)
FOUR = (ANIMAL, STREET, TOO, TIRED)
W_Q, W_K, W_V = toy_projections()
X, ALL = toy_vectors(THREE), toy_vectors()
WEIGHTS = (ALL @ W_Q @ (ALL @ W_K).T / 2).softmax(-1)
SWAP, TABLE = [3, 1, 2, 0], sinusoidal_positions(5, 64, dtype=torch.float64)
LOOKS = (toy_vectors((TIRED, WIDE)) @ W_Q @ (ALL @ W_K).T / 2).softmax(-1)
SHARED = WEIGHTS[:3, :4]
TOKENS = [one.zh for one in SENTENCE]
MEANINGS = {one.zh: one.gloss for one in SENTENCE}.get
IDS = list(range(5, 5 + len(TOKENS)))
UNITS = (
    torch.tensor([[1.0, 0], [0, 1], [1, 1]]),
    torch.tensor([-1.0, -1]),
    torch.tensor([[0.0, 2, -1], [1, 0, 0]]),
    torch.zeros(3),
)
WORDS = torch.tensor([[1.0, 0, 1], [0, 1, 0], [1, 1, 1]])
CHANCES = torch.tensor([[0.34, 0.26, 0.4], [0.05, 0.05, 0.9], [0.5, 0.4, 0.1]])
MODEL_AXES = ("thing", "alive", "flat", "describes")
NAMES, AXES = ("tired", "street", "both"), ("alive", "flat", "describes")
SCORES = torch.tensor([4.0, 2.0, 2.0])
PAIR = ("wide", "street", "(pad)")
SHARES = torch.tensor([[0.2, 0.7, 0.1], [0.3, 0.6, 0.1], [0.4, 0.4, 0.2]])
CAUSAL = torch.ones(3, 3, dtype=torch.bool).tril()
REAL = torch.tensor([[True, True, False]])
CROSSING = toy_vectors((ANIMAL, CROSS, STREET))
TWO_Q, TWO_K, TWO_V = W_Q[:, [1, 1, 2, 2]], W_K[:, [0, 1, 0, 2]], W_V[:, [0, 1, 0, 1]]
STREAMS = torch.tensor([[2.0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]])
MB = 10**6
CIRCLE = ((4, 1, 2, 6, 5, 3), (2, 6, 5, 1, 3, 4))
EXAMPLES = {
    changes.two_blocks: tuple,
    changes.arrows_that_turn_on: lambda: ({"α": 1, "β": 8}, torch.eye(2), 0.1, (0, 5, 500)),
    changes.shared_keys: lambda: ((8, 2, 1), 8),
    changes.a_running_softmax: lambda: (
        [{"α": 2, "β": 0}, {"γ": 4}],
        [(2, 1.135, X[0, :2]), (4, 0.154, X[0, :2]), (4, 1, X[1, :2]), (4, 1.154, X[1, :2])],
        ("α", "β"),
    ),
    changes.a_gate: lambda: (
        NAMES,
        {"degree": X[:, 0], "strength": X[:, 1]},
        {"product": X[:, 2], "silu": X[:, 3]},
    ),
    changes.neighbours_or_halves: lambda: (("α", "α′", "β", "β′"), (0, 2, 1, 3)),
    changes.when_moved: lambda: (
        {name: {0: [0.7, 0.8], 5: [share, 0.8]} for name, share in {"α": 0.7, "δ": 0.1}.items()},
        (0, 100),
    ),
    changes.step_parts: lambda: (
        {n: {"bytes": [1, 0.4], "time": [1, 0.6]} for n in (1, 16)},
        (32, 8),
    ),
    changes.at_each_rate: lambda: (
        {
            name: {0.008: [0.7, 0.8], 0.032: [share, 0.8]}
            for name, share in {"α": 0.7, "δ": 0}.items()
        },
        (0, 100),
    ),
    outside.what_it_means: lambda: (
        generated(1).pronouns[:2],
        {"累": "tired", "宽": "wide", "动物": "animal", "马路": "street"},
    ),
    outside.encoder_and_decoder: lambda: (
        (["α", "累"], [7, 8], {"累": "tired"}),
        X[:2, :5],
        ["<bos>", "β", "γ", "δ"],
        {"ε": 2.5, "ζ": 1.0},
        293,
    ),
    outside.one_vector_for_all: lambda: (TOKENS[:5], {"累": "tired"}),
    outside.squeezed_into_one: lambda: (
        NAMES[:2],
        torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1]]),
        torch.tensor([[1.0, 1, 1, 1], [-1, -1, -1, 1]]),
    ),
    outside.attention_by_hand: lambda: (*2 * [torch.eye(4)[:3]], NAMES[:3]),
    outside.who_asks_whom: lambda: (TOKENS[:5], ["α", "β", "γ"], "δ"),
    outside.words_ask_words: lambda: (
        ["α", "β"],
        torch.eye(3),
        {"γ": torch.ones(3), "δ": torch.eye(3)[0]},
    ),
    outside.mixed_memories: lambda: (
        [
            (["α … γ", "α … γ", "α … γ"], "it"),
            (["β … γ", "α … γ", "α … δ"], "she"),
            (["α … γ", "α … γ", "β … δ"], "it"),
        ],
        {0: "α", 2: "β"},
    ),
    outside.readers_of_lists: lambda: (
        {
            name: [{"steps": [100, 800], "names": [1, 8], "right": [[1.0, 0.2], [1.0, r / 4]]}]
            for r, name in enumerate(("α", "β", "γ", "δ"))
        },
        list("αβγδ"),
        (100, 800),
        [1.0, 0.4],
    ),
    outside.three_ways: lambda: (5, 3, "α", "β"),
    cuts.text_to_rectangle: lambda: (
        "".join(TOKENS),
        [TOKENS, TOKENS[:3]],
        [IDS, IDS[:3]],
        MEANINGS,
    ),
    cuts.same_ids: lambda: (("spider", "fly"), [TOKENS[:4]] * 2, [[3, 6, 7, 8]] * 2, 3, MEANINGS),
    cuts.comparisons_to_scale: lambda: (4, 12),
    cuts.word_from_letters: lambda: ("νεροό", [("ε", "ρ"), ("ν", "ερ")]),
    cuts.after_merges: lambda: (
        {0: list("动物"), 1: ["动物"]},
        MEANINGS,
        ["动", " 物"],
    ),
    cuts.characters_and_bytes: lambda: ({"т": "a letter", "累": "tired", "太": "too"},),
    cuts.what_lists_miss: lambda: (
        [("all English words", 5, "1.0 to 2.0", 3.0), ("pieces of both", 3, "0", 4.0)],
    ),
    cuts.special_tokens: lambda: (
        ["<bos>", "α", "β", "<pad>"],
        ["α", "β", "<eos>", "<pad>"],
        [*TOKENS[:2], "<pad>"],
        MEANINGS,
    ),
    cuts.words_change_places: lambda: (TOKENS[:3], ["α", "β"], [(0, 1), (1, 0)], MEANINGS),
    rows.one_hot_lifts_a_row: lambda: (X[:, :3], ["α", "β", "γ"], ["κ", "λ", "μ"], 1),
    rows.several_look_ups: lambda: (X[:, :3], ["α", "β", "γ"], [0, 2, 0]),
    rows.which_words_occur_near: lambda: (SHARED, ["α", "β", "γ"], ["κ", "λ", "μ", "ν"]),
    rows.rows_as_arrows: lambda: (SHARED[:, :2] + 0.1, ["α", "β", "γ"], ("κ", "λ")),
    rows.loss_of_a_guess: lambda: (0.3, [0.1, 0.3]),
    rows.pushes_in_a_plane: lambda: (
        torch.tensor([[1.0, 0], [0, 1], [-1, 0]]),
        ["κ", "λ", "μ"],
        torch.tensor([[0.4, -0.1, -0.3], [-0.2, 0.4, -0.2]]),
        ["α", "β"],
        torch.tensor([0.2, -0.1, -0.1]),
    ),
    rows.nearest_in_each_run: lambda: ([["α"] * 8, ["β"] * 8], ["γ", "δ"]),
    qkv.one_adjective_two_nouns: lambda: (SENTENCE, TWIN),
    qkv.words_as_vectors: lambda: (X, THREE),
    qkv.comparing_finds_the_wrong_one: lambda: (toy_vectors(FOUR), FOUR),
    qkv.a_row_times_a_matrix: lambda: (X[2], W_Q, "q"),
    qkv.first_three_steps: lambda: (THREE, X[2] @ W_Q, X @ W_K),
    qkv.last_three_steps: lambda: (THREE, X @ W_K @ (X[2] @ W_Q) / 2, X @ W_V),
    qkv.where_two_look: lambda: (LOOKS, (TIRED, WIDE), SENTENCE, 6),
    qkv.whole_of_attention: lambda: (X, W_Q, W_K, W_V),
    qkv.what_becomes_of_the_context: lambda: (TIRED, X[2], X[2, 2:4], W_V.T),
    qkv.one_matrix_for_both: lambda: (
        X[::2],
        W_Q,
        W_K,
        W_K,
        (ANIMAL, TIRED),
    ),
    qkv.what_training_finds: lambda: (
        WEIGHTS[:5, :2],
        WEIGHTS[:5, :2],
        torch.arange(20.0).view(5, 4) - 9.5,
        ((TIRED, ANIMAL), (WIDE, STREET)),
    ),
    qkv.right_and_three_wrong: lambda: (WEIGHTS, 3 * (WEIGHTS.T,), SENTENCE, 6),
    hiding.the_leak: lambda: (["<bos>", "α", "β"], ["α", "β"]),
    hiding.where_it_looks: lambda: (WEIGHTS, [3, 1, 5, 2, 6, 4, 4, 2, 6]),
    hiding.staircase: lambda: (["<bos>", "α", "β"], ["α", "β", "γ"]),
    hiding.four_ways: lambda: (WEIGHTS[:4],),
    hiding.three_masks: lambda: (torch.arange(4) < 3, torch.arange(5) < 4),
    hiding.which_test_finds_what: lambda: (torch.arange(24).view(6, 4) % 5 < 2,),
    places.swapped_words_give_swapped_rows: lambda: (
        WEIGHTS[:4, :2],
        WEIGHTS[SWAP, :2],
        SENTENCE[:4],
        SWAP,
        2,
    ),
    places.two_clock_hands: lambda: (TABLE[:5, :4], (4, 100)),
    places.where_the_positions_come_in: lambda: (),
    places.word_plus_place: lambda: (TABLE[1], TABLE[2], (ALL[2], TABLE[2]), SENTENCE[2]),
    places.a_step_turns_every_hand: lambda: (torch.tensor([1.0, 0.05, 0.002]), (1, 31), 2),
    places.what_was_crossed: lambda: (
        3 * TABLE[3] @ TABLE[:4].T,
        torch.stack([ALL[:4], ALL[SWAP]]) @ W_V,
        (SENTENCE[:4], [SENTENCE[i] for i in SWAP]),
    ),
    folds.a_sum_and_a_fold: lambda: (torch.tensor([1.0, 1, -1]),),
    folds.no_line_but_a_fold: lambda: (((0.4, -0.25), (1.25, 0.45)),),
    folds.through_two_units: lambda: (WORDS[0], UNITS, AXES),
    folds.up_relu_down: lambda: (WORDS, UNITS, NAMES, AXES),
    folds.with_and_without_relu: lambda: (WORDS, WORDS - 1, NAMES, AXES),
    folds.same_network_everywhere: lambda: (WORDS, UNITS[0][:, :2], WORDS, THREE),
    folds.keys_that_never_change: lambda: (WORDS[0], UNITS, AXES),
    sums.how_alike: lambda: (
        {"below": torch.eye(3, dtype=torch.float64), "above": SHARES @ SHARES.T},
        THREE,
    ),
    sums.without_and_with_a_road: lambda: (X[2], X[0], "tired"),
    sums.unrelated_vectors_add_up: lambda: (
        torch.tensor([1.0, 1, -1, -1]),
        torch.tensor([1.0, -1, 1, -1]),
    ),
    sums.layer_norm_by_hand: lambda: (X[0],),
    sums.whose_mean: lambda: (toy_vectors(FOUR), ("α", "β", "γ", "δ")),
    sums.two_roads: lambda: (),
    sums.gradient_in_each_layer: lambda: (
        torch.tensor([[2.0, 2.2], [2.1, 2.4], [1.9, 2.5]]),
        torch.tensor([[2.0, 2.2], [1.5, 1.4], [1.0, 1.1]]),
    ),
    sums.where_training_breaks: lambda: (
        (0.002, 0.004, 0.008),
        {
            "post-norm": (
                torch.tensor([[1.0, 0.99], [0.4, 0.5], [0.1, 0.1]]),
                torch.tensor([[1.0, 0.99], [1.0, 1.0], [0.98, 0.99]]),
            ),
            "pre-norm": (torch.ones(3, 2), torch.ones(3, 2)),
        },
        (0.06, 0.23),
    ),
    shares.two_ideas_that_fail: lambda: (
        [SCORES, torch.tensor([-1.0, 0, 2]), torch.tensor([-2.0, 0, 2])],
        [SCORES, SCORES + 1],
        NAMES,
    ),
    shares.from_scores_to_weights: lambda: (SCORES, NAMES),
    shares.from_arg_max_to_equal_shares: lambda: (SCORES, (0.5, 1, 10), NAMES),
    shares.the_same_curve_in_three_places: lambda: (4, 2, 1000, NAMES[:2]),
    lessons.two_sentences_shifted: lambda: (
        [["<bos>", "α", "β"], ["<bos>", "α", "<pad>"]],
        [["α", "β", "<eos>"], ["α", "<eos>", "<pad>"]],
    ),
    lessons.the_grid_of_questions: lambda: (["<bos>", "α", "β"], ["α", "β", "<eos>"]),
    lessons.what_it_got_and_should_get: lambda: (SHARES[0], torch.tensor([0.0, 0.9, 0.1]), NAMES),
    lessons.the_losses_of_the_batch: lambda: (
        SHARED[:2, :3],
        [["α", "β", "<eos>"], ["α", "<eos>", "<pad>"]],
    ),
    lessons.one_step_of_training: lambda: (64, 148_032),
    lessons.two_schedules: lambda: (
        {"the paper's": [(n, 1 / n) for n in range(1, 9)], "straight line": [(1, 1.0), (8, 0.0)]},
        1.0,
    ),
    lessons.a_run_and_five_others: lambda: (
        [0.001, 0.004, 0.002, 0.001],
        [(1, 6.0), (4, 1.0)],
        {"loss": [3.0, 1.0], "right": [0.0, 0.8]},
        [{"loss": [3.1, 1.1], "right": [0.0, 0.9]}],
        0.9,
    ),
    lessons.one_head_at_three_moments: lambda: (
        {0: SHARED, 300: SHARED, 1500: SHARED},
        TOKENS[:4],
        ("α", "β", "<eos>"),
    ),
    lessons.a_target_that_is_not_shifted: lambda: (["α", "β", "<eos>"],),
    lessons.dropout_on_and_off: lambda: (X[0], [X[0], X[0]]),
    choices.the_loop_of_decoding: tuple,
    choices.word_by_word: lambda: ([("αβγ", CHANCES[0])],),
    choices.a_tree_that_is_pruned: lambda: (CHANCES[2], CHANCES[:2], ("A", "B", "end")),
    choices.from_an_index_to_its_parent: lambda: (CHANCES[:2], ("A", "B", "end")),
    choices.a_beam_word_by_word: lambda: (
        [
            [("a b", 0.4), ("c b", 0.1)],
            [("a b <eos>", 0.2), ("a b c", 0.1)],
            [("a b <eos>", 0.2), ("a b c <eos>", 0.1)],
        ],
    ),
    choices.runs_that_are_shared: lambda: (
        ("the animal was too wide",),
        "the animal was too tired",
    ),
    choices.right_and_wrong: lambda: (
        {160: {"greedy": (65, 221, 714), "beam": (80, 0, 920)}},
        {160: (0.7, -1.4, 9.8)},
        {160: 3},
    ),
    choices.words_that_may_follow: lambda: (
        {"top-p, 0.9": torch.tensor([0.656, 0.344, 0.0])},
        ("have", "must", "others"),
    ),
    choices.the_cache_as_it_fills: lambda: (*3 * [WEIGHTS[:3, :3]], NAMES),
    choices.rows_change_places: lambda: (
        [
            [("it", 0.72), ("she", 0.01)],
            [("it is", 0.7), ("it was", 0.01)],
            [("it was hot", 0.7), ("it is hot", 0.01)],
        ],
    ),
    choices.a_slip_with_a_teacher_and_without: lambda: ("a b c", "a c c", "a c d " + 12 * "e "),
    at_once.which_choices_each_word_knows: tuple,
    at_once.all_words_in_one_step: tuple,
    at_once.words_that_each_word_brings: lambda: (X[0, :3], TOKENS[:3]),
    at_once.in_turn_and_both_at_once: lambda: (
        torch.eye(2) / 2,
        torch.full((2, 2), 0.25),
        ("α", "β"),
        ("γ", "δ"),
    ),
    at_once.woven_from_two: lambda: ((("α", "β", "γ"), ("β", "γ", "α")), ("α", "γ")),
    at_once.pass_by_pass: lambda: (
        [(("α", "β"), (True, True), (0.5, 0.25)), (("α", "γ"), (False, True), (0.5, 0.99))],
    ),
    at_once.from_the_corpus_to_the_student: lambda: (
        "晚上爷爷看见卡片",
        [("α", "β", "γ"), ("β", "γ", "α")],
        ("β", "γ", "α"),
    ),
    at_once.waits_and_works: lambda: ([("α", 7, 1, [100]), ("β\nγ", 1, 7, [5, 22])],),
    at_once.the_length_between: lambda: (
        [("α", "β"), ("β", "γ", "α", "δ")],
        ("α", "β", "β"),
    ),
    within.twins_that_differ_in_one_word: tuple,
    within.three_ways_to_meet: tuple,
    within.a_swap: tuple,
    within.two_steps_to_the_pronoun: tuple,
    within.what_the_girl_gets: lambda: (
        {"nothing": ("she", "it"), "layer 1 of “they ate”": ("they", "they")},
    ),
    within.where_a_head_looks: lambda: (
        ["女孩\ngirl", "困\nsleepy"],
        ["she", "it"],
        CHANCES[:2, :2],
    ),
    within.how_often_each_head_prefers_the_right: lambda: (
        {
            part: torch.tensor([[0.5, 1.0, 0.0, 0.99]] * 2)
            for part in ("encoder", "decoder", "cross")
        },
    ),
    within.in_five_models: lambda: (
        {"nothing": [(7.11, 1.0)] * 5, "two other words": [(-0.04, 0.5)] * 5},
    ),
    shares.a_nudge_moves_every_weight: lambda: (SCORES.softmax(-1), SCORES.softmax(-1), NAMES),
    shares.nine_slopes: lambda: (torch.eye(3), SCORES.softmax(-1).round(decimals=1)),
    shares.softmax_listens_where_it_is_undecided: lambda: (0.99,),
    shares.not_a_candidate: lambda: (SCORES, NAMES),
    shares.one_nan_spoils_every_value: lambda: (SCORES.softmax(-1), NAMES),
    shares.which_fits_best_and_not_how_well: lambda: ([SCORES, SCORES - 8], NAMES),
    roots.before_it_has_learned: lambda: (WEIGHTS[0], WEIGHTS[1], SENTENCE),
    roots.all_dot_products: lambda: (torch.tensor([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]),),
    roots.one_softmax_four_widths: lambda: (
        {"width 4": ALL @ ALL.T, "width 64": 9 * ALL @ ALL.T},
        6,
        SENTENCE,
    ),
    roots.rates_that_work: lambda: (
        {
            "not divided": {16: torch.tensor([False, True]), 256: torch.tensor([False, False])},
            "divided by √d_k": {16: torch.tensor([False, True]), 256: torch.tensor([True, True])},
        },
        torch.tensor([0.03, 3162]),
    ),
    attention.one_table_for_each_sentence: lambda: (torch.stack([SHARES] * 2), [PAIR, PAIR]),
    attention.what_company_does: lambda: ([0.9, 0.3], [0, 98], "wide"),
    attention.two_masks_together: lambda: (REAL, CAUSAL, PAIR),
    attention.one_nan_spoils_the_next_layer: lambda: (
        torch.tensor([0, 0.25, 0.75]),
        torch.tensor([[torch.nan, torch.nan], [0, 0], [0, 1]]),
        PAIR,
    ),
    attention.before_and_after_dropout: lambda: (SHARES, SHARES * CAUSAL / 0.9, PAIR),
    attention.line_by_line: lambda: (X @ W_Q, X @ W_K, X @ W_V, CAUSAL & REAL, PAIR),
    attention.one_table_to_scale: lambda: ((512, 1024, 2048),),
    several.one_word_two_questions: lambda: (SENTENCE,),
    several.one_sum_two_scenes: lambda: (
        [(("animal", "street"), torch.eye(2).double())],
        torch.tensor([0.8, 0.2]),
        ("furry", "paved"),
    ),
    several.cut_in_two: lambda: (
        CROSSING,
        (TWO_Q, TWO_K, TWO_V),
        (ANIMAL, CROSS, STREET),
        ("thing", "verb", "before", "after", "furry", "paved"),
    ),
    several.two_heads_by_hand: lambda: (
        CROSSING[1] @ TWO_Q,
        CROSSING @ TWO_K,
        CROSSING @ TWO_V,
        (ANIMAL, CROSS, STREET),
        1,
    ),
    several.split_attend_merge: lambda: (
        (CROSSING @ TWO_Q, CROSSING @ TWO_K, CROSSING @ TWO_V),
        torch.tensor([0.5, 0, 0, 0.5]).double(),
        (ANIMAL, CROSS, STREET),
        1,
    ),
    several.memory_before_and_after: lambda: (
        {"merged, after a copy": range(12)},
        torch.arange(12).view(2, 3, 2),
        4,
    ),
    several.where_the_verb_looks: lambda: (
        WEIGHTS[:2, :2],
        [("street", 0.5), ("(state)", 0.25)],
        ("L1 H1", "L1 H2"),
        ("animal", "street"),
    ),
    several.exchanged_nouns: lambda: (
        torch.tensor([[31, 60, 55, 66], [30, 13, 1, 13], [49, 37, 54, 31]]),
        ("L1 H1", "L1 H2", "L2 H1", "L2 H2"),
        110,
        2,
    ),
    several.right_cut_and_wrong_cut: lambda: (torch.arange(16).view(4, 4),),
    across.what_each_side_tells: lambda: (("α", "β"), SENTENCE[4:]),
    across.who_may_attend: lambda: (("α", "β", "γ"), THREE, CAUSAL),
    across.across_by_hand: lambda: (
        torch.tensor([2.0, 0, 2, 0], dtype=torch.float64),
        X @ W_K,
        X[:, 1:3],
        THREE,
        "α",
    ),
    across.one_layer: lambda: (),
    across.where_the_translator_looks: lambda: (
        WEIGHTS[:3],
        ("α", "β", "γ", "δ"),
        TOKENS,
        ["κ"] * 8,
        [0, 2],
    ),
    across.six_layers_one_memory: lambda: (torch.arange(24.0).view(6, 4),),
    whole.from_vector_to_word: lambda: (X[:1, :2], X[:, 1:3], ["α", "β", "γ"], "β"),
    whole.figure_1: lambda: (Transformer(TransformerConfig.tiny(11, 13)), 3, 5, 7),
    whole.parameters_and_operations: lambda: ([3.0, 0, 4, 3], [19.0, 0.3, 47, 33.7]),
    whole.one_softmax_or_two: lambda: ({"α": SCORES, "β": 9 * SCORES}, ["κ", "λ", "μ"]),
    own.two_translators: lambda: (
        [
            ("我爱你.", "I love you", "i english", "I love you."),
            ("累了.", "tired", "tired", "Tired."),
        ],
    ),
    own.what_a_leak_is_worth: lambda: ([12.0, 13.5], [4.0, 5.5], 300),
    own.cut_into_pieces: lambda: ([("I study in Berlin", ["æĪĳåľ¨", "æŁ", "ı", "æŀĹ"])],),
    own.more_pairs_and_a_larger_model: lambda: (
        {100: [0.5, 0.7], 300: [3.0], 1000: [9.0]},
        {"everyday's layers": (1000, 15.0), "everyday": (1000, 21.0)},
        300,
    ),
    own.redrawn_scores: lambda: ([24.2, 25.1, 25.4, 26.0, 26.2, 28.7], 24.5, 28.5),
    own.names_in_pieces: lambda: (
        [
            own.NameInPieces(
                *("Nanjing", "Kyoto", ["åį", "Ĺ", "äº¬"], [190, 331, 25]),
                *(["äº¬"], [("京", "京都 (Kyoto)", 24, 25)]),
            )
        ],
    ),
    own.verdicts_by_kind: lambda: (
        [
            own.Verdicts(
                "questions", 5, 1, 4, "✓", "谁把窗户打开了？", "", "Who opened the window?"
            ),
            own.Verdicts("names", 0, 2, 8, "✗", "小王", "Xiao Wang", "The king."),
        ],
    ),
    own.places_by_pairs: lambda: (
        {"right, with copies": [9, 160], "right, no copies": [4, 61], "wrong": [0, 0, 0, 1, 7]},
    ),
    own.the_least_sure_piece: lambda: (
        {"right": [0.4, 0.95], "only just": [0.3], "wrong": [0.05, 0.2, 0.43]},
    ),
    hops.two_hops: lambda: (SENTENCE,),
    hops.one_encoder_layer: lambda: (
        STREAMS,
        [torch.eye(3)[[2, 0, 1]], STREAMS[[2, 0, 1]], torch.eye(3, 2), STREAMS / 2],
        (ANIMAL, CROSS, TIRED),
        ("thing", "deed", "tired", "hungry"),
    ),
    hops.two_rounds: lambda: (
        [([STREAMS, STREAMS - 0.58, STREAMS + 0.54], [torch.eye(3)[[2, 0, 1]]] * 2)],
        (1,),
        (ANIMAL, CROSS, TIRED),
        ("thing", "deed", "tired", "hungry"),
    ),
    hops.a_stack: lambda: ([torch.linspace(-1, 1, 5)] * 3,),
    hops.six_children: lambda: (
        *CIRCLE,
        ("green", "blue", "orange", "blue", "pink", "green"),
        (4, 2, 5),
    ),
    hops.where_two_layers_look: lambda: (
        torch.eye(6)[[1, 2, 3, 4, 5, 0]],
        torch.eye(6)[[4, 0, 1, 2, 5, 3]],
        *CIRCLE,
    ),
    hops.three_plans: lambda: ((4, 2, 5), (2, 5, 3)),
    costs.one_small_layer: lambda: (
        torch.tensor([[1.0, 2], [0, 1], [3, 0]]),
        torch.tensor([[1.0, 0], [2, 1]]),
        torch.tensor([[4.0, 4], [3, 3]]),
        (torch.tensor([[0.4, 0.4], [0.3, 0.3]]), torch.tensor([[0.32, 0.32], [0.18, 0.18]])),
    ),
    costs.what_a_token_leaves: lambda: (512, 2048),
    costs.memory_against_the_batch: lambda: (
        {
            n: TrainingBytes(252 * MB, 252 * MB, 505 * MB, 0, 16 * n * MB, n * MB, 9 * n * MB)
            for n in (1, 833)
        },
    ),
    costs.three_micro_batches: lambda: ({"tired": 13, "wide": 13, "girl": 8},),
    costs.number_formats: lambda: (
        {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16},
    ),
    costs.ways_to_fit: lambda: (
        {
            "as it is": TrainingBytes(
                252 * MB, 252 * MB, 505 * MB, 0, 13_000 * MB, 900 * MB, 7400 * MB
            ),
            "16 bits": TrainingBytes(
                252 * MB, 252 * MB, 505 * MB, 126 * MB, 9000 * MB, 400 * MB, 7400 * MB
            ),
        },
        12_000 * MB,
    ),
    costs.losses_in_two_formats: lambda: (
        {"float32": [1.85, 1.78, 1.76, 1.76, 1.98], "bfloat16": [1.85, 1.77, 1.79, 1.76, 2.0]},
    ),
    costs.error_against_the_factor: lambda: (
        {2.0**n: 110 / (n + 7) if n < 30 else float("nan") for n in range(-6, 34, 3)},
        20.0,
    ),
    costs.roofline: lambda: (
        {1: (0.5, 13e9), 4: (2, 16e9), 16: (8, 43e9), 64: (29, 70e9), 256: (84, 81e9)},
        32e9,
        93e9,
    ),
    costs.a_ring_adds_up: lambda: (
        [[1, 2, 3], [10, 20, 30], [100, 200, 300]],
        ("tired", "wide", "girl"),
    ),
    members.who_hears_of_a_change: lambda: (
        {"full": {1: [1, 1, 1], 2: [1, 1, 1]}, "causal": {1: [0, 1, 1], 2: [0, 0, 1]}},
    ),
    members.four_members: lambda: (
        ("the", "street", "was", "too", "wide"),
        torch.ones(6, 6).tril().bool(),
        torch.ones(6, 6).tril().bool() | (torch.arange(6) < 4),
        torch.ones(6, 6).tril().bool() | (torch.arange(6) < 3),
        (2, 5),
    ),
    members.one_format: lambda: (
        {"translate": (("学生", "累", "<bos>"), ("the", "student", "is", "tired", "<eos>"))},
    ),
    members.translators: lambda: (
        {
            "encoder–decoder": [0.99, 0.98, 0.97, 0.985, 0.99],
            "one stack, prefix": [0.98, 0.97, 0.96, 0.985, 0.99],
        },
    ),
    members.known_and_new: lambda: (
        {
            "labelled adjectives": {"from scratch": [0.67, 0.85], "pre-trained": [0.9, 1]},
            "new adjectives": {"from scratch": [0.5, 0.5], "pre-trained": [0.78, 0.79]},
        },
        0.5,
    ),
    members.cut_into_patches: lambda: (
        torch.arange(64).view(8, 8) / 63,
        torch.arange(64).view(16, 4) / 63,
        4,
    ),
    members.the_nearest_entry: lambda: (
        torch.tensor([0.3, 0.8, 0.8, 0.9]),
        torch.tensor([[0.0, 0, 0, 0], [0.2, 0.4, 0.8, 0.9], [1, 1, 0, 0]]),
        (0, 9, 12),
    ),
    members.in_codes: lambda: (torch.rand(6, 8, 8), torch.rand(6, 8, 8), range(6)),
    members.written_and_nearest: lambda: (torch.rand(10, 8, 8), torch.rand(10, 8, 8), range(10)),
}
CHAPTERS = [
    importlib.import_module(f"attnsteps.figures.{module.name}")
    for module in pkgutil.iter_modules(figures.__path__)
    if module.name not in ("catalogue", "shared")
]


def in_order(module) -> list:
    """List the figures of a chapter as they lie in its module."""
    own = [
        one
        for name, one in inspect.getmembers(module, inspect.isfunction)
        if one.__module__ == module.__name__ and not name.startswith("_")
    ]
    return sorted(own, key=lambda one: one.__code__.co_firstlineno)


def svgs(drawing: Drawing) -> list[ET.Element]:
    """Parse the arrangements of a drawing: wide, then tall."""
    return [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", drawing._repr_html_())]


@pytest.fixture(params=EXAMPLES, ids=lambda figure: figure.__name__)
def figure(request):
    return request.param(*EXAMPLES[request.param]())


def test_every_figure_has_an_example_here():
    assert {one for module in CHAPTERS for one in in_order(module)} == set(EXAMPLES)


@pytest.mark.parametrize("module", CHAPTERS, ids=lambda module: module.__name__)
def test_figures_lie_in_the_order_of_the_page_and_are_shown_by_one_line(module):
    stem = module.__name__.rpartition(".")[2]
    (path,) = (ROOT / "book").glob(f"[0-9]*_{stem}.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    last = [cell.source.split("\n")[-1] for cell in cells if cell.cell_type == "code"]
    shown = [match[1] for line in last if (match := re.match(r"figures\.(\w+)\(.*\)$", line))]
    for one in in_order(module):
        wanted = f"no cell of {path.name} has the last line figures.{one.__name__}(…)"
        assert one.__name__ in shown, wanted
    places = [shown.index(one.__name__) for one in in_order(module)]
    assert places == sorted(places), "figures must lie in their module as on the page"
    assert not [cell for cell in cells if "Drawing(" in cell.source and cell.cell_type == "code"]


def test_a_figure_fits_a_desk_and_a_phone(figure):
    wide, tall = svgs(figure)
    assert int(wide.get("width")) <= WIDEST
    assert int(tall.get("width")) <= NARROWEST
    for svg in (wide, tall):
        assert all(float(text.get("font-size", 14)) >= 12 for text in svg.iter("text"))
        for text in svg.iter("text"):  # nothing begins outside of the picture
            assert 0 <= float(text.get("x")) <= int(svg.get("width"))
            assert 0 <= float(text.get("y")) <= int(svg.get("height"))


def test_a_figure_says_what_it_is_and_what_is_to_be_seen(figure):
    for svg in svgs(figure):
        assert len(svg.find("title").text) > 10
        assert len(svg.find("desc").text) > 60
        assert "{" not in svg.find("title").text + svg.find("desc").text


def test_a_figure_has_no_colour_of_its_own(figure):
    """So it is light on a light page and dark on a dark one: all colours are the theme's."""
    for svg in svgs(figure):
        written = ET.tostring(svg, encoding="unicode")
        assert not re.search(r"#[0-9a-f]{3,8}\b|rgb\(|(?:fill|stroke)=\"(?!none)", written)


def test_a_figure_shows_the_numbers_that_it_is_given():
    twice = qkv.a_row_times_a_matrix(2 * X[2], W_Q, "q")
    (wide, _) = svgs(twice)
    said = "0, 2, 0, 2, 0, 0, times the matrix W_q is its query, 4, 4, 0, 0"
    assert said in wide.find("desc").text
    numbers = [text.text for text in wide.iter("text") if re.fullmatch(r"−?\d+", text.text or "")]
    assert numbers[:4] == ["0", "2", "0", "2"]
    assert numbers.count("4") == 2
    other = svgs(qkv.last_three_steps(THREE, torch.tensor([0.0, 9.0, 0.0]), X @ W_V))[0]
    assert "1.000 for street" in other.find("desc").text


def test_every_look_at_another_word_is_drawn_in_both_layers():
    def wires(*layers):
        rounds = [([STREAMS] * 3, list(layers))]
        drawn = hops.two_rounds(rounds, (1,), (ANIMAL, CROSS, TIRED), ("a", "b", "c", "d"))
        return ET.tostring(svgs(drawn)[0], encoding="unicode").count('class="wire')

    none, two = torch.eye(3), torch.eye(3)[[2, 1, 0]]
    assert [wires(none, none), wires(two, none), wires(none, two), wires(two, two)] == [0, 2, 2, 4]


def test_texts_without_a_catalogue_are_english():
    assert catalogue.say("row sum {total:.2f}", total=1) == "row sum 1.00"
    assert catalogue.gloss(SENTENCE[7]) == "state"
    assert listed(torch.tensor([1.0, -0.5]), 1) == "1.0, −0.5"
