# `make book` reads the book, `make test` proves that it holds. Both do all of their own set-up.

.DEFAULT_GOAL := help
.PHONY: help install colab site book serve page pdf worksheets translations test elsewhere quick lint links bench mutants peers lab drafts notebooks address clean

# The first Python from 3.11 on; `make PYTHON=…` names another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
CPU_INDEX := https://download.pytorch.org/whl/cpu

# What was installed and what was built are named by a checksum of what they were made from, so that
# nothing stale is ever served and nothing is made twice.
sum = $(shell find $(1) -type f ! -name '*.pyc' ! -name '*.tmp.ipynb' ! -path '*.egg-info/*' \
	! -path '*/.ipynb_checkpoints/*' 2>/dev/null | LC_ALL=C sort | xargs cksum | cksum | cut -d ' ' -f 1)
INSTALLED := $(VENV)/installed-$(call sum,requirements.txt pyproject.toml)
MUTMUT := .mutants/installed-$(call sum,tests/mutants/mutmut.txt)
PEERS := .peers/installed-$(call sum,tests/peers/requirements.txt)
COLAB := .colab/installed-$(call sum,book/_colab)

# uv takes a fifth of pip's time, but doesn't read pip's settings: where those lead to other places than
# the public index, pip does it.
install = $(VENV)/bin/uv pip install --quiet --python $(PY) $(1) 2>/dev/null || $(PY) -m pip install -qq --no-compile $(1)

# As root, what Debian has is installed from there; the command is printed before it runs.
apt = echo "apt-get install --no-install-recommends $(1)" && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export OMP_NUM_THREADS := 1 # things run side by side: two torch processes with two threads each stall
export PYDEVD_DISABLE_FILE_VALIDATION := 1
unexport PYTHONDONTWRITEBYTECODE # without bytecode every process compiles torch again, for seconds

help:
	@echo "make book       build the book and serve it on this machine (Ctrl-C ends it)"
	@echo "make test       lint, unit tests, notebooks, Python/JavaScript parity, the site in a browser"
	@echo "make quick      lint, and the tests and chapters nearest to what changed, which it names: for daily work"
	@echo "make elsewhere  play other processors, threads, Colab's torch, fonts, Firefox: all must hold"
	@echo "make serve      serve what is built"
	@echo "make page       watch a chapter, CHAPTER=22: each change is on its page within seconds"
	@echo "make pdf        the book on paper: a PDF and an EPUB, into _build/paper"
	@echo "make translations  update the catalogues of the other editions, and count what is missing"
	@echo "make lab        open the chapters in JupyterLab"
	@echo "make drafts     write the notebooks as text into .drafts/, for editing"
	@echo "make notebooks  take over edited drafts, execute and normalise every notebook"
	@echo "make links      ask every address in the book whether it still answers"
	@echo "make bench      measure models, training, pages, widgets; leave the machine alone meanwhile"
	@echo "make mutants    put mistakes into a copy of the package, and see whether the tests notice"
	@echo "make peers      hold our blocks equal to those of Llama, BERT, GPT-2, ViT and Marian"
	@echo "make address    write the repository's address from pyproject.toml wherever it stands"
	@echo "make clean      remove everything that was made"

install: $(INSTALLED)

