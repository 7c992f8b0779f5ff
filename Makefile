PYTHON ?= python3
BIN = .venv/bin
QUESTION = Can metformin be repurposed for Alzheimer's disease?

.DEFAULT_GOAL := help
.PHONY: help setup demo run test test-all test-servers chaos long-run check check-patterns check-types bench eval docs lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Create .venv from the lock (PYTHON=python3.12 chooses the interpreter)
	@PYTHON="$(PYTHON)" scripts/setup.sh

demo: setup ## Answer one question from the bundled snapshot: no key, no network; writes out/demo
	$(BIN)/deepcritical research "$(QUESTION)" --snapshot demo --out out/demo

run: setup ## Serve the page at http://127.0.0.1:7860 (Ctrl-C ends it)
	$(BIN)/python app.py

# In the order that tests/conftest.py gives: by default the files of many tests would come first.
# With bytecode, which else every process would compile anew.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test: setup ## Run the tests of up to 2 s that need no server and no browser
	$(PYTEST) -m "not slow and not servers and not chaos and not live"

test-all: setup ## Run all tests, chaos excepted, without network
	$(PYTEST) --durations=20

test-servers: setup ## Run the tests with PostgreSQL and a Chroma server in place of files and memory
	DEEPCRITICAL_TEST_BACKENDS=servers $(PYTEST)

chaos: setup ## Stop and kill -9 runs at every step, on every database, and print what became of them
	$(BIN)/python -m pytest -n auto -m chaos
	$(BIN)/python -m benchmarks.chaos
	$(BIN)/python -m benchmarks.worker_chaos
	$(BIN)/python -m benchmarks.worker_chaos --storm 26
	$(BIN)/python -m benchmarks.paid_chaos

long-run: setup ## Serve an app for five minutes while everything round it fails; what was lost, paid twice, wrong?
	$(BIN)/python -m benchmarks.long_run

check: setup ## Run every static check, the two long ones beside each other
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-patterns check-types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src
	$(BIN)/typos
	$(BIN)/python scripts/check_sizes.py
	$(BIN)/python scripts/build_docs_tables.py --check
	$(BIN)/python -m scripts.build_evaluation --check

check-patterns:
	$(BIN)/python -m scripts.check_patterns

check-types:
	$(BIN)/mypy

bench: setup ## Measure what a person waits for, and what imports cost
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python -m benchmarks.page

# SETS may name more folders: copies of published sets are found by the names of their files.
SETS ?= benchmarks
eval: setup ## Measure on labelled sets, ours and those in SETS; writes out/eval
	$(BIN)/deepcritical eval $(SETS) --out out/eval

docs: setup ## Build the documentation into site/; any warning fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lock: ## Recompute constraints.txt from pyproject.toml (LOCK_FLAGS=--upgrade renews every pin)
	$(PYTHON) -m venv --clear out/lock
	out/lock/bin/python -m pip install -qq -c constraints.txt uv
	out/lock/bin/uv pip compile -q --universal --python-version 3.11 --all-extras \
		--no-emit-package torch --custom-compile-command "make lock" $(LOCK_FLAGS) \
		-o constraints.txt pyproject.toml

clean: ## Remove .venv, out and the caches
	rm -rf .venv out dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
