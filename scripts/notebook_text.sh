#!/bin/sh
# A notebook as text without outputs, for `git diff` (CONTRIBUTING.md says how to turn it on).
exec .venv/bin/jupytext --quiet --from ipynb --to md:myst --output - <"$1"
