"""The command line: what it does, and what it says when something is wrong."""

import functools
import gzip
import io
import json
import os
import select
import signal
import subprocess
import sys

import pytest
import torch

from attnsteps.cli.corpora import NAMES, read
from attnsteps.cli.main import main, parser
from attnsteps.cli.table import table
from attnsteps.cli.train import start
from attnsteps.corpora.generated.corpus import generated
from attnsteps.model.config import TransformerConfig
from attnsteps.model.transformer import Transformer
from attnsteps.text.tokenizer import Subwords, Words
from attnsteps.text.vocab import Vocab
from attnsteps.translator.trained import Trained

SENTENCE = "动物没有过马路，因为太累了"
WORDS = ["动物", "没有", "过", "马路", "，", "因为", "太", "累", "了"]
SMALL = ["--pairs", "300", "--quiet", "--validate", "20", "--batch-size", "16", "--d-model", "16"]


@pytest.fixture(scope="module", autouse=True)
def once():
    """Generate each corpus once, and leave torch's threads as they were."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnsteps.cli.corpora.generated", functools.cache(generated))
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A directory with a short training of the book's corpus."""
    directory = tmp_path_factory.mktemp("runs") / "short"
    assert main(["train", *SMALL, "--steps", "30", "--out", str(directory)]) == 0
    return directory


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A file with a translator that has learned nothing, but knows the running sentence."""
    torch.manual_seed(1)
    src, tgt = Vocab(WORDS), Vocab(["the", "animal", "tired", "was"])
    sizes = {"d_model": 8, "num_heads": 2, "d_ff": 16, "max_len": 100}
    transformer = Transformer(TransformerConfig.tiny(len(src), len(tgt), **sizes))
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    Trained(transformer, src, tgt, Words(WORDS), Words()).save(path)
    return path


@pytest.fixture
def say(capsys, monkeypatch):
    """Run a command; return its exit status and what it wrote."""

    def say(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stopped:  # argparse's own
            status = stopped.code
        out, err = capsys.readouterr()
        return status, out, err

    return say


# Help and wrong arguments


@pytest.mark.parametrize("command", ["train", "translate", "evaluate"])
def test_help_shows_examples(say, command):
    status, out, err = say(command, "--help")
    assert (status, err) == (0, "")
    assert "examples:" in out
    assert out.count(f"python -m attnsteps {command}") >= 3


def test_every_example_in_the_help_can_be_read(say):
    lines = " ".join(say(c, "--help")[1].replace("\\\n", "") for c in ("train", "evaluate"))
    lines += say("translate", "--help")[1]
    examples = [
        line.split("-m attnsteps ")[1].split("<")[0]
        for line in lines.splitlines()
        if "-m attnsteps " in line and "usage" not in line
    ]
    assert len(examples) >= 9
    for example in examples:
        assert parser().parse_args(example.split()).run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: train|translate|evaluate"),
        (["train", "--layers", "two"], "argument --layers: invalid int value: 'two'"),
        (["train", "--magic"], "unrecognized arguments: --magic"),
        (["train", "--corpus", "wmt14"], "argument --corpus: must be generated, ambiguous, "),
        (
            ["train", "--batch-size", "8", "--max-tokens", "9"],
            "argument --max-tokens: not allowed with argument --batch-size",
        ),
    ],
)
def test_arguments_that_cannot_be_read_are_named_in_one_line(say, arguments, message):
    status, out, err = say(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "--help" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--heads", "5"], "num_heads must divide d_model = 16 without remainder; got 5"),
        (["--steps", "0"], "steps must be a positive integer; got 0"),
        (["--dropout", "1"], "dropout must be a number in [0, 1); got 1.0"),
        (["--peak", "-1"], "peak must be a number above 0; got -1.0"),
        (["--threads", "0"], "threads must be a positive integer; got 0"),
        (["--data", "here"], "--data only fits a published corpus, not generated; got here"),
        (["--seed", str(2**64)], f"seed must fit into 64 bits; got {2**64}"),
        (["--device", "abacus"], "device 'abacus' cannot be used: "),
        (["--corpus", "multi30k", "--data", "/nowhere"], "there is no file /nowhere/train.de.gz"),
    ],
)
def test_a_training_that_cannot_be_is_refused_in_one_line(say, tmp_path, arguments, message):
    status, out, err = say("train", *SMALL, "--out", tmp_path / "run", *arguments)
    assert (status, out.count("parameters")) in ((2, 0), (2, 1))
    assert err.startswith(f"python -m attnsteps train: error: {message}")
    assert err.count("\n") == 1
    assert not (tmp_path / "run" / "model.safetensors").exists()


def test_no_network_is_named_in_one_line(say, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNSTEPS_CACHE", str(tmp_path))
    monkeypatch.setattr("attnsteps.corpora.parallel.MULTI30K_URL", "http://127.0.0.1:9/")
    status, _, err = say("train", "--corpus", "multi30k", "--quiet", "--out", tmp_path / "run")
    assert status == 2
    assert "If you have no network" in err
    assert err.count("\n") == 1


# train


def test_training_saves_a_translator_and_a_log(run):
    assert {"model.safetensors", "checkpoint.safetensors", "log.csv"} <= set(os.listdir(run))
    trained = Trained.load(run / "model.safetensors")
    assert trained.model.config.d_model == 16
    assert trained.model.config.num_encoder_layers == 2
    assert trained.model.config.num_decoder_layers == 1
    assert trained.src_tokenizer.tokenize(SENTENCE) == WORDS


@pytest.mark.parametrize(
    ("asked", "layers"),
    [
        ([], (2, 1)),
        (["--layers", "3"], (3, 3)),
        (["--decoder-layers", "4"], (2, 4)),
        (["--layers", "3", "--encoder-layers", "1"], (1, 3)),
    ],
    ids=str,
)
def test_what_is_asked_for_goes_before_the_recipe(asked, layers):
    options = parser().parse_args(["train", *SMALL, "--peak", "0.5", *asked])
    trained, examples, config = start(options, read("generated", num_pairs=300))
    got = trained.model.config
    assert (got.num_encoder_layers, got.num_decoder_layers, got.d_model) == (*layers, 16)
    assert (config.peak, config.steps, config.label_smoothing) == (0.5, 1500, 0.05)
    assert len(examples) == 300


def test_training_learns_and_says_how_well(say, tmp_path):
    options = ("--steps", "80", "--evaluate-every", "40", "--out", tmp_path / "run")
    status, out, err = say("train", *SMALL, *options)
    assert (status, err) == (0, "")
    assert "generated: 300 pairs" in out
    assert "80 steps in " in out
    assert "exact match on unseen combinations: 0" in out
    assert f"python -m attnsteps translate --model {tmp_path / 'run'}" in out
    rows = (tmp_path / "run" / "log.csv").read_text(encoding="utf-8").splitlines()
    losses = [float(row.split(",")[1]) for row in rows[1:]]
    assert losses[-1] < losses[0] - 0.5


def test_a_progress_bar_is_shown_unless_it_is_unwanted(say, tmp_path):
    loud = [option for option in SMALL if option != "--quiet"]
    _, _, err = say("train", *loud, "--steps", "3", "--out", tmp_path)
    assert "3/3" in err


def test_a_run_is_not_overwritten_but_resumed(say, run):
    before = (run / "checkpoint.safetensors").read_bytes()
    status, _, err = say("train", *SMALL, "--steps", "30", "--out", run)
    assert status == 2
    assert err == (
        f"python -m attnsteps train: error: {run} already holds a training run: continue it"
        " (--resume) or choose another (--out DIR)\n"
    )
    assert (run / "checkpoint.safetensors").read_bytes() == before
    status, out, _ = say("train", *SMALL, "--steps", "30", "--out", run, "--resume")
    assert status == 0
    assert "30 steps" in out


def test_another_training_is_not_resumed(say, run):
    status, _, err = say("train", *SMALL, "--steps", "40", "--out", run, "--resume")
    assert status == 2
    assert err.count("\n") == 1
    assert "steps" in err


def test_an_interrupted_training_says_how_to_go_on(say, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("attnsteps.cli.train.train", interrupted)
    status, _, err = say("train", *SMALL, "--steps", "3", "--out", tmp_path)
    assert status == 130
    assert err == "interrupted. --resume continues from the last checkpoint.\n"


def test_a_full_disk_is_named_in_one_line(say, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "model.safetensors")

    monkeypatch.setattr("attnsteps.storage.translator_file.write_tensors", full)
    status, _, err = say("train", *SMALL, "--steps", "3", "--out", tmp_path)
    assert status == 2
    assert err == (
        "python -m attnsteps train: error: [Errno 28] No space left on device:"
        " 'model.safetensors'\n"
    )
    assert not (tmp_path / "model.safetensors").exists()


def write_captions(folder):
    """Write few sentences in the form of Multi30k."""
    for part, count in {"train": 40, "val": 3, "test_2016_flickr": 4}.items():
        for language, words in {"de": "Ein Hund läuft", "en": "A dog is running"}.items():
            text = "".join(f"{words} {i}.\n" for i in range(count))
            (folder / f"{part}.{language}.gz").write_bytes(gzip.compress(text.encode()))


def write_everyday(folder):
    """Write few sentences in the form of Tatoeba."""
    text = "".join(f"It is {i} o'clock.\t现在{i}点。\n" for i in range(2050))
    (folder / "cmn-eng.tsv.gz").write_bytes(gzip.compress(text.encode()))


@pytest.mark.parametrize(
    ("name", "write", "credit"),
    [("multi30k", write_captions, "Elliott"), ("tatoeba", write_everyday, "CC BY 2.0 FR")],
)
def test_real_corpora_go_the_same_way(say, tmp_path, name, write, credit):
    write(tmp_path)
    corpus = ("--corpus", name, "--data", tmp_path, "--quiet")
    sizes = ("--d-model", 16, "--layers", 1, "--merges", 30, "--batch-size", 8, "--validate", 2)
    run = tmp_path / "run"
    status, out, err = say("train", *corpus, *sizes, "--steps", 2, "--out", run)
    assert (status, err) == (0, "")
    assert "val BLEU: " in out
    assert credit in out
    trained = Trained.load(run / "model.safetensors")
    assert isinstance(trained.src_tokenizer, Subwords)
    assert trained.model.config.tie == "all"
    which = ("--model", run, "--parts", "test", "--limit", 3, "--max-len", 5)
    status, out, err = say("evaluate", *corpus, *which)
    assert (status, err) == (0, "")
    assert f"{name}, test" in out
    assert "tok:13a" in out


def test_ones_own_pairs_go_the_same_way(say, tmp_path):
    own = tmp_path / "my.tsv"
    lines = (f"Noch {i} Tage.\t{i} days to go.\n" for i in range(60))
    own.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    sizes = ("--d-model", 16, "--layers", 1, "--merges", 30, "--batch-size", 8, "--quiet")
    run = tmp_path / "run"
    status, out, err = say("train", "--corpus", own, *sizes, "--steps", 2, "--out", run)
    assert (status, err) == (0, "")
    assert "48 pairs" in out  # 6 are held out for the test, and 6 for validation
    which = ("--model", run, "--parts", "test", "--max-len", 5, "--quiet")
    status, out, err = say("evaluate", "--corpus", own, *which)
    assert (status, err) == (0, "")
    assert "my.tsv, test" in out


@pytest.mark.parametrize(
    ("content", "needed"),
    [
        (
            b"Ja.\tYes.\nNein.\n",
            "must have two sentences in each line, with a tab between them; got 'Nein.' in line 2",
        ),
        (
            b"Ja.\tYes.\n\n\tNo.\n",
            "must have two sentences in each line, with a tab between them; got '\\tNo.' in line 3",
        ),
        (b"Ja.\tYes.\nB\xe4r\tBear\n", "must be text in UTF-8; got another byte in line 2"),
        (b"Ja.\tYes.\nJa.\tYes.\n", "must have at least 3 different sentences; got 1"),
        (b"", "must have at least 3 different sentences; got 0"),
    ],
)
def test_what_is_wrong_with_ones_own_pairs_is_named(say, tmp_path, content, needed):
    own = tmp_path / "my.tsv"
    own.write_bytes(content)
    status, _, err = say("train", "--corpus", own, "--out", tmp_path / "run")
    assert (status, err) == (2, f"python -m attnsteps train: error: {own} {needed}\n")
    assert not (tmp_path / "run").exists()


def test_a_file_of_pairs_that_is_not_there_is_named(say, tmp_path):
    status, _, err = say("train", "--corpus", tmp_path / "my.tsv", "--out", tmp_path / "run")
    assert status == 2
    assert err == f"python -m attnsteps train: error: there is no file {tmp_path / 'my.tsv'}\n"


def test_a_sentence_that_cannot_be_validated_is_named_before_the_training(say, tmp_path):
    write_captions(tmp_path)
    long = "Hund " * 5000
    for language in ("de", "en"):
        text = f"Ein Hund läuft.\n{long}\nEin Hund.\n"
        (tmp_path / f"val.{language}.gz").write_bytes(gzip.compress(text.encode()))
    corpus = ("--corpus", "multi30k", "--data", tmp_path, "--quiet", "--merges", 30)
    status, _, err = say("train", *corpus, "--d-model", 16, "--steps", 2, "--out", tmp_path / "run")
    assert status == 2
    assert "error: every sentence of val must have from 1 to 512 tokens; sentence 2 has " in err
    assert not (tmp_path / "run").exists()


# translate


def test_an_argument_is_translated(say, run):
    status, out, err = say("translate", "--model", run, "--max-len", 50, SENTENCE)
    assert status == 0
    assert out.count("\n") == 1
    assert "unknown" not in err


def test_a_directory_stands_for_its_model(say, run):
    file = run / "model.safetensors"
    assert say("translate", "--model", run, SENTENCE) == say("translate", "--model", file, SENTENCE)


def test_a_model_of_ours_is_found_by_its_name(say, run, tmp_path, monkeypatch):
    (tmp_path / "zh_en.safetensors").write_bytes((run / "model.safetensors").read_bytes())
    monkeypatch.setattr("attnsteps.translator.trained.ASSETS", tmp_path)
    there = say("translate", "--model", run, SENTENCE)
    assert say("translate", "--model", "zh_en", SENTENCE) == there
    assert say("translate", SENTENCE) == there


def test_standard_input_is_translated_line_by_line(say, model):
    one = say("translate", "--model", model, SENTENCE)[1]
    stdin = f"\ufeff{SENTENCE}\r\n\n  \n{SENTENCE}".encode()
    status, out, _ = say("translate", "--model", model, stdin=stdin)
    assert out == f"{one}\n\n{one}"
    assert status == 0
    many = f"{SENTENCE}\n".encode() * 150
    assert say("translate", "--model", model, stdin=many)[1] == one * 150


def test_an_empty_argument_and_empty_input_give_nothing(say, model):
    assert say("translate", "--model", model, "") == (0, "\n", "")
    assert say("translate", "--model", model, stdin=b"") == (0, "", "")


def test_unknown_words_are_named_and_translated_all_the_same(say, model):
    status, out, err = say("translate", "--model", model, "--max-len", 3, "长颈鹿没有 Tom")
    assert status == 0
    assert out.count("\n") == 1
    assert "line 1: unknown words, read as <unk>: 长 颈 鹿 Tom\n" in err
    _, _, err = say("translate", "--model", model, "x" * 9000)
    assert f"read as <unk>: {'x' * 40}…\n" in err


def test_what_spells_a_special_token_is_a_text_like_any_other(say, model):
    _, _, err = say("translate", "--model", model, "累 <eos>")
    assert "read as <unk>: < eos >" in err


def test_a_line_of_ten_thousand_characters_is_named_and_the_others_are_translated(say, model):
    one = say("translate", "--model", model, SENTENCE)[1]
    stdin = f"{SENTENCE}\n{SENTENCE * 770}\n{SENTENCE}\n".encode()
    status, out, err = say("translate", "--model", model, stdin=stdin)
    assert status == 2
    assert out == f"{one}\n{one}"
    assert "line 2: a sentence must have at most 100 tokens; got 6930\n" in err
    assert "Traceback" not in err


def test_invalid_utf_8_is_named_and_the_others_are_translated(say, model):
    one = say("translate", "--model", model, SENTENCE)[1]
    stdin = b"a\xffb\n" + SENTENCE.encode() + b"\n"
    status, out, err = say("translate", "--model", model, stdin=stdin)
    assert status == 2
    assert out == f"\n{one}"
    assert "line 1: a sentence must be valid UTF-8; got the byte 0xff at position 1\n" in err
    status, _, err = say("translate", "--model", model, "a\udcffb")
    assert status == 2
    assert "the byte 0xff at position 1" in err


def test_a_translation_that_was_cut_off_says_so(say, model):
    _, out, err = say("translate", "--model", model, "--max-len", 2, SENTENCE)
    assert len(out.split()) <= 2
    if err:
        assert err == "line 1: cut off after 2 tokens\n"


def test_the_attention_is_a_table_of_source_and_target(say, run):
    status, out, _ = say("translate", "--model", run, "--attention", SENTENCE)
    text, empty, head, *rows = out.rstrip("\n").split("\n")
    assert status == 0
    assert empty == ""
    assert head.split() == WORDS
    assert [row.split()[0] for row in rows[: len(text.split())]] == text.split()
    for row in rows:
        assert sum(map(int, row.split()[1:])) == pytest.approx(100, abs=5)
    one_head = say("translate", "--model", run, "--attention", "--head", 0, SENTENCE)[1]
    assert one_head.split("\n")[0] == text
    assert one_head != out


def test_the_table_is_aligned_by_what_a_terminal_shows():
    weights = torch.tensor([[1.0, 0.0], [0.125, 0.875]])
    assert table(weights, ["太", "too"], ["动物", "x"]) == (
        "    动物   x\n太   100   0\ntoo   12  88"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--layer", "2"], "layer must be an integer in [-1, 0]; got 2"),
        (["--head", "9"], "head must be an integer in [0, 3]; got 9"),
        (["--search", "mask_predict"], "search must be 'greedy' or 'beam' or 'sample'"),
        (["--beam-width", "3"], "an option of search = 'greedy' must be "),
        (["--search", "beam", "--beam-width", "0"], "beam_width must be a positive integer"),
        (["--max-len", "0"], "max_len must be a positive integer; got 0"),
    ],
)
def test_a_search_that_cannot_be_is_refused_in_one_line(say, run, arguments, message):
    status, out, err = say("translate", "--model", run, "--attention", *arguments, SENTENCE)
    assert (status, out) == (2, "")
    assert err.startswith(f"python -m attnsteps translate: error: {message}")
    assert err.count("\n") == 1


def test_a_model_that_is_none_is_refused_in_one_line(say, tmp_path):
    (tmp_path / "text").write_text("no model", encoding="utf-8")
    for path, message in (
        (tmp_path / "missing", f"there is no file {tmp_path / 'missing'}"),
        (tmp_path, f"there is no file {tmp_path / 'model.safetensors'}"),
        (tmp_path / "text", f"{tmp_path / 'text'} must be a whole safetensors file; got: "),
    ):
        status, _, err = say("translate", "--model", path, SENTENCE)
        assert status == 2
        assert err.startswith(f"python -m attnsteps translate: error: {message}")
        assert err.count("\n") == 1


# evaluate


def test_every_part_is_scored(say, run):
    small = ("--pairs", 300, "--limit", 12, "--quiet", "--json")
    status, out, err = say("evaluate", "--model", run, *small)
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert list(report) == ["unseen", "combinations", "longer", "pronouns"]
    for part, scores in report.items():
        assert 0 < scores["sentences"] <= 12
        assert 0 <= scores["exact match"] <= 1
        assert 0 <= scores["AER (teacher-forced)"] <= 1
        assert 0 <= scores["tokens (teacher-forced)"] <= 1
        assert scores["BLEU signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|")
        assert ("pronouns of twins" in scores) == (part == "pronouns")


def test_scores_are_printed_one_below_the_other(say, run):
    small = ("--pairs", 300, "--limit", 4, "--quiet", "--parts", "unseen")
    status, out, _ = say("evaluate", "--model", run, *small)
    assert status == 0
    assert out.startswith("generated, unseen\n  sentences                4\n")
    assert "case:mixed" in out


def test_a_reference_scores_a_hundred(say, run, monkeypatch):
    """What evaluate compares is text with text: the corpus's own translations are all right."""
    corpus = read("generated", num_pairs=300)
    right = {sentence.src: sentence.tgt for sentence in corpus.parts["unseen"]}
    translate = Trained.translate

    def perfect(self, texts, **options):
        found = translate(self, texts, **options)
        return [
            one._replace(text=right[text], tokens=self.tgt_tokenizer.tokenize(right[text]))
            for text, one in zip(texts, found, strict=True)
        ]

    monkeypatch.setattr(Trained, "translate", perfect)
    small = ("--pairs", 300, "--limit", 10, "--quiet", "--parts", "unseen", "--json")
    scores = json.loads(say("evaluate", "--model", run, *small)[1])["unseen"]
    assert scores["exact match"] == scores["length"] == 1
    assert scores["BLEU"] == pytest.approx(100)
    assert scores["chrF"] == pytest.approx(100)


