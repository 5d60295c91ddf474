"""The language with two correct orders: four ways to learn it and three controls, five seeds each.

Those that say all at once learn a larger language of the same kind, too, of which the coin's tosses
are too many to be learned by heart. There, one more control has the teacher's choices, shuffled.
And some learn from rules that read one word of the source, two, or all four.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

import torch

from attnsteps import NonAutoregressive, Vocab
from attnsteps.training.non_autoregressive import mask_predict_loss, one_shot_loss
from scripts.experiments import SEEDS, page, record

STEPS = (200, 800)
PASSES = (1, 2, 3, 4, 6, 10)
SOME = 764  # sentences to ask for what was learned by heart
KINDS = (
    "word by word",
    "all at once",
    "mask-predict",
    "all at once, from the teacher",
    "all at once, from a coin",
)
MANY = tuple(  # too many sentences to learn a coin's tosses by heart
    f"{kind}, many sentences" for kind in KINDS if kind.startswith("all at once")
)
SHUFFLED = "all at once, from the teacher's choices, shuffled, many sentences"
READ = {"who": [1], "when and who": [0, 1], "all four": [0, 1, 2, 3]}  # places of the source
RULED = tuple(f"all at once, by a rule: {name}" for name in READ)


@torch.no_grad()
def two_sides(
    model: NonAutoregressive, vocabs: tuple[Vocab, Vocab], two_ways: dict, sources: list
) -> torch.Tensor:
    """Return how likely each place finds the first order's word, of the two that are right.

    The sources' translations are all of one length T, and differ at each place: (B, T).
    """
    source, target = vocabs
    src_ids = torch.tensor([source.ids(one) for one in sources])
    orders = torch.tensor([[target.ids(way) for way in two_ways[one]] for one in sources])
    transformer, (_, _, words) = model.transformer.eval(), orders.shape
    blanks = torch.full((len(sources), words + 1), target.mask_id)  # the end has a place, too
    logits = transformer.decode(blanks, transformer.encode(src_ids), src_ids)[:, :words]
    return logits.gather(-1, orders.transpose(1, 2)).softmax(-1)[..., 0]


def many_sentences() -> dict[str, object]:
    """Return the chapter's names for the same language with twenty words in place of six."""
    chapter = page("non_autoregressive")
    who, did, what = ([f"{kind}{n}" for n in range(20)] for kind in ("who", "did", "what"))
    two_ways = {
        (time, *words): [
            (chapter["when"][time], "the", words[0], words[1], "the", words[2]),
            ("the", words[0], words[1], "the", words[2], chapter["when"][time]),
        ]
        for time, *words in product(chapter["when"], who, did, what)
    }
    order = torch.randperm(len(two_ways), generator=torch.Generator().manual_seed(0)).tolist()
    sources = [list(two_ways)[n] for n in order]
    targets = [way for ways in two_ways.values() for way in ways]
    vocabs = (Vocab.build(sources), Vocab.build(targets))
    new = {"two_ways": two_ways, "tests": sources[:100], "known": sources[100:]}
    chapter.update(new, vocabs=vocabs)
    return chapter


def tossed(pair: type, two_ways: dict, sources: Sequence[tuple], seed: int) -> list:
    """Return for each source one of its two translations, by the toss of a coin."""
    coins = torch.randint(2, (len(sources),), generator=torch.Generator().manual_seed(seed))
    drawn = zip(sources, coins.tolist(), strict=True)
    return [pair(source, two_ways[source][coin]) for source, coin in drawn]


def shuffled(chapter: dict, sources: Sequence[tuple], answers: Sequence[tuple], seed: int) -> list:
    """Return for each source one of its two translations, in the order of another one's answer.

    Each order is as common as among the answers.
    """
    times = set(chapter["when"].values())
    order = torch.randperm(len(answers), generator=torch.Generator().manual_seed(seed)).tolist()
    dealt = [answers[n][0] in times for n in order]
    drawn = zip(sources, dealt, strict=True)
    return [chapter["Pair"](one, chapter["two_ways"][one][not first]) for one, first in drawn]


def ruled(chapter: dict, reads: Sequence[int], sources: Sequence[tuple]) -> list:
    """Return for each source one of its two translations, by whether a sum is even or odd.

    It adds up the numbers of those words of the source that the rule reads.
    """
    lists = [list(chapter[name]) for name in ("when", "who", "did", "what")]
    sums = [sum(lists[n].index(one[n]) for n in reads) for one in sources]
    drawn = zip(sources, sums, strict=True)
    return [chapter["Pair"](one, chapter["two_ways"][one][total % 2]) for one, total in drawn]


def share_of(first: Sequence, second: Sequence) -> float:
    """Return how many are equal, of 1."""
    return round(sum(a == b for a, b in zip(first, second, strict=True)) / len(first), 3)


