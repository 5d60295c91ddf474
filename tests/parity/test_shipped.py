"""With the shipped weights, JavaScript writes the very tokens that Python writes."""

import base64
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page

from attnsteps import NonAutoregressive, all_at_once, beam, greedy, mask_predict
from attnsteps.text.corpus import generated
from attnsteps.training.trained import ASSETS, Trained

NUM_SENTENCES = 200
MAX_LEN = 40

# What each search is called in both languages, and its options there.
LEFT_TO_RIGHT = {
    "greedy": (greedy, {"max_len": MAX_LEN}, {"maxLen": MAX_LEN}),
    "greedy without cache": (
        greedy,
        {"max_len": MAX_LEN, "use_cache": False},
        {"maxLen": MAX_LEN, "useCache": False},
    ),
    "beam": (
        beam,
        {"beam_width": 4, "max_len": MAX_LEN},
        {"beamWidth": 4, "maxLen": MAX_LEN},
    ),
}
ALL_AT_ONCE = {
    "allAtOnce": (all_at_once, {}, {}),
    "maskPredict": (
        mask_predict,
        {"iterations": 4, "num_lengths": 3},
        {"iterations": 4, "numLengths": 3},
    ),
}
SEARCHES = {**LEFT_TO_RIGHT, **ALL_AT_ONCE}
MODULES = {"allAtOnce": "non_autoregressive", "maskPredict": "non_autoregressive"}

IN_BROWSER = """async ([base, file, module, name, sources, options]) => {
  const { loadTransformer } = await import(`${base}maths/model/transformer.js`);
  const search = (await import(`${base}maths/model/${module}.js`))[name];
  const model = loadTransformer(Uint8Array.from(atob(file), (c) => c.charCodeAt()).buffer);
  return sources.map((ids) => {
    const found = search(model, ids, options);
    return found.ids ?? found.hypotheses[0].ids;
  });
}"""

FILES = sorted(path for path in ASSETS.glob("*.safetensors") if "_step_" not in path.stem)


def fits(trained: Trained, search: str) -> bool:
    """Say whether a model can do that."""
    return isinstance(trained.model, NonAutoregressive) == (search in ALL_AT_ONCE)


def sources(trained: Trained, count: int) -> list[list[int]]:
    """Return ids of sentences of every part of the corpus, short and long, known and new."""
    parts = [part[:count] for part in generated(20 * count, seed=5)]
    pairs = [pair for part in parts for pair in part]
    step = len(pairs) / count
    return [trained.src_vocab.ids(pairs[int(i * step)].src) for i in range(count)]


def in_python(trained: Trained, search: str, rows: list[list[int]]) -> list[list[int]]:
    """Translate in Python, each sentence alone, so that no rounding depends on its neighbours."""
    function, options, _ = SEARCHES[search]
    found = [function(trained.model, torch.tensor([row]), **options).best for row in rows]
    return [each.ids[0].tolist() for each in found]


def in_browser(
    page: Page, base: str, file: Path, search: str, rows: list[list[int]]
) -> list[list[int]]:
    """Translate in the browser, from the same file."""
    name = search.split(maxsplit=1)[0]
    encoded = base64.b64encode(file.read_bytes()).decode()
    options = SEARCHES[search][2]
    return page.evaluate(IN_BROWSER, [base, encoded, MODULES.get(name, name), name, rows, options])


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_sentences_get_the_same_tokens_in_both_languages(file, search, maths_page):
    trained = Trained.load(file)
    if not fits(trained, search):
        pytest.skip(f"{search} is not for a {type(trained.model).__name__}, as {file.stem} is")
    count = (
        NUM_SENTENCES // 4 if "without cache" in search else NUM_SENTENCES
    )  # slow, as it must be
    rows = sources(trained, count)
    got = in_browser(*maths_page, file, search, rows)
    want = in_python(trained, search, rows)
    assert [i for i, pair in enumerate(zip(got, want, strict=True)) if pair[0] != pair[1]] == []
    assert len({tuple(ids) for ids in got}) > count / 2  # not one sentence for all
