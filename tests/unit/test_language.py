"""How a text that was made in English is found in a catalogue."""

import pytest

from attnsteps.language import Catalogue

ZH = {
    "animal": "动物",
    "{n} of {total} words": "{total} 个词中的 {n} 个",
    "{0} layer{1}": "{0} 层{1}",
    "{a} is {b}": "{a} 是 {b}",
    "A sentence.": "一句话。",
    "Two sentences. They are one entry.": "两句话，是一个条目。",
    "the set {{{0}}}": "集合 {{{0}}}",
    "Head ": "头 ",
    "{0} in {1}{2}": "{1}{2} 里的 {0}",
    "same {0}": "same {0}",
    "{{k}} is x": "{{k}} 是 x",
    "empty": "",
    "{0}: {1} entries, misses {2} %": "{0}：{1} 项，漏掉 {2}%",
    "at {0}, {1} to {2} %": "{0} 时 {1} 到 {2}%",
    "{0} to {1}": "{0} 得 {1}",
    "post-norm": "后置归一化",
    "columns {0}: {1}": "各列 {0}：{1}",
    "{0} merges: {1}": "合并 {0} 次：{1}",
    "merges": "合并次数",
    "furry": "有毛",
    "paved": "铺了路面",
    "nouns hidden, layer {0}": "藏起名词，第 {0} 层",
    "{0}: tired {1}, wide {2}": "{0}：累 {1}，宽 {2}",
    "The {0} of {1}": "{1} 的{0}",
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("animal", "动物"),
        ("  animal\n", "  动物\n"),
        ("3 of 8 words", "8 个词中的 3 个"),
        ("animal of 8 words", "8 个词中的动物个"),  # a field may hold a text
        ("6 layers", "6 层"),
        ("1 layer", "1 层"),
        ("animal is 3", "动物是 3"),
        ("nothing is hidden", "nothing is hidden"),  # too few words of its own to be sure
        ("A sentence. 3 of 8 words", "一句话。8 个词中的 3 个"),
        ("A sentence. Two sentences. They are one entry.", "一句话。两句话，是一个条目。"),
        ("A sentence. And one that nobody knows.", "A sentence. And one that nobody knows."),
        ("the set {4}", "集合 {4}"),
        ("Head", "头"),
        ("animal in 3 MB", "3 MB 里的动物"),
        ("✓ animal", "✓ 动物"),
        ("2. animal", "2. 动物"),
        ("same animal", "same animal"),
        ("{k} is x", "{k} 是 x"),
        ("empty", "empty"),
        ("", ""),
        ("3.14", "3.14"),
        # items, whose entry has no stop, behind a sentence and behind a number
        (
            "A sentence. animal: 4 entries, misses 2 %; post-norm: 5 entries, misses 3 %.",
            "一句话。动物：4 项，漏掉 2%；后置归一化：5 项，漏掉 3%。",
        ),
        # what fits in more than one way is cut so that least stays English
        (
            "2017: at 0.1, 4 to 5 %; at 0.2, 6 to 7 %. post-norm: at 0.1, 8 to 9 %.",
            "2017：0.1 时 4 到 5%；0.2 时 6 到 7%。后置归一化：0.1 时 8 到 9%。",
        ),
        ("nobody: 4 entries, misses 2 %", "nobody：4 项，漏掉 2%"),
        # a field may hold a list
        ("columns furry, paved: 1, 0", "各列有毛、铺了路面：1, 0"),
        ("columns this, that: 1, 0", "各列 this, that：1, 0"),
        # of two templates that fit, the one whose fields hold no other item
        ("nouns hidden, layer 1: tired she, wide it", "藏起名词，第 1 层：累 she，宽 it"),
        # nor one whose field holds the next sentence
        ("0 merges: the ar. 30 merges: the es.", "合并 0 次：the ar。合并 30 次：the es。"),
        # a short template doesn't take a sentence that nobody knows
        ("The place that each word of it gets", "The place that each word of it gets"),
        ("The post-norm of animal", "动物的后置归一化"),
    ],
)
def test_what_is_said(text, said):
    assert Catalogue(ZH).say(text) == said


def test_only_what_is_shown_of_html_is_translated():
    style, text = "<style>.animal{color:red}</style>", '<text class="animal">{}</text>'
    said = Catalogue(ZH).say_in(f"{style}{text.format('animal')}<b> 3 of 8 words </b>&lt;")
    assert said == f"{style}{text.format('动物')}<b> 8 个词中的 3 个 </b>&lt;"
    assert Catalogue({"a < b now": "甲 < 乙"}).say_in("<p>a &lt; b now</p>") == "<p>甲 &lt; 乙</p>"
