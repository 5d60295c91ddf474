"""The catalogues: gettext files with what each page says in another language."""

from collections.abc import Iterable
from pathlib import Path

import nbformat
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from attnsteps.storage.new_file import new_file
from scripts.closure import ROOT
from scripts.translations import cells, drawings, package, prose

BOOK = ROOT / "book"
LOCALE = BOOK / "locale"
LANGUAGES = ("zh",)
#: What isn't the text of one page.
AROUND = {
    "package": package.of_the_package,
    "widgets": package.of_the_scripts,
    "drawings": drawings.of_the_drawings,
    "site": package.of_the_site,
}


def path_of(stem: str, language: str) -> Path:
    """Return where a page's catalogue lies."""
    return LOCALE / language / f"{stem}.po"


def stems() -> list[str]:
    """List the catalogues: of the notebooks, the texts beside them, and what is around them."""
    notebooks = [path.stem for path in BOOK.glob("*.ipynb") if "." not in path.stem]
    texts = [path.stem for path in BOOK.glob("*.md") if path.stem != "api"]
    return [*sorted([*notebooks, *texts]), *AROUND]


def messages_of(stem: str) -> list[str]:
    """List what a page says, each message once, in its order."""
    if stem in AROUND:
        return AROUND[stem]()
    if (path := BOOK / f"{stem}.md").exists():
        return list(dict.fromkeys(prose.messages(path.read_text(encoding="utf-8"))))
    found: list[str] = []
    for cell in nbformat.read(BOOK / f"{stem}.ipynb", as_version=4).cells:
        kind = prose if cell.cell_type == "markdown" else cells
        found += kind.messages(cell.source)
        found += cells.described(cell)
    return list(dict.fromkeys(found))


def read(path: Path) -> Catalog:
    """Read a catalogue; one that doesn't exist is empty."""
    if not path.exists():
        return Catalog(fuzzy=False)
    with path.open("rb") as file:
        return read_po(file)


def write(catalogue: Catalog, path: Path) -> None:
    """Write a catalogue so that the same messages are the same bytes, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as unfinished, unfinished.open("wb") as file:
        write_po(file, catalogue, width=0, no_location=True, omit_header=True, ignore_obsolete=True)


def update(path: Path, messages: Iterable[str]) -> Catalog:
    """Bring a catalogue up to date: new messages are empty, changed ones fuzzy, old ones gone."""
    wanted = Catalog(fuzzy=False)
    for message in messages:
        wanted.add(message)
    catalogue = read(path)
    catalogue.update(wanted)
    write(catalogue, path)
    return catalogue


def write_for_sphinx(language: str, folder: Path) -> None:
    """Write the words around the pages into the folder where Sphinx looks for a language's own."""
    target = folder / "LC_MESSAGES" / "sphinx.mo"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        write_mo(file, read(path_of("site", language)))


def said(path: Path) -> dict[str, str]:
    """Return what a catalogue says: message → its translation, where that is whole."""
    return {
        message.id: message.string
        for message in read(path)
        if message.id and message.string and not message.fuzzy
    }
