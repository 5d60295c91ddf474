"""Chapter 21: one translation task for three arrangements, what *it* refers to, and digits.

Everything has five seeds and a baseline; that of the vision transformer is computed in the chapter.
The digits keep scikit-learn's order: the vision transformer trains on the first 1,200; the writer
trains on the first 1,000 and stops by the 200 after them. Both are tested on the other 597. The
question about *it* is trained on sentences of the training part with one half of the adjectives. It
is asked of the minimal pairs with this half, and of those with the other, which no label had.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache, partial
from itertools import count, repeat

import torch
from torch import Tensor, nn

from attnsteps import (
    Batch,
    LanguageModel,
    Pair,
    Run,
    TrainingConfig,
    Transformer,
    TransformerConfig,
    Vocab,
    autoregressive_loss,
    batches,
    causal_mask,
    codebook,
    digits,
    encode_pairs,
    from_patches,
    greedy,
    padding_mask,
    prefix_mask,
    to_codes,
    to_patches,
)
from scripts.experiments import SEEDS, record
from scripts.recipes import corpus

DATA = "scikit-learn's digits, 1,200 to train on and 597 to test; generated(40000, seed=0)"
TRAINED_ON, CURVE, BATCH = 1200, (0, 200, 400, 800, 1600), 64
SIZES = {"num_layers": 2, "d_model": 32, "num_heads": 4, "d_ff": 96}
ENTRIES, DRAWN_ON, DRAWING = 16, 1000, tuple(range(0, 401, 25))
WRITER = {"num_layers": 2, "d_model": 64, "num_heads": 4, "d_ff": 192}
PRETRAINING = (0, 800, 1600, 2400, 3200, 4000, 4800)
TUNING, LABELS, HIDDEN = 200, 200, 0.15
WIDTH = {"d_model": 48, "num_heads": 4, "d_ff": 144}
TRANSLATING, LONGEST, FEW = (0, 500, 750, 1000), 40, 200
SMOOTHINGS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def fit(
    model: nn.Module,
    loss: Callable[[torch.Generator], Tensor],
    curve: tuple[int, ...],
    score: Callable[[], float],
    seed: int,
) -> list[float]:
    """Train with Adam, and return the score after each number of updates in the curve.

    The loss is a mean, and draws its batch from the generator that it is given.
    """

    def scored() -> float:
        with torch.no_grad():
            return round(score(), 4)

    choices = {"schedule": "constant", "peak": 0.002, "warmup": 1, "clip": None}
    steps = curve[-1] + 1  # the recorded models have one step behind them after their last score
    config = TrainingConfig(steps=steps, label_smoothing=0.0, **choices)
    run = Run(
        model,
        config,
        lambda _model, generator, _smoothing: (loss(generator), torch.tensor(1)),
        optimizer=torch.optim.Adam(model.parameters()),
    )
    scores = [scored()]
    for now in run.updates(repeat(torch.Generator().manual_seed(seed))):
        if now.step in curve:
            scores.append(scored())
    return scores


def some(count: int, generator: torch.Generator) -> Tensor:
    """Draw the rows of one batch."""
    return torch.randint(count, (BATCH,), generator=generator)


def classify(*, seed: int) -> dict:
    """Tell the ten digits apart with the chapter's vision transformer."""
    pictures, labels = digits()
    patches = to_patches(pictures, size=2)
    torch.manual_seed(seed)
    linear, head = nn.Linear(4, 32), nn.Linear(32, 10)
    body = LanguageModel(1, **SIZES, max_len=16)  # its embedding isn't used
    net = nn.ModuleList([linear, body, head])

    def scores(rows: Tensor | slice) -> Tensor:
        x = linear(patches[rows]) + body.positions(16)
        return head(body.encoder(x)[0].mean(dim=1))

    def loss(generator: torch.Generator) -> Tensor:
        rows = some(TRAINED_ON, generator)
        return nn.functional.cross_entropy(scores(rows), labels[rows])

    def score() -> float:
        new = slice(TRAINED_ON, None)
        return (scores(new).argmax(dim=1) == labels[new]).float().mean().item()

    curve = fit(net, loss, CURVE, score, seed)
    return {"right": curve[-1], "curve": curve, "updates": CURVE}


# One translation task, three arrangements ---------------------------------------------------------