$(INSTALLED):
	@test -n "$(PYTHON)" || { echo "This needs Python 3.11 or newer: install it, or name one with 'make PYTHON=…'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "This needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)." >&2; exit 1; }
	@need=3; command -v nvidia-smi >/dev/null && need=9; \
		test $$(df -Pk . | awk 'NR == 2 { print $$4 }') -gt $${need}000000 || \
		{ echo "This needs $$need GB of free disk space here; there are $$(df -Ph . | awk 'NR == 2 { print $$4 }')." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { test "$$(id -u)" = 0 && $(call apt,python3-venv); } || \
		{ echo "This needs Python's venv module: 'sudo apt install python3-venv' brings it on Debian and Ubuntu." >&2; exit 1; }
	@echo "installing the packages of requirements.txt into $(VENV) (about a minute, and 2 GB)"
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --retries 1 --timeout 20 $$(grep -oE '^(setuptools|uv)==[0-9.]+' requirements.txt) || \
		{ echo "The Python package index cannot be reached: is there a network?" >&2; exit 1; }
	@index=; if test "$$(uname -s)" = Linux && ! command -v nvidia-smi >/dev/null && \
		$(PY) -c 'import urllib.request as u; u.urlopen("$(CPU_INDEX)/torch/", timeout=10)' 2>/dev/null; then \
		index="--index-url $(CPU_INDEX)"; fi; \
		$(PY) -m pip install --quiet --no-compile $$index $$(grep -oE '^torch==[0-9.]+' requirements.txt)
	@$(call install,-r requirements.txt)
	@$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The chapters are executed with the versions that Colab has: these are laid over the environment as
# a Jupyter kernel of its own, with a stand-in for google.colab, which tells widgets where they are.
$(COLAB): $(INSTALLED)
	@echo "laying the versions that Colab has over them, into .colab"
	@rm -rf .colab
	@$(call install,--no-deps --target .colab -r book/_colab/versions.txt)
	@$(PY) -m ipykernel install --prefix .colab --env PYTHONPATH "$(CURDIR)/.colab:$(CURDIR)/book/_colab" >/dev/null 2>&1
	@touch $@

colab: $(COLAB)

# The committed outputs are shown where they follow from the package as it is; other chapters are
# executed first. Nothing stale is shown, and nothing is made twice.
site: $(INSTALLED)
	@$(PY) -m scripts.site

book: site serve

serve: $(INSTALLED)
	@test -d _build/html || { echo "There is no site yet: 'make book' builds it." >&2; exit 1; }
	@port=$(PORT); $(PY) -c 'import socket; socket.socket().bind(("127.0.0.1", $(PORT)))' 2>/dev/null || port=0; \
		trap 'exit 0' INT; \
		$(PY) -u -m http.server $$port --bind 127.0.0.1 --directory _build/html 2>/dev/null

# One chapter, built alone and loaded again by the browser whenever something of it changes.
page: $(INSTALLED)
	@$(PY) -m scripts.page "$(CHAPTER)"

# Contents, page numbers, bookmarks; widgets are pictures with the address of the live page.
pdf: site browser
	@$(PY) -m scripts.paper

# Catalogues of the editions in other languages (book/locale): what is new there, what is missing.
translations: $(INSTALLED)
	@$(PY) -m scripts.translations

# Each chapter's exercises as a notebook without answers, and a second one with them.
worksheets: $(INSTALLED)
	@$(PY) -m scripts.worksheets

# The site is the one that is published. What the notebooks say must hold on other processors, too: an
# older one than most executes them here, while the site is built; the oldest, which takes twice as long,
# and this machine's own do in `make elsewhere`. Three workers on two cores: the tests in a browser wait
# much of their time. The longest file comes first, so that no worker is alone with it at the end.
.PHONY: executed
executed: $(INSTALLED)
	@$(PY) -m scripts.elsewhere --execute AVX2

test: export JUPYTER_PATH := $(CURDIR)/.colab/share/jupyter
test: $(INSTALLED)
	@$(MAKE) --no-print-directory --jobs 3 lint browser colab
	@$(MAKE) --no-print-directory --jobs 2 site executed
	$(PY) -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder \
		--executed _build/elsewhere/AVX2/executed tests/web/test_pages.py tests src book

elsewhere: $(INSTALLED) readers
	@$(PY) -m scripts.elsewhere

# For daily work: the tests and chapters nearest to what changed; it prints which those are.
quick: lint browser
	@$(PY) -m scripts.quick

# All that is wrong at once: an error in Python hides none in JavaScript.
lint: $(INSTALLED)
	@wrong=0; for check in "check" "format --check" "format --check --line-length 76 book/*.ipynb"; do \
		echo "ruff $$check"; $(PY) -m ruff $$check || wrong=1; done; \
	$(MAKE) --no-print-directory lint-js || wrong=1; exit $$wrong

# Nobody needs Node to read or build the book, so the widgets' scripts are linted where it is, and
# always in CI.
NODE_TOOLS := node_modules/installed-$(call sum,package.json)
.PHONY: lint-js
lint-js:
	@if ! command -v npm >/dev/null; then \
		echo "JavaScript is linted only where Node is, and always in CI: there is none here."; \
	elif test -f $(NODE_TOOLS) || { npm install --no-package-lock --no-audit --no-fund \
		--fetch-retries 0 --fetch-timeout 20000 >/dev/null 2>&1 && touch $(NODE_TOOLS); }; then \
		echo "node_modules/.bin/biome check && node_modules/.bin/tsc -p jsconfig.json"; \
		node_modules/.bin/biome check --error-on-warnings && node_modules/.bin/tsc -p jsconfig.json; \
	elif test "$$GITHUB_ACTIONS" = true; then \
		echo "npm could not install the linters of package.json." >&2; exit 1; \
	else \
		echo "npm cannot reach its registry, so JavaScript is not linted here; CI does it."; \
	fi

# A browser is found, or installed, or its absence is an error. Fonts that are played (tests/fonts.py) and
# Firefox are installed where that can be done without asking; tests that lack them say so and are skipped.
.PHONY: browser readers
as_root := test "$$(id -u)" = 0 && command -v apt-get >/dev/null
browser: $(INSTALLED)
	@$(PY) -c 'from tests.browser import installed; raise SystemExit(not installed())' || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && $(call apt,chromium-headless-shell); } || \
		$(PY) -m playwright install chromium || \
		{ echo "The tests need Chromium or Chrome, and none could be installed." >&2; exit 1; }
	@$(PY) -c 'from tests.fonts import FOREIGN, missing; raise SystemExit(bool(missing(FOREIGN)))' || \
		{ $(as_root) && $(call apt,fontconfig fonts-liberation fonts-noto-cjk); } || true

