"""Chapter 21: a picture as a sentence, and what *it* refers to: five seeds, with baselines.

The digits keep scikit-learn's order: the first 1,200 to train on, the other 597 to test. The
question about *it* is trained on sentences of the training part and asked of the minimal pairs.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache, partial
from itertools import repeat

import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from attnsteps import (
    Encoder,
    EncoderLayer,
    FeedForward,
    LanguageModel,
    LayerNorm,
    LearnedPositions,
    MultiHeadAttention,
    Pair,
    Run,
    Sublayer,
    TrainingConfig,
    Vocab,
    causal_mask,
    codebook,
    digits,
    from_patches,
    padding_mask,
    to_codes,
    to_patches,
)
from scripts.experiments import SEEDS, record
from scripts.recipes import corpus

DATA = "scikit-learn's digits, 1,200 to train on and 597 to test; generated(40000, seed=0)"
TRAINED_ON, CURVE, BATCH = 1200, (0, 100, 200, 400, 600, 800), 64
SIZES = {"num_layers": 2, "d_model": 32, "num_heads": 4, "d_ff": 96}
ENTRIES, DRAWING = 16, (0, 100, 200, 300, 400)
WRITER = {"num_layers": 2, "d_model": 64, "num_heads": 4, "d_ff": 192}
PRETRAINING, TUNING, LABELS, HIDDEN = (0, 200, 400, 600, 800), 200, (20, 200), 0.15


class ViT(nn.Module):
    """Patches as words: a linear layer, positions, the encoder, and the mean says which digit."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Linear(4, 32)
        self.positions = LearnedPositions(16, 32)
        self.encoder = Encoder(
            2,
            lambda: EncoderLayer(
                MultiHeadAttention(32, 4), FeedForward(32, 96), partial(Sublayer, 32, pre_norm=True)
            ),
            LayerNorm(32),
        )
        self.head = nn.Linear(32, 10)

    def forward(self, pictures: Tensor) -> Tensor:
        """Return the logits, (B, 10), of pictures (B, 8, 8)."""
        x = self.embedding(to_patches(pictures, 2)) + self.positions(16)
        return self.head(self.encoder(x)[0].mean(dim=1))


def convolution() -> nn.Module:
    """Make a small convolution: two layers of 3 × 3, then a linear one."""
    return nn.Sequential(
        nn.Unflatten(1, (1, 8)),
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(512, 10),
    )


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