def one_sequence(batch: Batch) -> tuple[Tensor, Tensor]:
    """Write source, bos and target into one row: what is read, and what is to be guessed, (B, T).

    A place whose guess doesn't count wants padding.
    """
    read = torch.cat([batch.src_ids, batch.tgt_in], dim=1)
    wanted = torch.cat([torch.zeros_like(batch.src_ids), batch.tgt_out], dim=1)
    is_padding = read == Vocab.pad_id
    order = is_padding.int().argsort(dim=1, stable=True)  # the padding goes to the end
    longest = int((~is_padding).sum(dim=1).max())
    return tuple(both.gather(1, order)[:, :longest] for both in (read, wanted))


def mask_of(model: str, given: Tensor, size: int) -> Tensor:
    """Return the mask of a decoder-only translator: causal, or with the given part as a prefix."""
    return prefix_mask(given, size) if model == "prefix" else causal_mask(size)


def in_one_stack(
    model: str, *, extra: int = 0
) -> Callable[[LanguageModel, Batch, float], tuple[Tensor, Tensor]]:
    """Make the loss of a decoder-only translator: it counts what follows the source.

    With extra, the prefix reaches that many places too far.
    """

    def loss(net: LanguageModel, batch: Batch, smoothing: float) -> tuple[Tensor, Tensor]:
        read, wanted = one_sequence(batch)
        given = (batch.src_ids != Vocab.pad_id).sum(dim=1) + 1 + extra  # the source and bos
        logits = net(read, mask_of(model, given, read.shape[1]))
        counts = wanted != Vocab.pad_id
        total = nn.functional.cross_entropy(
            logits[counts], wanted[counts], label_smoothing=smoothing, reduction="sum"
        )
        return total, counts.sum()

    return loss


def written(net: nn.Module, model: str, sources: list[list[int]]) -> list[list[int]]:
    """Translate greedily; sentences of one length go together. Without eos."""
    found = {}
    for length in {len(source) for source in sources}:
        rows = [i for i, source in enumerate(sources) if len(source) == length]
        src_ids = torch.tensor([sources[i] for i in rows])
        if model == "encoder–decoder":
            ids = greedy(net, src_ids, max_len=20).ids
        else:
            ids = torch.cat([src_ids, torch.full((len(rows), 1), Vocab.bos_id)], dim=1)
            given = torch.full((len(rows),), length + 1)
            while ids.shape[1] < length + 21 and not (ids == Vocab.eos_id).any(dim=1).all():
                logits = net(ids, mask_of(model, given, ids.shape[1]))[:, -1]
                ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
            ids = ids[:, length + 1 :]
        for i, row in zip(rows, ids.tolist(), strict=True):
            found[i] = row[: row.index(Vocab.eos_id)] if Vocab.eos_id in row else row
    return [found[i] for i in range(len(sources))]


def arranged(model: str, size: int) -> tuple[nn.Module, Callable]:
    """Make a translator with a vocabulary of this size, and its loss."""
    if model == "encoder–decoder":
        choices = {"norm": "pre", "positions": "learned", "tie": "all", "dropout": 0.0}
        config = TransformerConfig.tiny(size, size, **WIDTH, **choices, max_len=LONGEST)
        return Transformer(config), autoregressive_loss
    net = LanguageModel(size, num_layers=5, **WIDTH, max_len=LONGEST, pad_id=Vocab.pad_id)
    if model == "prefix one too long":
        return net, in_one_stack("prefix", extra=1)
    return net, in_one_stack(model)


def verdicts(
    net: nn.Module, model: str, vocab: Vocab, pairs: list[Pair]
) -> list[tuple[bool, bool]]:
    """Say of each sentence: is it translated word for word, and is its first word right?"""
    net.eval()
    mask = "prefix" if model.startswith("prefix") else model
    with torch.no_grad():
        ours = written(net, mask, [vocab.ids(pair.src) for pair in pairs])
    wanted = [[vocab.ids(one) for one in pair.references] for pair in pairs]
    return [
        (ids in each, ids[:1] in [one[:1] for one in each])
        for ids, each in zip(ours, wanted, strict=True)
    ]


def share_right(net: nn.Module, model: str, vocab: Vocab, pairs: list[Pair]) -> float:
    """Return the share of sentences that are translated word for word."""
    right = [whole for whole, _ in verdicts(net, model, vocab, pairs)]
    return round(sum(right) / len(right), 4)


