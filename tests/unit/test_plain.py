"""The one form of a sentence: however it is typed, and whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnsteps.corpora.plain import TABLE, plain, simplified_characters

SIMPLIFIED = simplified_characters()


@pytest.mark.parametrize(
    ("typed", "needed"),
    [
        ("你好嗎？", "你好吗?"),
        ("你 好 吗 ？", "你好吗?"),
        ("我\u3000爱 你 。", "我爱你."),
        ("「我愛你」，他說。", '"我爱你",他说.'),
        ("《红楼梦》、【注】", '"红楼梦",(注)'),
        ("我叫 Tom 。", "我叫Tom."),
        ("ＡＢＣ　１２３", "ABC 123"),
        ("It’s   3.5 kg —ok", "It's 3.5 kg -ok"),
        ("路易·阿姆斯特朗", "路易阿姆斯特朗"),
        ("等等……", "等等......"),
        ("穿著這件", "穿着这件"),
        ("a\u200bb\x00c\ufeff\td", "abc d"),
        ("\u200b \x00", ""),
        ("我😀", "我😀"),
        ("e\u0301", "é"),
    ],
)
def test_a_sentence_has_one_form(typed, needed):
    assert plain(typed, SIMPLIFIED) == needed


@given(st.text())
def test_the_form_of_a_form_is_itself(text):
    once = plain(text, SIMPLIFIED)
    assert plain(once, SIMPLIFIED) == once


@given(st.text(alphabet="你好 .,!?:;)(\t\u3000。，ab", max_size=12))
def test_no_space_is_left_where_chinese_has_none(text):
    for wrong in (" 你", "你 ", "好 ", " .", " ,", " )", "  "):
        assert wrong not in plain(text, SIMPLIFIED)


def test_the_table_pairs_single_characters_and_ends_in_simplified_ones():
    old, new = TABLE.read_text(encoding="utf-8").split()
    assert len(old) == len(new) == len(set(old)) == 2971
    assert max(map(ord, old + new)) < 0x10000  # one unit in JavaScript, too
    assert set(old).isdisjoint(new)
    for traditional, simplified in zip("嗎愛說來這個學後麼", "吗爱说来这个学后么", strict=True):
        assert SIMPLIFIED[ord(traditional)] == simplified