def test_parts_and_limits_that_are_none_are_refused(say, run):
    for arguments, message in (
        (
            ["--parts", "train"],
            "parts must be 'unseen' or 'combinations' or 'longer' or 'pronouns'",
        ),
        (["--limit", "0"], "limit must be a positive integer; got 0"),
    ):
        status, _, err = say("evaluate", "--model", run, "--pairs", "300", "--quiet", *arguments)
        assert status == 2
        assert message in err
        assert err.count("\n") == 1


def test_the_ambiguous_corpus_has_several_references():
    corpus = read("ambiguous", num_pairs=300)
    assert any(len(sentence.references) > 1 for sentence in corpus.parts["unseen"])
    assert all(
        sentence.tgt in sentence.references for part in corpus.parts.values() for sentence in part
    )
    assert "ambiguous" in NAMES


# As a process of its own


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "attnsteps", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_the_module_runs_and_shows_chinese_where_the_terminal_cannot(model):
    with process(
        "translate",
        "--model",
        model,
        "--max-len",
        4,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    ) as running:
        out, err = running.communicate("长颈鹿\n".encode())
    assert running.returncode == 0
    assert out.count(b"\n") == 1
    assert rb"\u957f" in err


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="no pipes of this kind on Windows")
def test_a_reader_that_has_seen_enough_is_no_error(model):
    with process("translate", "--model", model, "--max-len", 4) as running:
        running.stdout.close()
        running.stdin.write(f"{SENTENCE}\n".encode() * 200)
        running.stdin.close()
        assert running.stderr.read().count(b"Traceback") == 0
    assert running.returncode == 0


