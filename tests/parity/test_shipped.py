"""With the shipped weights, JavaScript writes the very tokens that Python writes."""

import base64
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page

from attnsteps import all_at_once, beam, greedy, mask_predict
from attnsteps.corpora.generated.corpus import generated
from attnsteps.translator.trained import ASSETS, Trained

NUM_SENTENCES, ALL_SENTENCES = 60, 200  # the second in make elsewhere
MAX_LEN = 40

# The searches for each file, as they are called in both languages, and their options there.
SEARCHES = {
    "zh_en": {
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
    },
    "everyday": {
        "beam": (
            beam,
            {"beam_width": 4, "max_len": MAX_LEN, "alpha": 2.0},
            {"beamWidth": 4, "maxLen": MAX_LEN, "alpha": 2},
        ),
    },
    "zh_en_one_shot": {"allAtOnce": (all_at_once, {}, {})},
    "zh_en_mask_predict": {
        "maskPredict": (
            mask_predict,
            {"iterations": 4, "num_lengths": 3},
            {"iterations": 4, "numLengths": 3},
        ),
    },
}
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


def sources(trained: Trained, count: int) -> list[list[int]]:
    """Return ids of sentences of every part of the corpus, short and long, known and new."""
    parts = [part[:count] for part in generated(20 * count, seed=5)]
    pairs = [pair for part in parts for pair in part]
    step = len(pairs) / count
    texts = ["".join(pairs[int(i * step)].src) for i in range(count)]
    if trained.reading is not None:
        texts = [trained.reading.readable(text)[0] for text in texts]
    return [trained.src_vocab.ids(trained.src_tokenizer.tokenize(text)) for text in texts]


def in_python(trained: Trained, search: tuple, rows: list[list[int]]) -> list[list[int]]:
    """Translate in Python, each sentence alone, so that no rounding depends on its neighbours."""
    function, options, _ = search
    found = [function(trained.model, torch.tensor([row]), **options).best for row in rows]
    return [each.ids[0].tolist() for each in found]


def in_browser(
    maths_page: tuple[Page, str], file: Path, name: str, options: dict, rows: list[list[int]]
) -> list[list[int]]:
    """Translate in the browser, from the same file."""
    page, base = maths_page
    encoded = base64.b64encode(file.read_bytes()).decode()
    return page.evaluate(IN_BROWSER, [base, encoded, MODULES.get(name, name), name, rows, options])


def test_every_file_has_its_searches():
    stems = {path.stem for path in ASSETS.glob("*.safetensors") if "_step_" not in path.stem}
    assert stems - {"digit_writer"} == set(SEARCHES)  # that one translates nothing


@pytest.mark.parametrize(
    ("stem", "search"), [(stem, search) for stem, those in SEARCHES.items() for search in those]
)
def test_sentences_get_the_same_tokens_in_both_languages(stem, search, maths_page, request):
    file = ASSETS / f"{stem}.safetensors"
    trained = Trained.load(file)
    # Without a cache it is slow, as it must be; and so is the larger model.
    is_slow = "without cache" in search or stem == "everyday"
    few = NUM_SENTENCES // 2 if is_slow else NUM_SENTENCES
    count = ALL_SENTENCES if request.config.option.all else few
    rows = sources(trained, count)
    how = SEARCHES[stem][search]
    got = in_browser(maths_page, file, search.split(maxsplit=1)[0], how[2], rows)
    want = in_python(trained, how, rows)
    assert [i for i, pair in enumerate(zip(got, want, strict=True)) if pair[0] != pair[1]] == []
    assert len({tuple(ids) for ids in got}) > count / 2  # not one sentence for all
