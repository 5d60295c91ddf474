"""Build the site: execute the chapters that need it, assemble the pages, and run Sphinx.

    python -m scripts.site              with the committed outputs if they were made from the
                                        current package; other chapters are executed first
    python -m scripts.site --execute    with every chapter executed on this machine

Each edition in another language lies in a folder of its own, with the same chapters, executed once:
what they say comes from its catalogues (scripts/translations).

If a build fails, the last good site stays as it was.
"""

import argparse
import concurrent.futures
import copy
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode
from tqdm import tqdm

from scripts.closure import PACKAGE, ROOT
from scripts.execution import BOOK, EXECUTED, give_outputs, up_to_date
from scripts.outputs import fill_spans, restore_widgets
from scripts.translations import edition
from scripts.translations.catalogue import (
    LANGUAGES,
    LOCALE,
    path_of,
    said,
    write_for_sphinx,
)

HTML = ROOT / "_build" / "html"
INPUTS = ".inputs"  # in the site: what it was made from
SETTINGS = {  # of Sphinx, by language
    "zh": {
        "language": "zh_CN",
        "nb_code_prompt_show": "显示代码",
        "nb_code_prompt_hide": "隐藏代码",
    },
}
MOST = 25_000_000  # bytes of the English edition, which tests/web/test_light.py holds
MOST_OF_ANOTHER = 15_100_000  # bytes of another, which uses scripts, styles and pictures of that
COLOUR = re.compile(r"\x1b\[[\d;]*m")
STAGE = re.compile(r"(reading sources|writing output)\.\.\. +\[ *(\d+)%\]")


