"""What people type: several sentences, very long ones, emoji, nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.text.reading import Reading

READING = Reading.learn(["我爱你.", "你好吗?", 'Tom说:"3.5,好!"'])


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("我爱你。你好吗？好", ["我爱你.", "你好吗?", "好"]),
        ("我愛你!!!你好嗎?!", ["我爱你!!!", "你好吗?!"]),
        ("他说：“你好吗？”我爱你…", ['他说:"你好吗?"', "我爱你..."]),
        ("我有3.5.你好. Tom.", ["我有3.5.", "你好.", "Tom."]),
        ("我有3.5个", ["我有3.5个"]),
        ("我爱你。Tom好", ["我爱你.", "Tom好"]),
        ("我爱你\n你好吗\r\n\n好", ["我爱你", "你好吗", "好"]),
        (" \n ", []),
        ("我" * 70, ["我" * 70]),
        ("我" * 40 + "，" + "你" * 40, ["我" * 40 + ",", "你" * 40]),
        ("我" * 20 + "，" + "你" * 20, ["我" * 20 + "," + "你" * 20]),
    ],
)
def test_a_text_is_cut_into_sentences(text, needed):
    assert READING.sentences(text) == needed


def test_what_training_never_saw_is_left_out_and_told():
    assert READING.readable("我愛你😀") == ("我爱你", ["😀"])
    assert READING.readable("龘我مرحبا") == ("我", list("龘مرحبا"))
    assert READING.readable("😀") == ("", ["😀"])


def test_only_what_can_be_read_is_in_the_table():
    old, new = READING.simplified
    assert set(new) <= set(READING.characters)
    assert dict(zip(old, new, strict=True))["愛"] == "爱"


def test_a_traditional_character_that_training_has_stays():
    reading = Reading.learn(["皇后", "前後", "国"])  # Japanese has both 后 and 後
    assert reading.readable("前後國") == ("前後国", [])


@given(st.text(max_size=300))
def test_nothing_crashes_and_nothing_is_lost(text):
    for sentence in READING.sentences(text):
        known, left_out = READING.readable(sentence)
        assert sorted(known + "".join(left_out)) == sorted(sentence)


def test_what_is_no_reading_is_refused(refuses):
    refuses(
        lambda: Reading(("我", "爱你"), ""),
        "simplified must be two texts of one length; got 2 of [1, 2]",
    )
    refuses(
        lambda: Reading((1, 2), ""),
        "simplified must be two texts of one length; got 2 of [None, None]",
    )
    refuses(lambda: Reading(("", ""), 3), "characters must be a text; got 3")
