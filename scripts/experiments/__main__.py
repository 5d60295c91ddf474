"""Run one chapter's recorded experiment: see the package's docstring."""

import argparse
import importlib
import pkgutil

from scripts import experiments

STEMS = sorted(module.name for module in pkgutil.iter_modules(experiments.__path__))
STEMS.remove("__main__")

parser = argparse.ArgumentParser(description=experiments.__doc__.split("\n", maxsplit=1)[0])
parser.add_argument("stem", choices=STEMS)
parser.add_argument("--again", action="store_true", help="also measure what is recorded already")
arguments = parser.parse_args()
module = importlib.import_module(f"scripts.experiments.{arguments.stem}")
module.run(again=arguments.again)