def commoner_of(answers: Sequence[tuple], times: set[str]) -> float:
    """Return how many are in the order that more of them are in, of 1: what a guess would get."""
    first = sum(answer[0] in times for answer in answers) / len(answers)
    return round(max(first, 1 - first), 3)


def chosen(sources: Sequence[tuple], answers: Sequence[tuple], when: dict[str, str]) -> dict:
    """Return which order a teacher chooses: a guess's share, each time's, and two sentences.

    A word of time has the share of its sentences that begin with it. The sentences are the first
    in either order.
    """
    pairs = list(zip(sources, answers, strict=True))
    begins = {
        time: [answer[0] == time for source, answer in pairs if source[0] == sign]
        for sign, time in when.items()
    }
    heads = {answer[0] in begins: [source, answer] for source, answer in reversed(pairs)}
    return {
        "commoner": commoner_of(answers, set(begins)),
        "first": {time: round(sum(one) / len(one), 3) for time, one in begins.items()},
        "shown": [heads.get(True), heads.get(False)],
    }


@torch.no_grad()
def leads(teacher: object, chapter: dict, sources: Sequence[tuple]) -> dict[str, float]:
    """Return how likely a teacher begins with each word of time, of the two words that are right.

    It is the mean over the sources with that word of time.
    """
    source, target = teacher.src_vocab, teacher.tgt_vocab
    src_ids = torch.tensor([source.ids(one) for one in sources])
    begins = torch.tensor(
        [[target.ids(way)[0] for way in chapter["two_ways"][one]] for one in sources]
    )
    start = torch.full((len(sources), 1), target.bos_id)
    transformer = teacher.model.eval()
    logits = transformer.decode(start, transformer.encode(src_ids), src_ids)[:, 0]
    first = logits.gather(1, begins).softmax(-1)[:, 0]
    return {
        time: round(first[[one[0] == sign for one in sources]].mean().item(), 3)
        for sign, time in chapter["when"].items()
    }


def mixed(passes: list[tuple], ways: Sequence[tuple]) -> bool:
    """Say whether the words that the second pass keeps are of no single order."""
    (_, found, _), (given, *_) = passes[:2]
    kept = [n for n, id_ in enumerate(given.tolist()) if id_ != Vocab.mask_id]
    return not any(all(way[n] == found[n] for n in kept) for way in ways)


@torch.no_grad()
def refined(chapter: dict, model: NonAutoregressive) -> dict:
    """Return how three and four passes fare where they keep words of both orders, and a sentence.

    The sentence is one of which four passes keep the word of time, and get wrong at first.
    """
    _, target = chapter["vocabs"]
    chapter["vocab"] = target
    chapter["NO_WORDS"] = [target.pad_id, target.bos_id, target.mask_id]
    counted = ("mixed", "mixed_right", "agreed_right")
    result, lines = {f"{name}_{n}": 0 for n in (3, 4) for name in counted}, []
    result["end_kept"] = 0  # among the two words that four passes keep first
    for source in chapter["tests"]:
        src_ids = torch.tensor([chapter["vocabs"][0].ids(source)])
        ways = [[*target.ids(way), target.eos_id] for way in chapter["two_ways"][source]]
        for n in (3, 4):
            four = list(chapter["my_mask_predict"](model, src_ids, n))
            of_both = mixed(four, ways)
            result[f"mixed_{n}"] += of_both
            result[f"{'mixed' if of_both else 'agreed'}_right_{n}"] += four[-1][1].tolist() in ways
        right = [found.tolist() in ways for _, found, _ in four]
        kept = [id_ for id_ in four[1][0].tolist() if id_ != target.mask_id]
        result["end_kept"] += target.eos_id in kept and len(kept) == 2
        time = target.ids([chapter["when"][source[0]]])[0]
        if not right[0] and all(right[1:]) and kept.count(time) == 1 and len(kept) == 2:
            lines.append(
                [
                    [
                        target.tokens(found.tolist()),
                        (given == target.mask_id).tolist(),
                        [round(p, 4) for p in sure.tolist()],
                    ]
                    for given, found, sure in four
                ]
            )
    return result | {"shown": lines[0] if lines else None}