def translate(*, model: str, seed: int) -> dict:
    """Train an encoder–decoder, or one stack of the same width and about as many parameters."""
    splits = corpus()
    vocab = Vocab.build([words for pair in splits.train for words in pair[:2]])
    torch.manual_seed(seed)
    net, loss = arranged(model, len(vocab))
    examples = encode_pairs(splits.train, vocab, vocab)
    feed = (
        batch
        for epoch in count()
        for batch in batches(examples, batch_size=BATCH, seed=seed, epoch=epoch)
    )
    run = Run(net, TrainingConfig(steps=TRANSLATING[-1], seed=seed, log=None), loss)
    few = splits.unseen[:FEW]
    curve = [share_right(net, model, vocab, few)]
    for now in run.updates(feed):
        if now.step in TRANSLATING:
            curve.append(share_right(net, model, vocab, few))
    found = {
        "right": share_right(net, model, vocab, splits.unseen[:1000]),
        "curve": curve,
        "updates": TRANSLATING,
        "parameters": sum(p.numel() for p in net.parameters()),
    }
    if model.startswith("prefix"):  # as it is trained, and as it is used
        new = encode_pairs(splits.unseen[:1000], vocab, vocab)
        for name, extra in (("loss", int(model != "prefix")), ("loss_in_use", 0)):
            found[name] = mean_loss(net, in_one_stack("prefix", extra=extra), new)
    if model == "prefix one too long":  # where are its translations wrong?
        wrong = [
            first for whole, first in verdicts(net, model, vocab, splits.unseen[:1000]) if not whole
        ]
        found["wrong_at_first"] = round(wrong.count(False) / len(wrong), 4)
    return found


def mean_loss(net: nn.Module, loss: Callable, examples: list) -> float:
    """Return the loss without smoothing, in nats a token."""
    with torch.no_grad():
        each = [loss(net, b, 0.0) for b in batches(examples, batch_size=200, seed=0, epoch=0)]
    return round((sum(total for total, _ in each) / sum(number for _, number in each)).item(), 4)


# What it refers to -------------------------------------------------------------------------------


def asked(pairs: list[Pair]) -> list[tuple[Pair, int]]:
    """Return the sentences of the kind 因为太累了, and 0 for the subject or 1 for the object."""
    return [
        (pair, int("pronoun_object" in pair.phenomena))
        for pair in pairs
        if "因为" in pair.src
        and len({"pronoun_subject", "pronoun_object"} & {*pair.phenomena}) == 1
    ]


def adjective(pair: Pair) -> str:
    """Return the word that follows 太 or 很 in the reason."""
    reason = pair.src[pair.src.index("因为") :]
    return reason[2]


@cache
def language() -> tuple[Vocab, Tensor, list, list]:
    """Return the vocabulary, the training sentences as ids, and the sentences asked about."""
    splits = corpus()
    vocab = Vocab.build([pair.src for pair in splits.train])
    return vocab, rows(vocab, splits.train), asked(splits.train), asked(splits.pronouns)


def rows(vocab: Vocab, pairs: list[Pair]) -> Tensor:
    """Return the Chinese sentences as ids, (B, T), padded."""
    ids = [torch.tensor(vocab.ids(pair.src)) for pair in pairs]
    return nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=Vocab.pad_id)


def untrained(seed: int) -> LanguageModel:
    """Make the model that both starts share."""
    torch.manual_seed(seed)
    return LanguageModel(len(language()[0]), **SIZES, max_len=32, pad_id=Vocab.pad_id)


