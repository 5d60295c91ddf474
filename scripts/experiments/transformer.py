"""Chapter 15: random starts, wrong machines in trained translators, and one trained with."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from attnsteps import TrainingConfig, Transformer, collate, encode_pairs, pretrained, train
from attnsteps.corpora.generated.corpus import Pair
from attnsteps.text.batch import Batch
from attnsteps.training.loss import summed_cross_entropy
from attnsteps.translator.trained import Trained
from scripts.experiments import SEEDS, page, record
from scripts.recipes import build, corpus, learn

DATA = "generated(40000, seed=0), held-out sentences"
BOOK, SHORT, RANDOM = "the book's", "trained for 2,000 steps", "random"
TRAINED_IN = {"trained right": "", "trained with mistake 1": "1"}
SENTENCES = "动物没有过马路，因为太累了", "学生们有鸡蛋吗？"
STEPS, RECIPE = 2000, {"batch_size": 64, "peak": 0.005, "label_smoothing": 0.05}
PADDING = 8


def share_right(
    translate: Callable[[Tensor], list[str]], trained: Trained, pairs: Sequence[Pair], padding: int
) -> float:
    """Return how many of the sentences come out right; a batch holds one length only."""
    groups = defaultdict(list)
    for pair in pairs:
        groups[len(pair.src)].append(pair)
    right = 0
    for group in groups.values():
        rows = [trained.src_vocab.ids(pair.src) for pair in group]
        said = translate(functional.pad(torch.tensor(rows), (0, padding)))
        right += sum(
            tuple(words.split()) in pair.references for words, pair in zip(said, group, strict=True)
        )
    return round(right / len(pairs), 4)


def from_random(names: dict, seed: int) -> dict:
    """Return how many words a random start says, and what mistake 1 shifts, by decoder layers."""
    config, found = pretrained().model.config, {"shift": {}}
    for layers in (1, 2):
        torch.manual_seed(seed)
        mine = names["MyTransformer"](replace(config, num_decoder_layers=layers))
        with torch.no_grad():
            right, peeked = (
                names["last_rows"]((mine, names["encode"], one), names["SRC"], names["TGT"])
                for one in (names["decode"], names["decode_with"]("1"))
            )
        found["shift"][f"{layers}"] = round((peeked - right).abs().max().item(), 4)
    said = [names["write"](mine, names["ids"](text)).tolist() for text in SENTENCES]
    found["words"] = [len(set(one)) for one in said]
    return found | {"ended": any(names["EOS"] in one for one in said)}


def trained_in(
    names: dict, pairs: Sequence[Pair], test: Sequence[Pair], seed: int, mistake: str
) -> dict:
    """Train with a mistake from the first step; return the loss on new sentences and the score."""
    trained, examples = build(pairs, kind="autoregressive", seed=seed)
    decode = names["decode_with"](mistake)

    def loss_of(model: Transformer, batch: Batch, label_smoothing: float) -> tuple[Tensor, Tensor]:
        memory = names["encode"](model, batch.src_ids)
        logits = decode(model, batch.tgt_in, memory, batch.src_ids)
        return summed_cross_entropy(logits, batch.tgt_out, label_smoothing=label_smoothing)

    config = TrainingConfig(steps=STEPS, seed=seed, log=None, **RECIPE)
    train(trained.model, examples, config, loss_fn=loss_of, progress=False)
    machine = trained.model, names["encode"], decode
    with torch.no_grad():
        new = collate(encode_pairs(test, trained.src_vocab, trained.tgt_vocab))
        loss, number = loss_of(trained.model, new, 0.0)
        right = share_right(lambda src_ids: names["translate"](machine, src_ids), trained, test, 0)
    return {"loss": round((loss / number).item(), 4), "right": right}


def run(*, again: bool) -> None:
    """Try five random starts; then make each mistake in the book's translator and four others."""
    names, splits = page("transformer"), corpus()
    parts = {"unseen": (splits.unseen, 0), "padded": (splits.unseen, PADDING)}
    parts |= {"longer": (splits.longer, 0)}

    def measure(*, model: str, seed: int) -> dict:
        if model == RANDOM:
            return from_random(names, seed)
        if model in TRAINED_IN:
            return trained_in(names, splits.train, splits.unseen, seed, TRAINED_IN[model])
        trained = book = pretrained()
        if model != BOOK:
            trained = learn(splits.train, steps=STEPS, seed=seed, recipe=RECIPE)[0]
            assert trained.tgt_vocab == book.tgt_vocab
        mine = names["MyTransformer"](trained.model.config)
        mine.load_state_dict(trained.model.state_dict())
        machines = names["machines"](mine)
        found = defaultdict(dict)
        with torch.no_grad():
            rows = names["last_rows"](machines["right"], names["SRC"], names["TGT"])
            for name, machine in machines.items():
                for part, (pairs, padding) in parts.items():
                    if part == "unseen" or name == "right" or (part, name) == ("padded", "2"):
                        share = share_right(
                            lambda src_ids, machine=machine: names["translate"](machine, src_ids),
                            trained,
                            pairs,
                            padding,
                        )
                        found[part][name] = share
                changed = names["last_rows"](machine, names["SRC"], names["TGT"])
                found["shift"][name] = round((changed - rows).abs().max().item(), 2)
                heard = names["alarms"](*machine)
                found["alarms"][name] = [check for check, on in heard.items() if on]
        sizes = {"sentences": len(splits.unseen), "longer_sentences": len(splits.longer)}
        return {**sizes, **found}

    tasks = [{"model": RANDOM, "seed": seed} for seed in SEEDS]
    tasks += [{"model": BOOK, "seed": 0}]
    tasks += [{"model": SHORT, "seed": seed} for seed in SEEDS[:4]]
    tasks += [{"model": model, "seed": seed} for seed in SEEDS for model in TRAINED_IN]
    record("transformer", tasks, measure, data=DATA, again=again)