def test_a_closed_standard_input_is_named_in_one_line(say, model, monkeypatch):
    monkeypatch.setattr(io, "TextIOWrapper", lambda *_, **__: None)  # as python has it after <&-
    status, out, err = say("translate", "--model", model)
    assert (status, out) == (2, "")
    assert err == (
        "python -m attnsteps translate: error: standard input must be open where no sentence is"
        " given; got none\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can bound a process's memory so")
def test_a_model_too_large_for_the_memory_is_named_in_one_line(tmp_path):
    import resource  # noqa: PLC0415 (Windows has none)

    bound = 8 * 2**30
    with process(
        *("train", *SMALL, "--steps", 3, "--d-model", 40_000_000, "--out", tmp_path),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bound, bound)),
    ) as running:
        _, err = running.communicate()
    assert running.returncode == 2
    assert err.startswith(b"python -m attnsteps train: error: ")
    assert err.count(b"\n") == 1


def test_fewer_than_no_sentences_cannot_be_validated(say, tmp_path):
    status, _, err = say("train", *SMALL, "--steps", 3, "--validate", -5, "--out", tmp_path)
    assert status == 2
    assert err.endswith("error: validate must be an integer of at least 0; got -5\n")


def test_a_model_beside_a_folder_of_its_name_is_no_model_of_ours(say, run):
    beside = run.with_name(f"{run.name}.safetensors")
    beside.write_bytes(b"something else")
    there = say("translate", "--model", run, SENTENCE)
    beside.unlink()
    assert there == say("translate", "--model", run, SENTENCE)
    assert there[0] == 0


def test_a_live_pipe_gets_its_answer_before_the_next_line_is_written(model):
    with process("translate", "--model", model, "--max-len", 4, bufsize=0) as running:
        for _ in range(2):
            running.stdin.write(f"{SENTENCE}\n".encode())
            assert select.select([running.stdout], [], [], 60)[0], "no answer after a minute"
            assert running.stdout.readline().endswith(b"\n")
        running.stdin.close()
    assert running.returncode == 0
