"""The weights that the package ships: small enough, as good as they say, and with a provenance."""

import json

import pytest

from attnsteps.corpora.generated.corpus import generated
from attnsteps.translator.trained import ASSETS, pretrained

MODELS = ["zh_en", "zh_en_one_shot", "zh_en_mask_predict"]
STEPS = sorted(path.stem for path in ASSETS.glob("zh_en_step_*.safetensors"))
RESULTS = json.loads((ASSETS / "results.json").read_text(encoding="utf-8"))
RUNNING = ["动物没有过马路，因为太累了", "动物没有过马路，因为太宽了"]


def test_every_file_is_small():
    for name in MODELS:
        assert (ASSETS / f"{name}.safetensors").stat().st_size <= 700_000
    stops = [(ASSETS / f"{name}.safetensors").stat().st_size for name in STEPS]
    assert len(stops) == 12
    assert sum(stops) <= 2_000_000
    assert (ASSETS / "everyday.safetensors").stat().st_size <= 2_500_000
    assert (ASSETS / "digit_writer.safetensors").stat().st_size <= 120_000


def test_every_file_has_its_row_of_results_and_the_other_way_round():
    rows = [row for part in RESULTS.values() for row in part["rows"] if "asset" in row]
    files = {path.stem for path in ASSETS.glob("*.safetensors")}
    assert {row["asset"] for row in rows} == files
    for row in rows:
        own = {"everyday": {"BLEU, beam 4"}, "digit_writer": {"loss"}}
        scores = own.get(row["asset"], {"unseen", "combinations"})
        assert {"seed", "steps", "parameters"} | scores <= set(row)


@pytest.mark.parametrize("part", RESULTS)
def test_every_result_says_how_it_came_about(part):
    assert {"command", "hardware", "threads", "torch", "corpus"} <= set(RESULTS[part])
    assert RESULTS[part]["rows"]


@pytest.mark.parametrize("name", MODELS)
def test_the_running_sentence_and_its_twin_are_translated(name):
    found = [one.text for one in pretrained(name).translate(RUNNING)]
    start = "the animal did not cross the street because it was too"
    assert found == [f"{start} tired", f"{start} wide"]


def test_the_sentences_of_the_whole_transformer_are_held_out():
    splits = generated()
    right = ("学生什么时候会卖我的椅子？", "when will the student sell my chair ?")
    wrong = (
        "这个女孩不会在厨房里吃那个苹果，因为太酸了",
        "this girl will not eat that apple in the kitchen because it is too sour",
    )
    found = [one.tokens for one in pretrained().translate([right[0], wrong[0]])]
    for (source, target), part in ((right, splits.unseen), (wrong, splits.longer)):
        assert [" ".join(pair.tgt) for pair in part if "".join(pair.src) == source] == [target]
    assert [" ".join(words) for words in found] == [right[1], wrong[1].replace("that", "that sour")]
    held_out = {"".join(pair.src) for pair in splits.pronouns}
    assert held_out >= set(RUNNING)
    longest = max(len(pair.tgt) for pair in splits.train)
    assert min(len(pair.tgt) for pair in splits.longer) > longest


@pytest.mark.parametrize("name", MODELS)
def test_what_is_shipped_is_as_good_as_its_row_says(name):
    row = next(r for part in RESULTS.values() for r in part["rows"] if r.get("asset") == name)
    pairs = generated().combinations[:200]
    found = pretrained(name).translate(["".join(pair.src) for pair in pairs], batch_size=200)
    right = sum(tuple(one.tokens) == pair.tgt for one, pair in zip(found, pairs, strict=True))
    share = row["combinations"]  # of 3,000; in these 200 chance may move it by three deviations
    assert abs(right / len(pairs) - share) < 3 * (share * (1 - share) / 200) ** 0.5 + 0.005


def test_the_shipped_models_are_as_good_as_promised():
    rows = {
        row["asset"]: row for part in RESULTS.values() for row in part["rows"] if "asset" in row
    }
    assert rows["zh_en"]["combinations"] >= 0.995
    assert rows["zh_en"]["pronouns"] >= 0.995
    assert rows["zh_en_one_shot"]["combinations"] >= 0.98
    assert rows["zh_en_mask_predict"]["combinations"] >= 0.99


def test_the_recipe_of_a_minute_kept_its_word_from_every_seed():
    assert RESULTS["recipe"]["threads"] == 1
    rows = RESULTS["recipe"]["rows"]
    assert sorted(row["seed"] for row in rows) == [0, 1, 2, 3, 4]
    assert all(row["combinations"] >= 0.96 and row["pronouns"] >= 0.97 for row in rows)
    assert all(row["cpu_seconds"] <= 60 for row in rows)


def test_the_checkpoints_along_the_way_get_better():
    rows = sorted(RESULTS["steps"]["rows"], key=lambda row: row["step"])
    assert [f"zh_en_step_{row['step']:04d}" for row in rows] == STEPS
    assert rows[0]["combinations"] == 0
    assert rows[-1]["combinations"] > 0.9


def test_the_everyday_translator_reads_what_people_type():
    everyday = pretrained("everyday")
    running = [f"{sentence}{stop}" for sentence in RUNNING for stop in ("", "。", ".")]
    typed = [*running, "動物沒有過馬路，因為太累了", "动 物 没有过马路, 因为太累了 。"]
    found = [one.text for one in everyday.translate(typed)]
    start = "The animal did not cross the street because it was too"
    tired, wide = f"{start} tired.", f"{start} wide."
    assert found == [tired] * 3 + [wide] * 3 + [tired] * 2
    (known,) = everyday.translate(["我爱你"])
    assert known.text == "I love you."


@pytest.mark.parametrize(
    "text",
    [
        "😀",
        "我爱你😀",
        "asdf qwer 1234",
        "龘龘龘",
        "مرحبا",
        "3.14",
        "！！！",
        "我" * 300,
        "?",
        "\ud7ff",
    ],
)
def test_the_everyday_translator_takes_anything(text):
    everyday = pretrained("everyday")
    for sentence in everyday.sentences(text):
        for search in ("greedy", "beam"):
            (found,) = everyday.translate([sentence], search=search)
            assert found.text
            assert set(found.unknown).isdisjoint(everyday.reading.characters)


def test_eight_bits_cost_the_everyday_translator_little():
    rows = RESULTS["everyday"]["rows"]
    for whole, eight in zip(rows[::2], rows[1::2], strict=True):
        assert (whole["weights"], eight["weights"]) == ("float32", "8 bits")
        assert whole["seed"] == eight["seed"]
        for score in ("BLEU, greedy", "BLEU, beam 4"):
            assert abs(eight[score] - whole[score]) <= 0.3


def test_the_authors_of_the_sentences_are_named():
    names = (ASSETS / "everyday_authors.txt").read_text(encoding="utf-8").splitlines()
    assert names == sorted(set(names))
    assert {"CK", "CM", "Martha"} <= set(names)