@cache
def pretrained(kind: str, seed: int) -> tuple[dict, list[float]]:
    """Train on plain text, and return the weights, and the share of 500 sentences' words guessed.

    BERT guesses hidden words; GPT guesses each next one, and the end.
    """
    model, ids = untrained(seed), framed(language()[1]) if kind == "GPT" else language()[1]
    held, ids = ids[:500], ids[500:]

    def guesses(batch: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        real = batch != Vocab.pad_id
        if kind == "GPT":
            logits = model(batch[:, :-1], causal_mask(batch.shape[1] - 1))
            return logits[real[:, 1:]], batch[:, 1:][real[:, 1:]]
        hidden = (torch.rand(batch.shape, generator=generator) < HIDDEN) & real
        given = batch.masked_fill(hidden, Vocab.mask_id)
        return model(given, padding_mask(given, Vocab.pad_id))[hidden], batch[hidden]

    def score() -> float:
        guessed, wanted = guesses(held, torch.Generator().manual_seed(99))
        return (guessed.argmax(dim=1) == wanted).float().mean().item()

    def loss(generator: torch.Generator) -> Tensor:
        return nn.functional.cross_entropy(*guesses(ids[some(len(ids), generator)], generator))

    curve = fit(model, loss, PRETRAINING, score, seed)
    return model.state_dict(), curve


def framed(ids: Tensor) -> Tensor:
    """Put bos before each row and eos after its last word, (B, T + 2)."""
    end = (ids != Vocab.pad_id).sum(dim=1, keepdim=True) + 1
    wider = nn.functional.pad(nn.functional.pad(ids, (1, 0), value=Vocab.bos_id), (0, 1))
    return wider.scatter(1, end, Vocab.eos_id)


def common_word() -> dict:
    """Return how often the most frequent word is right for a hidden word, sizes and counts."""
    words = language()[1]
    held, rest = words[:500], words[500:]
    common = rest[rest != Vocab.pad_id].mode().values
    return {
        "right": round((held[held != Vocab.pad_id] == common).float().mean().item(), 4),
        "sentences": len(rest),
        "before_a_noun": {
            word: sum((word, "的") in zip(p.src, p.src[1:], strict=False) for p in corpus().train)
            for word in ("累", "困", "宽")
        },
        "of_her": {
            word: sum(p.src[:3] == ("她", "很", word) for p in corpus().train)
            for word in ("累", "困", "宽")
        },
        "parameters": sum(p.numel() for p in untrained(0).parameters()),
    }


def split_of_adjectives(seed: int) -> tuple[set[str], set[str]]:
    """Split the adjectives of each answer in two halves, without 饿, which goes with both."""
    goes_with = defaultdict(set)
    for pair, label in language()[2]:
        goes_with[adjective(pair)].add(label)
    generator = torch.Generator().manual_seed(1000 + seed)
    halves = set(), set()
    for label in (0, 1):
        names = sorted(name for name, labels in goes_with.items() if labels == {label})
        for n, i in enumerate(torch.randperm(len(names), generator=generator).tolist()):
            halves[2 * n < len(names) - 1].add(names[i])
    return halves


def nearest_known(embedding: Tensor, known: set[str], new: set[str]) -> dict[str, str]:
    """Return for each new adjective the known one with the nearest embedding; known stay as is.

    The nearest by the cosine of their embeddings, (V, D), less the mean of all these adjectives.
    """
    names = sorted(known | new)
    vectors = embedding[torch.tensor(language()[0].ids(names))]
    unit = nn.functional.normalize(vectors - vectors.mean(dim=0), dim=1)
    cosines = (unit @ unit.T).masked_fill(torch.tensor([name in new for name in names]), -2)
    nearest = zip(names, cosines.argmax(dim=1).tolist(), strict=True)
    return {name: name if name in known else names[i] for name, i in nearest}


def by_adjective(asked: list[tuple[Pair, int]], right: list[bool]) -> dict[str, float]:
    """Return the share of right answers for each adjective."""
    found = defaultdict(list)
    for (pair, _), one in zip(asked, right, strict=True):
        found[adjective(pair)].append(one)
    return {name: round(sum(each) / len(each), 4) for name, each in sorted(found.items())}


def refer(*, model: str, seed: int) -> dict:
    """Say what *it* refers to, after 200 labels; they show half of the adjectives.

    Asked of twins whose adjectives both are of this half, and of twins with the other half.
    """
    vocab, _, train, test = language()
    known, new = split_of_adjectives(seed)
    train = [one for one in train if adjective(one[0]) in known]
    order = torch.randperm(len(train), generator=torch.Generator().manual_seed(seed))
    few = [train[i] for i in order[:LABELS].tolist()]
    twins = list(zip(test[::2], test[1::2], strict=True))
    tests = {
        name: [one for both in twins if {adjective(p) for p, _ in both} <= half for one in both]
        for name, half in (("known", known), ("new", new))
    }
    sizes = {f"asked_{name}": len(each) for name, each in tests.items()}
    body, curve = untrained(seed), []
    kind = "GPT" if model.startswith("GPT") else "BERT"
    if "scratch" not in model:
        weights, curve = pretrained(kind, seed)
        body.load_state_dict(weights)
    if model == "nearest embedding":
        asks = nearest_known(body.embedding.weight.detach(), known, new)
        counts = defaultdict(Counter)
        for pair, label in few:
            counts[adjective(pair)][label] += 1
        common = Counter(label for _, label in few)
        guesses = {
            name: [
                counts.get(asks[adjective(p)], common).most_common(1)[0][0] == w for p, w in each
            ]
            for name, each in tests.items()
        }
        shares = {name: round(sum(each) / len(each), 4) for name, each in guesses.items()}
        unlabelled = sorted(known - set(counts))  # a known one that is in none of the 200
        each = by_adjective(tests["new"], guesses["new"])
        return shares | {"tired": asks["累"], "unlabelled": unlabelled, "each": each} | sizes
    at_end = kind == "GPT" and "mean" not in model  # where all is read
    updates = (0, TUNING // 2, TUNING)
    torch.manual_seed(seed)
    net = nn.ModuleList([body, nn.Linear(32, 2)])

    def answer(ids: Tensor) -> Tensor:
        ids = framed(ids) if kind == "GPT" else ids
        mask = causal_mask(ids.shape[1]) if kind == "GPT" else padding_mask(ids, Vocab.pad_id)
        real = ((ids == Vocab.eos_id) if at_end else (ids != Vocab.pad_id)).unsqueeze(2)
        return net[1]((body.vectors(ids, mask) * real).sum(dim=1) / real.sum(dim=1))

    ids, given = rows(vocab, [pair for pair, _ in few]), torch.tensor([label for _, label in few])

    def loss(generator: torch.Generator) -> Tensor:
        batch = some(LABELS, generator)
        return nn.functional.cross_entropy(answer(ids[batch]), given[batch])

    def rights(name: str) -> Tensor:
        wanted = torch.tensor([label for _, label in tests[name]])
        return answer(rows(vocab, [pair for pair, _ in tests[name]])).argmax(dim=1) == wanted

    def score(name: str) -> float:
        return rights(name).float().mean().item()

    scores = fit(net, loss, updates, partial(score, "new"), seed)
    with torch.no_grad():
        right = round(score("known"), 4)
        each = by_adjective(tests["new"], rights("new").tolist())
    found = {
        "known": right,
        "new": scores[-1],
        "each": each,
        "curve": scores,
        "updates": updates,
    }
    return found | sizes | ({"words": curve, "word_updates": PRETRAINING} if curve else {})


def as_sentences() -> tuple[Tensor, Tensor]:
    """Return the codebook, and the digits as sentences: a word and 16 codes, (N, 17)."""
    pictures, labels = digits()
    patches = to_patches(pictures, 2)
    entries = codebook(patches[:DRAWN_ON], ENTRIES)
    words = ENTRIES + labels[:, None]
    return entries, torch.cat([words, to_codes(patches, entries)], dim=1)


def loss_of(writer: LanguageModel, rows: Tensor) -> Tensor:
    """Return the mean loss of a writer's guesses, in nats a code."""
    logits = writer(rows[:, :-1], causal_mask(16))
    return nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def train_writer(sentences: Tensor, seed: int) -> tuple[LanguageModel, dict]:
    """Train on 1,000 digits, keep the weights with the least loss on the 200 after them.

    Returns the writer, and its losses on the 597 that come last.
    """
    seen, held, new = sentences.split(
        [DRAWN_ON, TRAINED_ON - DRAWN_ON, len(sentences) - TRAINED_ON]
    )
    torch.manual_seed(seed)
    writer = LanguageModel(ENTRIES + 10, **WRITER, max_len=16)
    by_then, kept = [], {}

    def score() -> float:
        by_then.append(loss_of(writer, held).item())
        if by_then[-1] == min(by_then):
            kept.update({name: weight.clone() for name, weight in writer.state_dict().items()})
        return loss_of(writer, new).item()

    def loss(generator: torch.Generator) -> Tensor:
        return loss_of(writer, seen[some(DRAWN_ON, generator)])

    curve = fit(writer, loss, DRAWING, score, seed)
    writer.load_state_dict(kept)
    best = by_then.index(min(by_then))
    found = {"loss": curve[best], "kept": DRAWING[best], "curve": curve, "updates": DRAWING}
    return writer, found


def draw(*, model: str, seed: int) -> dict:
    """Write pictures code by code: nats per code of new digits, and how the pictures look."""
    pictures, labels = digits()
    entries, sentences = as_sentences()
    seen, new = sentences[:DRAWN_ON], sentences[TRAINED_ON:]
    generator = torch.Generator().manual_seed(seed)
    words = ENTRIES + torch.arange(10).repeat(40)
    if model == "tuned counts":  # how often each code stands at each place of this digit
        known = nn.functional.one_hot(seen[:, 1:], ENTRIES)
        tables = [known[labels[:DRAWN_ON] == digit].sum(dim=0) for digit in range(10)]

        def table(added: float) -> Tensor:
            counts = torch.stack(tables) + added
            return counts / counts.sum(dim=-1, keepdim=True)

        def loss(added: float, rows: Tensor) -> float:
            each = table(added)[rows[:, 0] - ENTRIES].gather(2, rows[:, 1:, None])
            return round(-each.log().mean().item(), 4)

        added = min(SMOOTHINGS, key=lambda one: loss(one, sentences[DRAWN_ON:TRAINED_ON]))
        found, shares = {"loss": loss(added, new), "added": added}, table(added)
        drawn = torch.multinomial(shares[words - ENTRIES].flatten(0, 1), 1, generator=generator)
        return found | look(from_patches(entries[drawn.view(-1, 16)], 8), words, pictures, entries)
    if model == "real":
        again = from_patches(entries[new[:, 1:]], 8)
        return look(again, new[:, 0], pictures, entries)
    writer, found = train_writer(sentences, seed)
    ids = words[:, None]
    with torch.no_grad():
        for _ in range(16):
            logits = writer(ids, causal_mask(ids.shape[1]))[:, -1, :ENTRIES]
            ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1, generator=generator)], 1)
    return found | look(from_patches(entries[ids[:, 1:]], 8), words, pictures, entries)