readers: browser
	@$(PY) -c 'from tests.fonts import SETS, missing; raise SystemExit(any(map(missing, SETS)))' || \
		{ $(as_root) && $(call apt,fonts-dejavu-core fonts-comfortaa); } || true
	@$(PY) -c 'from tests.browser import find_firefox; raise SystemExit(not find_firefox())' || \
		{ $(as_root) && $(call apt,firefox-esr); } || true

bench: site browser
	$(PY) -m bench.models
	$(PY) -m bench.training
	$(PY) -m bench.pages
	$(PY) -m bench.lighthouse

# mutmut has an environment of its own, on top of the project's, which needs it nowhere.
SITE_PACKAGES := import sysconfig; print(sysconfig.get_path("purelib"))
$(MUTMUT): $(INSTALLED)
	@rm -rf .mutants && $(PY) -m venv .mutants/venv
	@.mutants/venv/bin/python -m pip install --quiet -r tests/mutants/mutmut.txt
	@$(PY) -c '$(SITE_PACKAGES)' > "$$(.mutants/venv/bin/python -c '$(SITE_PACKAGES)')/project.pth"
	@touch $@

mutants: $(MUTMUT)
	.mutants/venv/bin/python -m tests.mutants.run

# transformers, too, is installed on top of the project's environment, for these tests alone.
$(PEERS): $(INSTALLED)
	@rm -rf .peers && $(PY) -m venv .peers/venv
	@$(PY) -c '$(SITE_PACKAGES)' > "$$(.peers/venv/bin/python -c '$(SITE_PACKAGES)')/project.pth"
	@.peers/venv/bin/python -m pip install --quiet --no-deps -r tests/peers/requirements.txt
	@touch $@

peers: $(PEERS)
	PYTHONPATH=src .peers/venv/bin/python -m pytest -q -p no:cacheprovider --noconftest tests/peers/architectures.py

links: $(INSTALLED)
	PYTHONPATH=$(CURDIR) $(VENV)/bin/jupyter-book build book --config _config.yml --toc $(CURDIR)/_toc.yml \
		--path-output _build/links --builder linkcheck

lab: $(INSTALLED)
	$(VENV)/bin/jupyter lab --notebook-dir book

drafts: $(INSTALLED)
	$(PY) -m scripts.notebooks drafts

notebooks: $(INSTALLED)
	$(PY) -m scripts.notebooks execute

address: $(INSTALLED)
	$(PY) scripts/address.py

clean:
	rm -rf $(VENV) .colab .mutants .peers node_modules _build .drafts .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
