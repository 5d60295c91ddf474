"""The generated corpus: natural in both languages, one translation each, every link known."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from random import Random

import jaxtyping
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps import running_example
from attnsteps.corpora.generated.clause import PLAIN, Style
from attnsteps.corpora.generated.corpus import (
    HELD_OUT,
    MAX_SRC_LEN,
    MAX_TGT_LEN,
    SOURCE_WORDS,
    TARGET_WORDS,
    Pair,
    Splits,
    generated,
    gloss,
)
from attnsteps.corpora.generated.glossary import SYNONYMS
from attnsteps.corpora.generated.lexicon import (
    ADJECTIVES,
    EXTRA,
    INTRANSITIVE,
    NOUNS,
    SPECIAL,
    VERBS,
)
from attnsteps.corpora.generated.phrases import Notes, article, be, noun_phrase
from attnsteps.corpora.generated.pronouns import FRAMES, because
from attnsteps.text.tokenizer import Words

EVERY_VERB = VERBS | INTRANSITIVE | SPECIAL
PLURALS = {noun.plural for noun in NOUNS.values() if noun.plural}
SINGULARS = {noun.en for noun in NOUNS.values()} - PLURALS
#: What makes the subject of the next clause plural.
SEVERAL = {"two", "three", "four", "these", "those", "many"}


def unchecked(num_pairs: int, **options: object) -> Splits:
    """Generate without beartype between all calls, which makes it ten times slower."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        return generated(num_pairs, **options)
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="module")
def corpus() -> Splits:
    return unchecked(20_000)


@pytest.fixture(scope="module")
def ambiguous() -> Splits:
    return unchecked(5_000, ambiguous=True)


@pytest.fixture(scope="module")
def pairs(corpus) -> list[Pair]:
    return [pair for split in corpus for pair in split]