def classify(*, model: str, seed: int) -> dict:
    """Tell the ten digits apart."""
    pictures, labels = digits()
    seen, known = pictures[:TRAINED_ON], labels[:TRAINED_ON]
    new, wanted = pictures[TRAINED_ON:], labels[TRAINED_ON:]
    if model == "most frequent":
        return {"right": round((wanted == known.mode().values).float().mean().item(), 4)}
    if model == "logistic regression":
        linear = LogisticRegression(max_iter=2000).fit(seen.flatten(1).numpy(), known.numpy())
        return {"right": round(linear.score(new.flatten(1).numpy(), wanted.numpy()), 4)}
    torch.manual_seed(seed)
    net = ViT() if model == "ViT" else convolution()

    def loss(generator: torch.Generator) -> Tensor:
        rows = some(TRAINED_ON, generator)
        return nn.functional.cross_entropy(net(seen[rows]), known[rows])

    def score() -> float:
        return (net(new).argmax(dim=1) == wanted).float().mean().item()

    curve = fit(net, loss, CURVE, score, seed)
    parameters = sum(p.numel() for p in net.parameters())
    return {"right": curve[-1], "curve": curve, "updates": CURVE, "parameters": parameters}


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
def pretrained(seed: int) -> tuple[dict, list[float]]:
    """Guess hidden words; return the weights, and the share of 500 sentences' words guessed."""
    model, ids = untrained(seed), language()[1]
    held, ids = ids[:500], ids[500:]

    def hide(batch: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        hidden = torch.rand(batch.shape, generator=generator) < HIDDEN
        hidden &= batch != Vocab.pad_id
        given = batch.masked_fill(hidden, Vocab.mask_id)
        return model(given, padding_mask(given, Vocab.pad_id))[hidden], batch[hidden]

    def score() -> float:
        guessed, wanted = hide(held, torch.Generator().manual_seed(99))
        return (guessed.argmax(dim=1) == wanted).float().mean().item()

    def loss(generator: torch.Generator) -> Tensor:
        return nn.functional.cross_entropy(*hide(ids[some(len(ids), generator)], generator))

    curve = fit(model, loss, PRETRAINING, score, seed)
    return model.state_dict(), curve


def refer(*, model: str, labels: int, seed: int) -> dict:
    """Say what *it* refers to, after a few labelled sentences; the same ones for every model."""
    vocab, _, train, test = language()
    order = torch.randperm(len(train), generator=torch.Generator().manual_seed(seed))
    few = [train[i] for i in order[:labels].tolist()]
    wanted = torch.tensor([label for _, label in test])
    common = Counter(label for _, label in few).most_common(1)[0][0]
    if model == "most frequent":
        return {"right": round((wanted == common).float().mean().item(), 4)}
    if model == "counts of adjectives":
        counts = defaultdict(Counter)
        for pair, label in few:
            counts[adjective(pair)][label] += 1
        found = [counts.get(adjective(pair), Counter([common])) for pair, _ in test]
        guess = torch.tensor([count.most_common(1)[0][0] for count in found])
        return {"right": round((guess == wanted).float().mean().item(), 4)}
    body, curve = untrained(seed), []
    if model == "pre-trained":
        weights, curve = pretrained(seed)
        body.load_state_dict(weights)
    torch.manual_seed(seed)
    net = nn.ModuleList([body, nn.Linear(32, 2)])

    def answer(ids: Tensor) -> Tensor:
        real = (ids != Vocab.pad_id).unsqueeze(2)
        vectors = body.vectors(ids, padding_mask(ids, Vocab.pad_id)) * real
        return net[1](vectors.sum(dim=1) / real.sum(dim=1))

    ids, new = rows(vocab, [pair for pair, _ in few]), rows(vocab, [pair for pair, _ in test])
    given = torch.tensor([label for _, label in few])

    def loss(generator: torch.Generator) -> Tensor:
        batch = some(labels, generator)
        return nn.functional.cross_entropy(answer(ids[batch]), given[batch])

    def score() -> float:
        return (answer(new).argmax(dim=1) == wanted).float().mean().item()

    scores = fit(net, loss, (0, TUNING // 2, TUNING), score, seed)
    found = {"right": scores[-1], "curve": scores, "updates": (0, TUNING // 2, TUNING)}
    return found | ({"words": curve, "word_updates": PRETRAINING} if curve else {})


def draw(*, model: str, seed: int) -> dict:
    """Write pictures code by code: nats per code of new digits, and how the pictures look."""
    pictures, labels = digits()
    patches = to_patches(pictures, 2)
    entries = codebook(patches[:TRAINED_ON], ENTRIES)
    codes = to_codes(patches, entries)
    sentences = torch.cat([ENTRIES + labels[:, None], codes], dim=1)
    seen, new = sentences[:TRAINED_ON], sentences[TRAINED_ON:]
    generator = torch.Generator().manual_seed(seed)
    words = ENTRIES + torch.arange(10).repeat(40)
    if model == "counts":  # how often each code stands at each place of this digit
        known = nn.functional.one_hot(codes[:TRAINED_ON], ENTRIES)
        tables = [known[labels[:TRAINED_ON] == digit].sum(dim=0) + 1 for digit in range(10)]
        shares = torch.stack(tables) / torch.stack(tables).sum(dim=-1, keepdim=True)
        each = shares[new[:, 0] - ENTRIES].gather(2, new[:, 1:, None])
        found = {"loss": round(-each.log().mean().item(), 4)}
        drawn = torch.multinomial(shares[words - ENTRIES].flatten(0, 1), 1, generator=generator)
        return found | look(from_patches(entries[drawn.view(-1, 16)], 8), words, pictures, entries)
    if model == "real":
        again = from_patches(entries[codes[TRAINED_ON:]], 8)
        return look(again, new[:, 0], pictures, entries)
    torch.manual_seed(seed)
    writer = LanguageModel(ENTRIES + 10, **WRITER, max_len=16)

    def loss(rows: Tensor) -> Tensor:
        logits = writer(rows[:, :-1], causal_mask(16))
        return nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())

    curve = fit(
        writer,
        lambda generator: loss(seen[some(TRAINED_ON, generator)]),
        DRAWING,
        lambda: loss(new).item(),
        seed,
    )
    ids = words[:, None]
    with torch.no_grad():
        for _ in range(16):
            logits = writer(ids, causal_mask(ids.shape[1]))[:, -1, :ENTRIES]
            ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1, generator=generator)], 1)
    drawn = from_patches(entries[ids[:, 1:]], 8)
    found = {"loss": curve[-1], "curve": curve, "updates": DRAWING}
    return found | look(drawn, words, pictures, entries)


def look(drawn: Tensor, words: Tensor, pictures: Tensor, entries: Tensor) -> dict:
    """Judge pictures: are they read as their digit, and how far is the nearest training picture?"""
    _, labels = digits()
    seen = pictures[:TRAINED_ON]
    judge = LogisticRegression(max_iter=2000).fit(
        seen.flatten(1).numpy(), labels[:TRAINED_ON].numpy()
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

    def measure(*, task: str, model: str, seed: int, labels: int = 0) -> dict:
        if task == "digits":
            return classify(model=model, seed=seed)
        if task == "draw":
            return draw(model=model, seed=seed)
        return refer(model=model, labels=labels, seed=seed)

    order = []
    for seed in SEEDS:
        for model in ("most frequent", "logistic regression", "convolution", "ViT"):
            order.append({"task": "digits", "model": model, "seed": seed})
        for model in ("real", "counts", "writer"):
            order.append({"task": "draw", "model": model, "seed": seed})
        for labels in LABELS:
            for model in ("most frequent", "counts of adjectives", "from scratch", "pre-trained"):
                order.append({"task": "it", "model": model, "labels": labels, "seed": seed})
    record("family", order, measure, data=DATA, again=again)