def notebooks() -> dict[str, NotebookNode]:
    """Read the committed chapters, by stem."""
    paths = sorted(path for path in BOOK.glob("*.ipynb") if not path.name.endswith(".tmp.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def chapters(folder: Path, *, everything: bool) -> dict[str, NotebookNode]:
    """Return every chapter with its outputs for the site, executing where necessary."""
    return up_to_date(notebooks(), folder, everything=everything)


def assemble(shown: dict[str, NotebookNode], source: Path, language: str = "en") -> str:
    """Write the input of Sphinx: the chapters that are given, and all else.

    Args:
        shown: chapters with their outputs.
        source: where the input is written, beside it the settings.
        language: of the edition.

    Returns:
        A checksum of everything that makes the pages.
    """
    shutil.rmtree(source, ignore_errors=True)
    unused = ["*.ipynb", "__pycache__", ".ipynb_checkpoints", "_colab", "locale"]
    if language != "en":
        unused += ["api", "api.md"]
    shutil.copytree(BOOK, source, ignore=shutil.ignore_patterns(*unused))
    write_settings(source.parent, language)
    for stem, here in shown.items():
        written = nbformat.read(BOOK / f"{stem}.ipynb", as_version=4)
        give_outputs(copy.deepcopy(here), written)  # each edition changes them
        if language != "en":
            edition.chapter(written, stem, language)
        fill_spans(written)
        if language != "en":
            edition.in_words(written)
        restore_widgets(written)
        written.metadata.pop("attnsteps", None)
        nbformat.write(written, source / f"{stem}.ipynb")
    for path in source.glob("*.md") if language != "en" else ():
        text = path.read_text(encoding="utf-8")
        path.write_text(edition.text(text, path.stem, language), encoding="utf-8")
    digest = hashlib.sha256()
    settings = [source.parent / "_config.yml", source.parent / "_toc.yml"]
    settings += [ROOT / "requirements.txt", *(LOCALE / language).glob("*.po")]
    settings += (ROOT / "scripts" / "translations").glob("*.py") if language != "en" else ()
    for path in sorted([*source.rglob("*"), *(ROOT / "src").rglob("*.py"), *settings]):
        if path.is_file():
            digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def inputs() -> str:
    """Return a checksum of all that the site is made from, to tell whether a site is stale."""
    digest = hashlib.sha256()
    settings = [ROOT / name for name in ("_config.yml", "_toc.yml", "requirements.txt")]
    for path in sorted([*BOOK.rglob("*"), *PACKAGE.rglob("*"), *settings]):
        unseen = {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
        if path.is_file() and not unseen and not path.name.endswith(".tmp.ipynb"):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def write_settings(folder: Path, language: str) -> None:
    """Write the settings and the table of contents of an edition."""
    config, toc = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
        for name in ("_config.yml", "_toc.yml")
    )
    if language != "en":
        words = said(path_of("site", language))
        config["title"] = words.get(config["title"], config["title"])
        config["html"]["baseurl"] += f"/{language}"
        sphinx = config["sphinx"]["config"] | SETTINGS[language]
        sphinx["html_css_files"].append(f"{language}.css")
        sphinx["html_js_files"].append(["words.js", {"type": "module"}])
        sphinx["html_extra_path"] = []  # the manifest and the worker are the English edition's
        write_for_sphinx(language, folder / "locale" / sphinx["language"])
        sphinx["locale_dirs"] = [str(folder / "locale")]
        config["sphinx"]["config"] = sphinx
        for part in toc["parts"]:
            part["caption"] = words.get(part["caption"], part["caption"])
            part["chapters"] = [one for one in part["chapters"] if one["file"] != "api"]
    for name, settings in (("_config.yml", config), ("_toc.yml", toc)):
        text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)
        (folder / name).write_text(text, encoding="utf-8")


def write_pages(source: Path, html: Path, language: str = "en", place: int = 0) -> None:
    """Let Sphinx turn the sources into pages; warnings count as errors.

    Args:
        source: the input, beside it the settings.
        html: where the pages go, if all is well.
        language: of the edition.
        place: the line in which the progress is shown.
    """
    target = source.parent / "pages"
    shutil.rmtree(target, ignore_errors=True)
    program = Path(sys.executable).parent / "jupyter-book"
    options = ["--warningiserror", "--nitpick", "--keep-going"]
    command = [program, "build", source, "--config", source.parent / "_config.yml", "--toc"]
    command += [source.parent / "_toc.yml", "--path-output", target, *options]
    log = []
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    running = subprocess.Popen(
        command, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "ATTNSTEPS_LANGUAGE": language},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    named = f"writing the pages, {language}"
    with tqdm(total=200, desc=named, bar_format="{desc} {bar} {elapsed}", position=place) as bar:
        for coloured in running.stdout:
            line = COLOUR.sub("", coloured)
            log.append(line)
            if stage := STAGE.search(line):
                bar.n = int(stage[2]) + (100 if stage[1] == "writing output" else 0)
                bar.refresh()
        bar.n = 200
    if running.wait():
        wrong = [line for line in log if re.search(r"WARNING|ERROR|[Ee]xception|Error:", line)]
        sys.exit("".join(wrong or log[-40:]) + "The site was not changed.")
    shutil.rmtree(html, ignore_errors=True)
    shutil.move(target / "_build" / "html", html)


def build(shown: dict[str, NotebookNode], html: Path) -> None:
    """Write every edition whose input has changed, side by side, and put them together."""
    languages = ("en", *LANGUAGES)
    work = {language: html.with_name(f"{html.name}-{language}") for language in languages}
    sources = {language: folder / "book" for language, folder in work.items()}
    written = {language: folder / "html" for language, folder in work.items()}
    with concurrent.futures.ProcessPoolExecutor() as pool:
        every = pool.map(assemble, itertools.repeat(shown), sources.values(), languages)
        made = dict(zip(languages, every, strict=True))
    stamp = html / ".editions"
    before = json.loads(stamp.read_text()) if stamp.exists() else {}
    changed = [each for each in made if before.get(each) != made[each]]
    if "en" in changed:  # the other editions use its files
        changed = list(made)
    if not changed:
        return
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = [
            pool.submit(write_pages, sources[language], written[language], language, place)
            for place, language in enumerate(changed)
        ]
        for each in running:
            each.result()
    if "en" in changed:
        shutil.rmtree(html, ignore_errors=True)
        shutil.move(written["en"], html)
    for language in set(changed) - {"en"}:
        share(html, written[language])
        shutil.rmtree(html / language, ignore_errors=True)
        shutil.move(written[language], html / language)
    stamp.write_text(json.dumps(made))


def share(first: Path, other: Path) -> None:
    """Let an edition use what the first one has: the same files, and nothing twice."""
    shared = set()
    for folder in ("_static", "_images"):
        for path in sorted((other / folder).rglob("*")):
            name = path.relative_to(other)
            same = first / name
            if path.is_file() and same.is_file() and same.read_bytes() == path.read_bytes():
                shared.add(name.as_posix())
                path.unlink()
    for path in other.rglob("*.html"):
        up = "../" * (len(path.relative_to(other).parts) - 1)

        def above(match: re.Match, up: str = up) -> str:
            return f"{match[1]}{up}../{match[2]}" if match[2] in shared else match[0]

        page = path.read_text(encoding="utf-8")
        local = re.compile(rf'((?:src|href)="){re.escape(up)}((?:_static|_images)/[^"?#]+)')
        path.write_text(local.sub(above, page), encoding="utf-8")


def size(folder: Path) -> int:
    """Return how many bytes lie in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--execute", action="store_true", help="execute every chapter on this machine"
    )
    parser.add_argument(
        "--executed", type=Path, default=EXECUTED, help="directory for the executions"
    )
    parser.add_argument("--html", type=Path, default=HTML, help="directory for the site")
    parser.add_argument(
        "--chapters-only", action="store_true", help="execute only, without building the site"
    )
    options = parser.parse_args()
    now = inputs()  # before all else, so that what is edited meanwhile counts as changed
    shown = chapters(options.executed.resolve(), everything=options.execute)
    if options.chapters_only:
        return
    html = options.html.resolve()
    build(shown, html)
    (html / INPUTS).write_text(now)
    others = {language: size(html / language) for language in LANGUAGES}
    sizes = {"en": size(html) - sum(others.values()), **others}
    print("MB of each edition:", {each: round(bytes_ / 1e6, 1) for each, bytes_ in sizes.items()})


if __name__ == "__main__":
    main()
