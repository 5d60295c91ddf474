"""Real corpora: whole, split without leaks, and clear about what is wrong with a file."""

import gzip
import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from attnsteps.corpora import parallel
from attnsteps.corpora.download import checksum
from attnsteps.corpora.parallel import TextPair, load, multi30k, normalise, own_pairs, tatoeba
from attnsteps.text.batch import encode_pairs, index_batches, padding_share
from attnsteps.text.tokenizer import Subwords
from attnsteps.text.vocab import Vocab

# Copies of the real corpora, in folders multi30k and tatoeba: they are not the project's to hold.
DATA = Path(os.environ.get("ATTNSTEPS_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="ATTNSTEPS_DATA names no folder of corpora"
)

PARTS = {"train": 5, "val": 2, "test_2016_flickr": 3}
PAIRS = [(f"Sentence {i}.", f"句子{i}。") for i in range(12)]


@pytest.fixture
def captions(tmp_path):
    """A folder like Multi30k's, with few sentences."""
    for part, count in PARTS.items():
        for language in ("de", "en"):
            text = "".join(f"{language} {part} {i}\n" for i in range(count))
            (tmp_path / f"{part}.{language}.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def letters(text):
    """What two sentences have in common that differ in marks, spaces and capitals alone."""
    return "".join(char for char in text.casefold() if char.isalnum())


def write_zip(folder, rows, name="cmn.txt"):
    with zipfile.ZipFile(folder / "cmn-eng.zip", "w") as archive:
        archive.writestr(name, "".join("\t".join(row) + "\n" for row in rows))
    return folder


@needs_data
def test_multi30k_is_whole():
    corpus = load("multi30k", directory=DATA / "multi30k")
    assert [len(part) for part in corpus[:3]] == [29_000, 1_014, 1_000]
    assert corpus.train[0] == TextPair(
        "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
        "Two young, White males are outside near many bushes.",
    )
    assert corpus.test[0].tgt == "A man in an orange hat starring at something."
    assert "Elliott" in corpus.credit
    assert "non-commercial" in corpus.credit


@needs_data
def test_the_published_checksums_are_those_of_the_copies():
    for name, sha256 in parallel.MULTI30K_SHA256.items():
        assert checksum(DATA / "multi30k" / name) == sha256


@needs_data
def test_tatoeba_holds_out_a_thousand_sentences_that_training_has_not_seen():
    corpus = load("tatoeba", directory=DATA / "tatoeba")
    assert [len(part) for part in corpus[:3]] == [28_147, 1_000, 1_000]
    assert "CC BY 2.0 FR" in corpus.credit
    for side in (0, 1):
        train, val, test = ({letters(pair[side]) for pair in part} for part in corpus[:3])
        assert not train & val
        assert not train & test
        assert not val & test
        assert len(val) == len(test) == 1_000


@needs_data
def test_tatoebas_split_never_changes():
    test = tatoeba(directory=DATA / "tatoeba").test
    text = "\n".join(f"{pair.src}\t{pair.tgt}" for pair in test)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert digest == "44c6dd4fcadf87750f6ecdb15cc20d10023e30e60e90ac6ac04645bc3cdc823b"
    assert test[0][:2] == ("那个时候我还没有结婚.", "I wasn't yet married at that time.")


@needs_data
@pytest.mark.parametrize("name", ["multi30k", "tatoeba"])
def test_subwords_give_sentences_back_and_batches_waste_little(name):
    train = load(name, directory=DATA / name).train
    tokenizer = Subwords.learn([text for pair in train for text in pair[:2]], num_merges=4000)
    tokens = [(tokenizer.tokenize(pair.src), tokenizer.tokenize(pair.tgt)) for pair in train]
    for pair, (src, tgt) in list(zip(train, tokens, strict=True))[::10]:
        assert tokenizer.detokenize(src) == pair.src
        assert tokenizer.detokenize(tgt) == pair.tgt
    vocab = Vocab(tokenizer.vocabulary())
    assert all(vocab.unknown(side) == [] for pair in tokens for side in pair)
    examples = encode_pairs(tokens, vocab, vocab)
    for size in ({"batch_size": 128}, {"max_tokens": 2048}):
        assert padding_share(examples, index_batches(examples, **size)) < 0.1
        assert padding_share(examples, index_batches(examples, **size, bucketed=False)) > 0.4


def test_multi30k_is_read_from_a_folder(captions):
    corpus = multi30k(directory=captions)
    assert [len(part) for part in corpus[:3]] == [5, 2, 3]
    assert corpus.test[2] == TextPair("de test_2016_flickr 2", "en test_2016_flickr 2")


def test_multi30k_is_downloaded_by_its_checksums(captions, monkeypatch):
    asked = []

    def fetch(url, **choices):
        name = url.removeprefix(parallel.MULTI30K_URL)
        asked.append((name, choices))
        return captions / name

    monkeypatch.setattr(parallel, "fetch", fetch)
    assert multi30k(cache="here", progress=False) == multi30k(directory=captions)
    assert asked == [
        (name, {"sha256": sha256, "cache": "here", "progress": False})
        for name, sha256 in parallel.MULTI30K_SHA256.items()
    ]


def test_tatoeba_is_downloaded_as_a_zip(tmp_path, monkeypatch):
    write_zip(tmp_path, PAIRS)
    monkeypatch.setattr(parallel, "fetch", lambda url, **_: tmp_path / url.rsplit("/", 1)[-1])
    assert tatoeba(held_out=2) == tatoeba(directory=tmp_path, held_out=2)


def test_tatoeba_keeps_the_authors_of_each_pair(tmp_path):
    credit = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)"
    corpus = tatoeba(directory=write_zip(tmp_path, [(*p, credit) for p in PAIRS]), held_out=2)
    assert {pair.credit for part in corpus[:3] for pair in part} == {credit}
    assert len(corpus.train) == 8


def test_what_shares_a_side_with_a_held_out_sentence_is_not_trained_on(tmp_path):
    doubled = [*PAIRS, *((english, f"另{chinese}") for english, chinese in PAIRS), PAIRS[0]]
    corpus = tatoeba(directory=write_zip(tmp_path, doubled), held_out=2)
    assert [len(part) for part in corpus[:3]] == [16, 2, 2]
    held = {text for pair in [*corpus.val, *corpus.test] for text in pair[:2]}
    assert held.isdisjoint(text for pair in corpus.train for text in pair[:2])


def test_the_split_does_not_depend_on_the_order_or_on_other_sentences(tmp_path):
    first = tatoeba(directory=write_zip(tmp_path, PAIRS), held_out=2)
    second = tatoeba(directory=write_zip(tmp_path, PAIRS[::-1]), held_out=2)
    assert first.test == second.test
    assert first.val == second.val
    fewer = [p for p in PAIRS if p[0] not in {pair.tgt for pair in first.train[:4]}]
    assert tatoeba(directory=write_zip(tmp_path, fewer), held_out=2).test == first.test


def test_editions_are_joined_and_what_is_alike_is_kept_once(tmp_path):
    old = [("Hi!", "你好！"), ("Don’t  worry.", "別擔心。"), ("Really?", "真 的 嗎 ？")]
    new = [(english, f"{chinese}", "by a & b") for english, chinese in PAIRS]
    again = [("Don't worry.", "别担心.", "by c & d"), ("Really?", "真的吗?"), PAIRS[0]]
    write_zip(tmp_path, new)
    for name, rows in (("cmn.txt.gz", again), ("cmn-eng.tsv.gz", old)):
        text = "".join("\t".join(row) + "\n" for row in rows)
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    corpus = tatoeba(directory=tmp_path, held_out=1)
    pairs = {pair[:2]: pair.credit for part in corpus[:3] for pair in part}
    assert len(pairs) == sum(map(len, corpus[:3])) == len(PAIRS) + 3
    assert pairs["你好!", "Hi!"] == ""
    assert pairs["别担心.", "Don't worry."] == "by c & d"
    assert pairs["真的吗?", "Really?"] == ""
    assert pairs["句子0.", "Sentence 0."] == "by a & b"


def test_a_sentence_is_held_out_whatever_its_marks_and_capitals(tmp_path):
    shouted = [(f"{english[:-1].upper()}!", chinese[:-1]) for english, chinese in PAIRS]
    corpus = tatoeba(directory=write_zip(tmp_path, [*PAIRS, *shouted]), held_out=2)
    held = {letters(text) for pair in [*corpus.val, *corpus.test] for text in pair[:2]}
    assert len(held) == 8
    assert held.isdisjoint(letters(text) for pair in corpus.train for text in pair[:2])


def test_sentences_are_composed_and_their_spaces_single():
    assert normalise(" a\u00a0 b\u3000c\t") == "a b c"
    assert normalise("u\u0308") == "ü"
    assert normalise("ＡＢＣ，“x”") == "ＡＢＣ，“x”"


def test_ones_own_pairs_are_in_the_one_form_and_keep_their_characters(tmp_path):
    path = tmp_path / "my.tsv"
    path.write_text("你 好 嗎 ？\t“Hi  there” !\nＪａ。\tYes.\nNein.\tNo.\n", encoding="utf-8")
    corpus = own_pairs(path)
    pairs = {pair[:2] for part in corpus[:3] for pair in part}
    assert pairs == {("你好嗎?", '"Hi there"!'), ("Ja.", "Yes."), ("Nein.", "No.")}


def test_a_line_separator_within_a_sentence_ends_no_line(tmp_path):
    rows = [(f"a\u2028b {i}", f"c\x85d {i}") for i in range(12)]
    assert len(tatoeba(directory=write_zip(tmp_path, rows), held_out=1).train) == 10


# What may be wrong


def test_an_unknown_corpus_is_named(refuses):
    refuses(lambda: load("wmt14"), "name must be 'multi30k' or 'tatoeba'; got 'wmt14'")


def test_too_many_held_out_are_refused(refuses, tmp_path):
    write_zip(tmp_path, PAIRS)
    refuses(
        lambda: tatoeba(directory=tmp_path, held_out=6),
        "held_out must leave some of the 12 sentences to train on; got 6",
    )
    refuses(
        lambda: tatoeba(directory=tmp_path, held_out=0),
        "held_out must be a positive integer; got 0",
    )


def test_a_missing_file_is_named(tmp_path):
    for corpus, name in ((multi30k, "train.de.gz"), (tatoeba, "cmn-eng.tsv.gz")):
        with pytest.raises(FileNotFoundError) as caught:
            corpus(directory=tmp_path)
        assert str(caught.value) == f"there is no file {tmp_path / name}"


def test_files_that_do_not_match_are_refused(captions, refuses):
    (captions / "val.en.gz").write_bytes(gzip.compress(b"one line\n"))
    refuses(
        lambda: multi30k(directory=captions),
        "val.de.gz and val.en.gz must have the same number of lines; got 2 and 1",
    )


def test_an_empty_line_is_named(captions, refuses):
    (captions / "val.en.gz").write_bytes(gzip.compress(b"one line\n \n"))
    refuses(
        lambda: multi30k(directory=captions),
        "val.de.gz and val.en.gz must have a sentence in each line;"
        " got 'de val 1' and '' in line 2",
    )


def test_an_archive_with_a_password_is_named(tmp_path):
    write_zip(tmp_path, PAIRS, "cmn.txt")
    path = tmp_path / "cmn-eng.zip"
    data = bytearray(path.read_bytes())
    data[6] |= 1  # of the file's own header,
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and of the list of all
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"must be a complete compressed .* password required"):
        tatoeba(directory=tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-9] + bytes(9),
        lambda data: data[:12] + bytes([data[12] ^ 255]) + data[13:],
        lambda data: b"",
        lambda data: b"<html>404</html>",
        lambda data: gzip.compress(b"caf\xe9\n"),
    ],
    ids=["cut off", "wrong at the end", "one byte wrong", "empty", "a web page", "not UTF-8"],
)
def test_a_damaged_file_is_named(captions, damage):
    path = captions / "val.de.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(
        ValueError, match="must be a complete compressed file of UTF-8 text; reading it gave: "
    ) as caught:
        multi30k(directory=captions)
    assert str(caught.value).startswith(f"{path} must be")


@pytest.mark.parametrize(
    ("rows", "name"),
    [(PAIRS, "readme.txt"), (None, None)],
    ids=["without the text", "cut off"],
)
def test_a_damaged_archive_is_named(tmp_path, rows, name):
    write_zip(tmp_path, rows or PAIRS, name or "cmn.txt")
    path = tmp_path / "cmn-eng.zip"
    if rows is None:
        path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(
        ValueError, match=f"^{path} must be a complete compressed file of UTF-8 text; "
    ):
        tatoeba(directory=tmp_path)


@pytest.mark.parametrize("row", [("Alone.",), ("", "空。"), ("Empty.", " ")])
def test_a_line_without_a_translation_is_named(refuses, tmp_path, row):
    write_zip(tmp_path, [*PAIRS, row])
    line = "\t".join(row)
    refuses(
        lambda: tatoeba(directory=tmp_path),
        f"{tmp_path / 'cmn-eng.zip'} must have two sentences in each line; got {line!r} in line 13",
    )