def look(drawn: Tensor, words: Tensor, pictures: Tensor, entries: Tensor) -> dict:
    """Judge pictures: are they read as their digit, and how far is the nearest training picture?"""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy, and nobody else's

    _, labels = digits()
    seen = pictures[:DRAWN_ON]
    judge = LogisticRegression(max_iter=2000).fit(
        seen.flatten(1).numpy(), labels[:DRAWN_ON].numpy()
    )
    read = judge.score(drawn.flatten(1).numpy(), (words - ENTRIES).numpy())
    coded = from_patches(entries[to_codes(to_patches(seen, 2), entries)], 8)
    nearest = torch.cdist(drawn.flatten(1), coded.flatten(1)).amin(dim=1)
    same = (nearest < 1e-4).double().mean().item()
    return {
        "read": round(read, 4),
        "nearest": round(nearest.mean().item(), 4),
        "copied": round(same, 4),
    }


def run(*, again: bool) -> None:
    """Train every model, seed by seed."""

    def measure(*, task: str, model: str, seed: int) -> dict:
        if task == "digits":
            return classify(seed=seed)
        if task == "draw":
            return draw(model=model, seed=seed)
        if task == "translate":
            return translate(model=model, seed=seed)
        if task == "words":
            return common_word()
        return refer(model=model, seed=seed)

    order = []
    for seed in SEEDS:
        order.append({"task": "digits", "model": "ViT", "seed": seed})
        for model in ("real", "tuned counts", "writer"):
            order.append({"task": "draw", "model": model, "seed": seed})
    for seed in SEEDS:
        for model in ("encoder–decoder", "prefix", "causal", "prefix one too long"):
            order.append({"task": "translate", "model": model, "seed": seed})
    order.append({"task": "words", "model": "most frequent", "seed": 0})
    for seed in SEEDS:
        for model in (
            *("from scratch", "pre-trained", "nearest embedding"),
            *("GPT from scratch", "GPT", "GPT, mean"),
        ):
            order.append({"task": "halves", "model": model, "seed": seed})
    record("family", order, measure, data=DATA, again=again)
