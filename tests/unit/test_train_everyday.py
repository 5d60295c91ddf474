"""What the everyday translator learns from: real pairs, and what is made of them."""

import re
from random import Random

import nbformat

from attnsteps.corpora.generated.corpus import generated
from attnsteps.corpora.parallel import TextPair
from scripts import train_everyday
from scripts.execution import BOOK
from scripts.experiments import your_own_sentence
from scripts.train_everyday import authors, copied, taught, without_stop, written_out

PAIRS = [
    TextPair("现在是7点45分.", "It's 7:45.", "tatoeba.org #1 (CK) & #2 (Venki)"),
    TextPair("我有3只猫.", "I have three cats."),  # the number is in one sentence alone
    TextPair("Tom是我哥哥.", "Tom is my brother."),
    TextPair("汤姆会来吗?", "Will Tom come?", "tatoeba.org #3 (CK) & #4 (o (o) o)"),
    TextPair("我爱你.", "I love you."),
]


def test_only_the_source_loses_its_final_mark():
    assert [without_stop(pair).src[-1] for pair in PAIRS] == list("分猫哥吗你")
    assert [without_stop(pair).tgt for pair in PAIRS] == [pair.tgt for pair in PAIRS]


def test_a_generated_pair_is_written_with_capitals_and_a_stop():
    written = [written_out(pair) for pair in generated(2000).train]
    for pair in written:
        assert pair.src[-1] == pair.tgt[-1]
        assert pair.tgt[-1] in ".?"
        assert pair.tgt[0].isupper()
        assert not re.search(r"\bi\b|english|[，？。]", pair.src + pair.tgt)
    assert any(" I " in pair.tgt for pair in written)
    assert any("English" in pair.tgt for pair in written)


def test_numbers_and_names_are_the_same_on_both_sides():
    made = list(copied(PAIRS, Random(0)))
    numbers = [pair for pair in made if "点" in pair.src]
    named = [pair for pair in made if re.search("哥哥|会来吗", pair.src)]
    assert len(numbers) == len(set(numbers)) == 6
    assert len(named) == 7
    assert made == numbers + named  # of the other pairs nothing is made
    for pair in numbers:
        assert re.findall(r"\d+", pair.src) == re.findall(r"\d+", pair.tgt)
    for pair in named:
        (name,) = re.findall("[A-Z][a-z]+", pair.src)
        assert name != "Tom"
        assert name in pair.tgt
        assert "Tom" not in pair.tgt


def test_all_of_it_is_taught_with_and_without_the_final_mark():
    pairs = taught(PAIRS).pairs()
    assert len(pairs) == 2 * (len(PAIRS) + 6 + 7 + 6000)
    assert {pair.src for pair in PAIRS} <= {pair.src for pair in pairs}
    assert {without_stop(pair).src for pair in pairs} <= {pair.src for pair in pairs}


def test_every_author_is_named_once():
    assert authors(PAIRS) == ["CK", "Venki", "o (o) o"]


def test_the_recipe_in_the_chapters_table_is_the_one_that_is_used():
    cells = nbformat.read(BOOK / "23_your_own_sentence.ipynb", as_version=4).cells
    (table,) = (one.source for one in cells if "| merges |" in one.source)
    rows = dict(re.findall(r"^\| ([\w ,]+) \|.*\| ([^|]+) \|$", table, re.M))
    sizes, recipe = train_everyday.SIZES, train_everyday.RECIPE
    layers = f"{sizes['num_encoder_layers']} + {sizes['num_decoder_layers']}"
    assert rows["layers, width"] == f"{layers}, {sizes['d_model']}"
    assert rows["merges"] == f"{train_everyday.MERGES:,}"
    assert rows["dropout"] == str(sizes["dropout"])
    peaks = train_everyday.STEADY["peak"], train_everyday.FALLING["peak"]
    assert rows["learning rate"] == "{}, then {} down to 0".format(*peaks)
    assert rows["tokens in a batch"] == f"{recipe['max_tokens']:,}"
    assert f"| {your_own_sentence.MERGES:,} | {your_own_sentence.MERGES:,} |" in table
    (search,) = (one.source for one in cells if "AS_HERE =" in one.source)
    named = train_everyday.SEARCHES["beam 4"]
    for name, value in named.items():
        assert re.search(rf'"{name}": "?{re.escape(str(value))}"?', search)
