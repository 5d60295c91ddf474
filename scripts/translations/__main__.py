"""Bring the catalogues up to date, and list what there is to do.

python -m scripts.translations              update all, and count what is missing
python -m scripts.translations STEM …       these pages only, and name each thing to do
"""

import argparse
import sys

from scripts.translations.catalogue import AROUND, LANGUAGES, messages_of, path_of, stems, update
from scripts.translations.check import wrong_with


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("stems", nargs="*", help="such as 05_scaling")
    options = parser.parse_args()
    left = 0
    for language in LANGUAGES:
        for stem in options.stems or stems():
            catalogue = update(path_of(stem, language), messages_of(stem))
            todo, wrong = [], []
            for message in catalogue:
                if message.id and (message.fuzzy or not message.string):
                    todo.append(message.id)
                elif message.id:
                    wrong += [
                        f"{message.id[:60]!r}: {what}"
                        for what in wrong_with(message.id, message.string, prose=stem not in AROUND)
                    ]
            left += len(todo) + len(wrong)
            print(f"{language} {stem}: {len(catalogue) - len(todo)} of {len(catalogue)} messages")
            for line in (
                [*(f"to do: {one[:70]!r}" for one in todo), *wrong] if options.stems else []
            ):
                print(f"  {line}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
