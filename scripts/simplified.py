"""Write assets/simplified.txt: which simplified character stands for each traditional one.

    pip install opencc==1.4.2
    python -m scripts.simplified

The first line holds the traditional characters, the second one their simplified forms in the same
order. The table comes from OpenCC (Apache License 2.0), so that neither the package nor the website
needs the library itself. OpenCC also knows some words whose characters depend on each other; of the
20,133 sentences of the older edition of Tatoeba it writes 21 in another way than this table does.
"""

from attnsteps.corpora.plain import TABLE

#: Forms that OpenCC leaves to whole words, or to Taiwan's own table.
ALSO = dict(zip("著妳牠瞭藉", "着你它了借", strict=True))
BLOCKS = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000))  # each character takes one UTF-16 unit


def main() -> None:
    from opencc import OpenCC  # noqa: PLC0415 - only this program needs it

    convert = OpenCC("t2s").convert
    table = {chr(code): convert(chr(code)) for block in BLOCKS for code in block} | ALSO
    table = {old: table.get(new, new) for old, new in table.items()}  # a form that has one itself
    table = {old: new for old, new in table.items() if new != old and ord(new) in range(0x10000)}
    TABLE.write_text("".join(table) + "\n" + "".join(table.values()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
