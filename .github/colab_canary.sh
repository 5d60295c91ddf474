#!/usr/bin/env bash
# Installs the versions that Colab publishes as its own, then this package as the first cell of a
# notebook would, and fails where that replaces one of Colab's or where a notebook does not run.
set -euo pipefail
cd "$(dirname "$0")/.."
list=https://raw.githubusercontent.com/googlecolab/backend-info/main/pip-freeze.txt
python -m venv .canary
pip=".canary/bin/python -m pip"
curl --fail --silent --show-error --location "$list" --output .canary/colab.txt
$pip install --quiet torch numpy --index-url https://download.pytorch.org/whl/cpu \
  --constraint <(grep -oE '^torch @ .*torch-[0-9.]+' .canary/colab.txt | sed 's/.*torch-/torch==/')
grep -E '^(anywidget|beartype|ipykernel|ipython|ipywidgets|jaxtyping|jupyter_client|matplotlib|numpy|psygnal|traitlets|nbclient|nbconvert)==' \
  .canary/colab.txt > .canary/pins.txt
$pip install --quiet --requirement .canary/pins.txt nbconvert
$pip freeze | sort > .canary/before.txt
$pip install --quiet .
$pip freeze | sort > .canary/after.txt
if comm -23 .canary/before.txt .canary/after.txt | grep .; then
  echo "installing the package replaced the versions above" >&2
  exit 1
fi
for notebook in book/*.ipynb; do
  .canary/bin/jupyter nbconvert --to notebook --execute --stdout "$notebook" > /dev/null
done
