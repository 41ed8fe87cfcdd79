# make run        set up and open the workbench on examples/ (without a terminal: check examples/)
# make test       set up and pass: lint, types, import contracts, and the tests that are not slow
# make test-all   the same with the slow tests; SEED=n lets random searches start from another number
# make test-near  the tests near the files changed since the last commit, or since BASE=revision

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= auto
# .ci/run puts a script in the place of pytest that runs failed cases once more.
PYTEST ?= -m pytest
XDIST := -n $(WORKERS) --dist worksteal
TESTS ?=
# Every worker imports all tests, and a program of a test all of skillstudio: compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-near checks lint types contracts pytest pytest-ci pytest-all bench screenshots docs site clean python

run: $(VENV)/run.stamp
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/skillstudio examples; else \
	  $(BIN)/skillstudio check examples && \
	  echo "No terminal here, so examples/ was checked. In a terminal: make run, or $(BIN)/skillstudio PATH"; fi

# The checks are run beside the tests.
test: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -j2 checks pytest

test-all: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -j2 checks pytest-all

checks: lint types contracts

test-near: $(VENV)/test.stamp
	@$(BIN)/python -m tests.near $(if $(BASE),--base $(BASE))

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy

contracts: $(VENV)/test.stamp
	$(BIN)/lint-imports

# A case that hangs fails; none takes more than seconds on a quiet machine.
pytest: $(VENV)/test.stamp
	$(BIN)/python $(PYTEST) $(XDIST) --timeout 240 -m "not slow or costly" $(TESTS)

pytest-ci: $(VENV)/test.stamp
	$(BIN)/python $(PYTEST) $(XDIST) -m ci

pytest-all: export HYPOTHESIS_PROFILE ?= $(if $(SEED),search,many)
pytest-all: export SKILLSTUDIO_TEST_SEED ?= $(or $(SEED),0)
pytest-all: $(VENV)/test.stamp
	@echo "seed: $(or $(SEED),0)"
	$(BIN)/python $(PYTEST) $(XDIST) $(if $(SEED),--hypothesis-seed $(SEED)) $(if $(SHARD),--shard $(SHARD)) $(TESTS)

bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/run.py

screenshots: $(VENV)/test.stamp
	$(BIN)/python -m screenshots.draw

docs: $(VENV)/run.stamp
	COLUMNS=90 $(BIN)/python docs/generate.py

# The pages of docs/ as a site in site/; a broken link fails (with --quiet, none would).
site: $(VENV)/docs/site.stamp
	$(VENV)/docs/bin/mkdocs build --strict

$(VENV)/docs/site.stamp: pyproject.toml requirements-docs.lock | $(BIN)/python
	@$(BIN)/python -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip --disable-pip-version-check --quiet install -r requirements-docs.lock
	$(VENV)/docs/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -e .
	@touch $@

clean:
	rm -rf $(VENV) dist site build .mypy_cache .ruff_cache .pytest_cache .hypothesis

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "skillstudio needs Python 3.11 or newer; name one with make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "This Python has no venv module; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

$(BIN)/python: | python
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml requirements.lock | $(BIN)/python
	$(PIP) install -r requirements.lock
	$(PIP) install --no-deps -e .
	$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/test.stamp: pyproject.toml requirements.lock requirements-dev.lock | $(BIN)/python
	$(PIP) install -r requirements-dev.lock
	$(PIP) install --no-deps -e .
	$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/run.stamp