def digest(splits: Splits) -> str:
    lines = [
        "|".join((" ".join(pair.src), " ".join(pair.tgt))) for split in splits for pair in split
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def test_the_parts_have_their_sizes(corpus):
    assert [len(split) for split in corpus] == [20_000, 1_000, 1_500, 500, 1_200]


def test_no_source_is_in_two_parts_or_has_two_targets(pairs):
    targets = {}
    for pair in pairs:
        assert targets.setdefault(pair.src, pair.tgt) == pair.tgt
    assert len(targets) == len(pairs)


def test_more_pairs_than_the_default_can_be_had_and_each_source_has_one_target():
    splits = unchecked(50_000, seed=7)
    every = [pair for split in splits for pair in split]
    assert len({(pair.src, pair.tgt) for pair in every}) == len({pair.src for pair in every})
    assert len(every) >= 50_000
    assert len(set(splits.train)) == 50_000


def test_what_is_unseen_stays_unseen_under_another_seed(corpus):
    other = unchecked(2_000, seed=1)
    assert other.train[:100] != corpus.train[:100]
    trained = {pair.src for pair in corpus.train}
    for part in other[1:]:
        assert not trained & {pair.src for pair in part}


def test_the_same_seed_gives_the_same_corpus_on_every_machine():
    splits = generated(300, seed=3)
    assert splits == generated(300, seed=3)
    assert digest(splits) == "5776f1d2ce4ab841"
    assert digest(generated(300, seed=3, ambiguous=True)) == "55bd7a33c17ece33"


def test_the_order_of_hashes_does_not_matter():
    code = "from attnsteps.corpora.generated.corpus import generated; print(generated(50))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_both_vocabularies_have_their_size_and_no_idle_word(pairs, ambiguous):
    used = {word for pair in pairs for word in pair.src}
    assert used == set(SOURCE_WORDS)
    assert 150 <= len(SOURCE_WORDS) <= 300
    spoken = {word for pair in pairs for word in pair.tgt}
    assert 150 <= len(spoken) <= 300
    spoken |= {word for split in ambiguous for pair in split for word in pair.tgt}
    assert spoken <= set(TARGET_WORDS)
    assert set(TARGET_WORDS) - spoken <= {"films", "roads", "larger"}
    assert 150 <= len(TARGET_WORDS) <= 300
    assert list(SOURCE_WORDS) == sorted(set(SOURCE_WORDS))
    assert list(TARGET_WORDS) == sorted(set(TARGET_WORDS))


def test_training_knows_every_word(corpus):
    for side in ("src", "tgt"):
        known = {word for pair in corpus.train for word in getattr(pair, side)}
        for part in corpus[1:]:
            assert {word for pair in part for word in getattr(pair, side)} <= known


def test_text_and_tokens_are_the_same(pairs):
    chinese, english = Words(SOURCE_WORDS), Words(TARGET_WORDS)
    for pair in pairs:
        text = chinese.detokenize(pair.src)
        assert " " not in text
        assert tuple(chinese.tokenize(text)) == pair.src
        assert tuple(english.tokenize(english.detokenize(pair.tgt))) == pair.tgt


def test_the_running_sentence_and_its_twin_come_first_and_are_never_trained_on(corpus):
    first, second = corpus.pronouns[:2]
    chinese = [word.zh for word in running_example.SENTENCE]
    assert [*first.src[:4], *first.src[5:]] == chinese
    assert [*second.src[:4], *second.src[5:]] == [word.zh for word in running_example.TWIN]
    assert first.src[4] == "，"
    start = "the animal did not cross the street because it was too"
    assert [" ".join(pair.tgt) for pair in (first, second)] == [f"{start} tired", f"{start} wide"]
    assert [pair.src[pair.referents[0][1]] for pair in (first, second)] == ["动物", "马路"]
    links = {(first.src[i], first.tgt[j]) for i, j in first.alignment}
    assert links == {
        ("动物", "animal"),
        ("没有", "did"),
        ("没有", "not"),
        ("过", "cross"),
        ("马路", "street"),
        ("因为", "because"),
        ("太", "too"),
        ("累", "tired"),
    }


def test_glosses_agree_with_the_running_example():
    for word in (*running_example.SENTENCE, *running_example.TWIN):
        assert gloss(word.zh) == (word.pinyin, word.gloss)


def test_every_word_has_a_gloss_and_others_are_refused(refuses):
    for word in SOURCE_WORDS:
        pinyin, meaning = gloss(word)
        assert pinyin
        assert meaning
    refuses(lambda: gloss("龙"), "word must be a Chinese word of the generated corpus; got '龙'")


def test_bad_arguments_are_refused(refuses):
    refuses(lambda: generated(0), "num_pairs must be a positive integer; got 0")
    refuses(lambda: generated(1, seed=0.5), "seed must be an integer; got 0.5")


# Alignments and referents


def test_links_are_in_range_and_sorted(pairs):
    for pair in pairs:
        assert list(pair.alignment) == sorted(set(pair.alignment))
        for i, j in (*pair.alignment, *((i, j) for j, i in pair.referents)):
            assert 0 <= i < len(pair.src)
            assert 0 <= j < len(pair.tgt)


CONTENT = {*NOUNS, *EXTRA, *VERBS, *INTRANSITIVE, *SPECIAL, *ADJECTIVES}


def test_every_content_word_is_linked_and_to_its_own_forms(pairs):
    forms = {zh: {noun.en, noun.plural} for zh, noun in (NOUNS | EXTRA).items()}
    for zh, adjective in ADJECTIVES.items():
        forms[zh] = {adjective.en, adjective.comparative, "more"}
    for zh, verb in EVERY_VERB.items():
        forms.setdefault(zh, set()).update(
            {verb.base, verb.third, verb.past, verb.ing, verb.participle}
        )
    forms["给"].add("to")
    for pair in pairs:
        linked = {}
        for i, j in pair.alignment:
            linked.setdefault(i, []).append(pair.tgt[j])
        for i, word in enumerate(pair.src):
            if word in CONTENT and not (word == "家" and pair.src[i - 1] in ("这", "那")):
                assert i in linked, (pair.src, word)
                assert set(linked[i]) <= forms[word], (pair.src, word, linked[i])


def test_english_words_without_a_link_are_function_words(pairs):
    free = Counter(
        word
        for pair in pairs
        for j, word in enumerate(pair.tgt)
        if j not in {j for _, j in pair.alignment} | {j for j, _ in pair.referents}
    )
    assert set(free) <= {
        *("the", "a", "an", "to", "at", "is", "are", "am", "was", "were", "be"),
        *("do", "does", "did"),
    }


def test_a_pronoun_stands_for_what_it_can_stand_for(pairs):
    person = {"我": "i", "你": "you", "他": "he", "她": "she", "我们": "we", "他们": "they"}
    for pair in pairs:
        assert bool(pair.referents) == ("pronoun" in pair.phenomena)
        for j, i in pair.referents:
            noun, pronoun = pair.src[i], pair.tgt[j]
            linked = {pair.tgt[b] for a, b in pair.alignment if a == i}
            if pronoun == "they" and noun != "他们":
                assert linked & PLURALS or {"these", "those"} & set(pair.tgt)
            else:
                assert pronoun == (person.get(noun) or NOUNS[noun].pronoun)


def test_twins_differ_in_the_adjective_alone_and_in_what_it_describes(corpus):
    kinds = Counter()
    for one, other in zip(corpus.pronouns[::2], corpus.pronouns[1::2], strict=True):
        differing = [i for i, (a, b) in enumerate(zip(one.src, other.src, strict=True)) if a != b]
        assert len(differing) == 1
        assert {one.src[differing[0]], other.src[differing[0]]} <= set(ADJECTIVES)
        assert one.referents[0][1] != other.referents[0][1]
        assert one.tgt[: one.referents[0][0]] == other.tgt[: other.referents[0][0]]
        same = one.tgt[one.referents[0][0]] == other.tgt[other.referents[0][0]]
        assert same == ("pronoun_same" in one.phenomena)
        kinds[same] += 1
    assert kinds[False] > 350  # else a translation alone could not tell
    assert kinds[True] > 25


def test_training_has_neither_twin_nor_another_reason_for_the_same(corpus):
    def without_reason(pair: Pair) -> tuple[str, ...]:
        return pair.src[: pair.src.index("，")]

    trained = {
        without_reason(pair)
        for pair in corpus.train
        if "，" in pair.src and "因为" in pair.src and "pronoun" in pair.phenomena
    }
    assert not trained & {without_reason(pair) for pair in corpus.pronouns}


def test_no_adjective_of_a_frame_could_describe_both():
    for frame in FRAMES:
        assert not set(frame.of_subject.split()) & set(frame.of_object.split())


# Parts


def together(pair: Pair) -> set[tuple[str, str]]:
    """List the pairs of words of HELD_OUT that a sentence has anywhere, in any role."""
    words = {"有" if word == "没有" else word for word in pair.src} | set(pair.src)
    return {(first, second) for first, second in HELD_OUT if {first, second} <= words}


def neighbours(pair: Pair) -> set[tuple[str, str]]:
    """List the words that stand side by side, or with 的 between them."""
    src = pair.src
    pairs = set(pairwise(src))
    return pairs | {(a, c) for a, b, c in zip(src, src[1:], src[2:], strict=False) if b == "的"}


def test_combinations_hold_words_that_training_never_has_together(corpus):
    assert 50 <= len(HELD_OUT) <= 120
    met = set().union(*(together(pair) for pair in corpus.combinations))
    assert len(met) > 0.9 * len(HELD_OUT)
    for pair in corpus.combinations:
        assert together(pair)
    for pair in [*corpus.train, *corpus.unseen, *corpus.longer, *corpus.pronouns]:
        assert not neighbours(pair) & HELD_OUT, pair.src


def test_each_half_of_a_combination_is_known_in_its_role(corpus):
    seen = Counter(word for pair in corpus.train for word in pair.src)
    for first, second in HELD_OUT:
        assert seen[first] >= 20
        assert seen[second] >= 20


def test_longer_sentences_are_longer_on_both_sides(corpus):
    trained = [(len(pair.src), len(pair.tgt)) for pair in corpus.train]
    assert max(src for src, _ in trained) == MAX_SRC_LEN
    assert max(tgt for _, tgt in trained) == MAX_TGT_LEN
    for pair in corpus.longer:
        assert len(pair.src) > MAX_SRC_LEN
        assert len(pair.tgt) > MAX_TGT_LEN
    assert max(len(pair.tgt) for pair in corpus.longer) >= MAX_TGT_LEN + 4


# Naturalness


PHENOMENA = {
    *("time", "place", "companion", "relative", "possessive", "ba", "double_object", "measure"),
    *("question_ma", "question_word", "negation_mei", "negation_bu", "le", "past", "future"),
    *("progressive", "habit", "state", "want", "plural", "irregular_plural", "irregular_verb"),
    *("comparative", "predicate", "adjective"),
    *("pronoun", "pronoun_subject", "pronoun_object", "pronoun_same"),
}


def test_every_phenomenon_is_there_often(corpus):
    counts = Counter(name for pair in corpus.train for name in pair.phenomena)
    assert set(counts) == PHENOMENA
    assert min(counts.values()) > 300


def test_an_goes_before_vowels(pairs):
    for pair in pairs:
        for word, following in pairwise(pair.tgt):
            if word in ("a", "an"):
                assert word == article(following)


def test_determiners_and_nouns_agree(pairs):
    modifiers = {adjective.en for adjective in ADJECTIVES.values()}
    for pair in pairs:
        for i, word in enumerate(pair.tgt):
            if word not in {*SEVERAL, "this", "a", "an"}:
                continue
            rest = [w for w in pair.tgt[i + 1 :] if w not in modifiers]
            plurals = PLURALS | {"cups", "pieces"}
            assert (
                (rest[0] in plurals)
                if word in SEVERAL
                else (rest[0] not in plurals - {"fish", "sheep"})
            )


def test_verbs_agree_with_the_pronoun_before_them(pairs):
    right = {"i": {"am", "was"}, "he": {"is", "was"}, "she": {"is", "was"}, "it": {"is", "was"}}
    right |= {word: {"are", "were"} for word in ("we", "you", "they")}
    forms = {"am", "is", "are", "was", "were"}
    thirds = {verb.third for verb in EVERY_VERB.values()} - {""} | {"does"}
    for pair in pairs:
        for word, following in pairwise(pair.tgt):
            if word in right and following in forms:
                assert following in right[word], pair.tgt
            if word in ("i", "we", "they") and following in thirds:
                raise AssertionError(pair.tgt)


def test_a_sentence_begins_with_a_subject_that_agrees(pairs):
    """The first words decide is or are, does or do, in statements without a relative clause."""
    singular, plural = {"is", "does", "was", "has"}, {"are", "do", "were", "have"}
    for pair in pairs:
        if pair.tgt[0] not in ("the", "this", "these", "those", "two", "three"):
            continue
        head = next((w for w in pair.tgt if w in PLURALS | SINGULARS), None)
        at = pair.tgt.index(head) + 1
        if at >= len(pair.tgt) or (pair.tgt[0] == "the" and head in ("sheep", "fish")):
            continue
        is_plural = head in PLURALS - {"fish", "sheep"} or pair.tgt[0] in SEVERAL
        if pair.tgt[at] in singular | plural:
            assert (pair.tgt[at] in plural) == is_plural, pair.tgt


def test_times_and_tenses_go_together(pairs):
    for pair in pairs:
        if "relative" in pair.phenomena or "predicate" in pair.phenomena:
            continue
        src = set(pair.src)
        if src & {"昨天", "上个星期", "去年"}:
            assert src & {"了", "没有", "没"}
            assert "will" not in pair.tgt
        if src & {"明天", "下个星期", "明年"}:
            assert "会" in src
            assert "will" in pair.tgt
        if src & {"每天", "每个星期", "经常"}:
            assert not src & {"了", "会", "正在"}


def test_chinese_puts_time_and_place_before_the_verb_and_english_behind(pairs):
    for pair in pairs:
        if not {"time", "place", "le"} <= set(pair.phenomena) or "relative" in pair.phenomena:
            continue
        end = max(
            j for i, j in pair.alignment if pair.src[i] in {"昨天", "今天", "去年", "上个星期"}
        )
        assert end == len(pair.tgt) - 1 - (pair.tgt[-1] == "?") or "because" in pair.tgt


def test_questions_end_in_a_question_mark_and_nothing_else_does(pairs):
    for pair in pairs:
        asks = bool({"question_ma", "question_word"} & set(pair.phenomena))
        assert (pair.src[-1] == "？") == (pair.tgt[-1] == "?") == asks
        assert asks == bool(
            {"吗", "谁", "什么", "哪里", "什么时候", "为什么", "几"} & set(pair.src)
        )
        if "what" in pair.tgt or "where" in pair.tgt:
            assert pair.tgt[0] in ("what", "where")


def test_measure_words_have_no_counterpart_but_cups_and_pieces(pairs):
    measures = {noun.measure for noun in NOUNS.values()}
    for pair in pairs:
        linked = {i for i, _ in pair.alignment}
        for i, word in enumerate(pair.src[1:], start=1):
            counts = pair.src[i - 1] in ("一", "两", "三", "四", "这", "那", "几")
            if counts:
                assert word in measures
                assert (i in linked) == (word in ("杯", "块"))


def test_every_noun_is_counted_with_its_own_measure_word(pairs):
    """A measure word is followed by one of its nouns, after an adjective at most."""
    for pair in pairs:
        for i, word in enumerate(pair.src[1:], start=1):
            if pair.src[i - 1] in ("一", "两", "三", "四", "这", "那", "几"):
                rest = [w for w in pair.src[i + 1 :] if w in NOUNS]
                assert NOUNS[rest[0]].measure == word, pair.src


def test_nobody_does_anything_to_himself(pairs):
    for pair in pairs:
        assert pair.src[0] not in ("我", "我们") or pair.src[-1] not in ("我", "我们"), pair.src
        if "comparative" not in pair.phenomena:
            nouns = [word for word in pair.src if word in NOUNS]
            assert len(nouns) == len(set(nouns)), pair.src


@given(st.integers(0, 2**32))
def test_any_seed_gives_sentences_whose_twins_share_all_but_a_word(seed):
    sentence = because(Notes(Random(seed)))
    ours, theirs = ([word.word for word in s.zh] for s in (sentence, sentence.twin))
    assert sum(a != b for a, b in zip(ours, theirs, strict=True)) == 1
    assert sentence.context == sentence.twin.context


def test_phrases_by_hand():
    notes = Notes(Random(0))

    def english(*args, **kwargs) -> str:
        return " ".join(word.word for word in noun_phrase(notes, *args, **kwargs).en)

    def chinese(*args, **kwargs) -> str:
        return "".join(word.word for word in noun_phrase(notes, *args, **kwargs).zh)

    egg, tea, child = NOUNS["鸡蛋"], NOUNS["茶"], NOUNS["孩子"]
    assert (chinese(egg, "一"), english(egg, "一")) == ("一个鸡蛋", "an egg")
    assert (chinese(egg, "一", "大"), english(egg, "一", "大")) == ("一个大鸡蛋", "a big egg")
    assert (chinese(tea, "两", "烫"), english(tea, "两", "烫")) == (
        "两杯烫的茶",
        "two cups of hot tea",
    )
    assert (chinese(child, "们"), english(child, "们")) == ("孩子们", "the children")
    assert (chinese(egg, owner="我"), english(egg, owner="我")) == ("我的鸡蛋", "my egg")
    assert [be(p, past=False) for p in ("i", "", "they")] == ["am", "is", "are"]


# The ambiguous variant


def test_every_source_of_the_ambiguous_variant_has_several_translations(ambiguous):
    for pair in [*ambiguous.train, *ambiguous.unseen, *ambiguous.combinations, *ambiguous.longer]:
        assert len(set(pair.references)) == len(pair.references) >= 2
        assert pair.tgt in pair.references
    sources = [pair.src for split in ambiguous for pair in split]
    assert len(sources) == len(set(sources))
    drawn = Counter(pair.references.index(pair.tgt) for pair in ambiguous.train)
    assert drawn[0] > 1_000
    assert drawn[1] > 1_000


def test_the_plain_variant_has_one(pairs):
    for pair in pairs:
        assert pair.references == (pair.tgt,)


def test_translations_differ_in_place_of_time_voice_and_synonyms(ambiguous):
    every = [pair for pair in ambiguous.train if "time" in pair.phenomena]
    assert any(pair.tgt[0] in ("yesterday", "tomorrow", "last") for pair in every)
    assert any("by" in pair.tgt for pair in ambiguous.train)
    assert any(set(SYNONYMS.values()) & set(pair.tgt) for pair in ambiguous.train)
    for pair in ambiguous.train:
        for i, j in pair.alignment:
            assert i < len(pair.src)
            assert j < len(pair.tgt)


def test_passives_by_hand():
    for pair in unchecked(3_000, ambiguous=True).train:
        if "".join(pair.src).startswith("我会"):
            passive = [r for r in pair.references if "by" in r]
            assert all("me" in r for r in passive)
    assert Style() == PLAIN


def test_what_one_caller_does_to_its_lists_no_other_sees():
    first = generated(50)
    whole = list(first.train)
    first.train.clear()
    assert generated(50).train == whole