def from_many(kind: str, chapter: dict, steps: int, seed: int) -> dict:
    """Measure a model that says all at once and learns from many sentences.

    What it knows by heart is counted among as many of them as the small language has.
    """
    learn, translate, pair = (chapter[name] for name in ("learn", "translate", "Pair"))
    two_ways, tests, known = (chapter[name] for name in ("two_ways", "tests", "known"))
    pairs, wanted = [pair(one, way) for one in known for way in two_ways[one]], []
    if "teacher" in kind:
        teacher = learn(pairs, chapter["autoregressive_loss"], steps=steps, seed=seed)
        translations = translate(teacher, known)
        pairs = [pair(source, words) for source, words in zip(known, translations, strict=True)]
        wanted = translate(teacher, tests)
        if kind == SHUFFLED:
            pairs = shuffled(chapter, known, translations, seed)
            wanted = [one.tgt for one in shuffled(chapter, tests, wanted, 100 + seed)]
    if "coin" in kind:
        pairs = tossed(pair, two_ways, known, seed)
        wanted = [one.tgt for one in tossed(pair, two_ways, tests, 100 + seed)]
    model = learn(pairs, one_shot_loss, steps=steps, seed=seed)
    said = translate(model, tests)
    result = {"right": chapter["share_right"](said), "sentences": len(known)}
    if wanted:
        some = pairs[:SOME]
        result["as_its_teacher"] = share_of(said, wanted)
        if kind == SHUFFLED:
            result["commoner"] = commoner_of(wanted, set(chapter["when"].values()))
        elif "teacher" in kind:
            result |= chosen(tests, wanted, chapter["when"])
            result["leads"] = leads(teacher, chapter, tests)
        recalled = translate(model, [one.src for one in some])
        result["by_heart"] = share_of(recalled, [one.tgt for one in some])
    sides = two_sides(model.model, chapter["vocabs"], two_ways, tests)
    return result | {"likelier": round(torch.maximum(sides, 1 - sides).mean().item(), 3)}


def run(*, again: bool) -> None:
    """Train every kind, for a short time and for four times as long."""
    chapter = page("non_autoregressive")
    learn, translate, share_right = (chapter[x] for x in ("learn", "translate", "share_right"))
    pair, both, known = (chapter[name] for name in ("Pair", "both", "known"))
    two_ways, tests, vocabs = (chapter[x] for x in ("two_ways", "tests", "vocabs"))
    times, many = set(chapter["when"].values()), many_sentences()

    @cache
    def writer(steps: int, seed: int) -> object:
        return learn(both, chapter["autoregressive_loss"], steps=steps, seed=seed)

    def measure(*, kind: str, steps: int, seed: int) -> dict:
        if kind in (*MANY, SHUFFLED):
            return from_many(kind, many, steps, seed)
        if kind == "word by word":
            return {"right": share_right(translate(writer(steps, seed), tests))}
        pairs, result, wanted = both, {}, []
        if kind.endswith("teacher"):
            translations = translate(writer(steps, seed), known)
            pairs = [pair(source, words) for source, words in zip(known, translations, strict=True)]
            wanted = translate(writer(steps, seed), tests)
        if kind in RULED:
            reads = READ[kind.rpartition(": ")[2]]
            pairs = ruled(chapter, reads, known)
            wanted = [one.tgt for one in ruled(chapter, reads, tests)]
        if kind.endswith("coin"):
            pairs = tossed(pair, two_ways, known, seed)
            wanted = [one.tgt for one in tossed(pair, two_ways, tests, 100 + seed)]
        loss_fn = mask_predict_loss if kind == "mask-predict" else one_shot_loss
        model = learn(pairs, loss_fn, steps=steps, seed=seed)
        if kind == "mask-predict":
            result["passes"] = list(PASSES)
            result["right"] = [
                share_right(
                    translate(model, tests, search="mask_predict", iterations=n, num_lengths=1)
                )
                for n in PASSES
            ]
            result |= refined(chapter, model.model)
        else:
            result["right"] = share_right(translate(model, tests))
        # the order of its own teacher or rule, and a guess
        if kind in RULED or (wanted and steps == max(STEPS)):
            result["as_its_teacher"] = share_of(translate(model, tests), wanted)
            result["commoner"] = commoner_of(wanted, times)
        if pairs is not both:
            result["time_first"] = round(sum(p.tgt[0] in times for p in pairs) / len(pairs), 3)
            said = translate(model, known)
            result["by_heart"] = share_of(said, [one.tgt for one in pairs])
        sides = two_sides(model.model, vocabs, two_ways, tests)
        one_side = sides.prod(1) + (1 - sides).prod(1)
        result["likelier"] = round(torch.maximum(sides, 1 - sides).mean().item(), 3)
        return result | {"drawn": round(one_side.mean().item(), 3)}

    tasks = [
        {"kind": kind, "steps": steps, "seed": seed}
        for seed in SEEDS
        for steps in STEPS
        for kind in KINDS
    ]
    tasks += [
        {"kind": kind, "steps": max(STEPS), "seed": seed}
        for kind in (*MANY, SHUFFLED)
        for seed in SEEDS
    ]
    tasks += [{"kind": kind, "steps": min(STEPS), "seed": seed} for kind in RULED for seed in SEEDS]
    tasks += [{"kind": RULED[-1], "steps": max(STEPS), "seed": seed} for seed in SEEDS]
    record("non_autoregressive", tasks, measure, data="1,528 pairs in two orders", again=again)
