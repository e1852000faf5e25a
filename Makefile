# What does a fresh machine need? Python 3.10 to 3.13 and make: each target below installs into a
# virtual environment of this checkout what it needs and no more, once, and again when
# pyproject.toml changes.
#
#   make demo       train LeNet on handwritten digits; dumps and a picture go to demo-output/
#   make test       run the tests and doctests; ARGS="-k printer" selects
#   make test-slow  run those that take longer than a minute
#   make fuzz       try N random programs from SEED on; what fails goes, shrunk, to fuzz-output/
#   make language   write docs/language.md, of what tests/language says
#   make coverage   write docs/coverage.md: which of MindSpore's names are there, and what they do
#   make ascend     write the table of docs/ascend.md: which operators primitives become
#   make bench      run the workloads of bench/ beside what is installed; writes docs/performance.md
#   make lint       ruff, pyright, import-linter
#   make clean      remove what was made, but for the virtual environment
#   make distclean  remove that as well
#
# Another Python beside the first: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
ARGS ?=
N ?= 1000
SEED ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.PHONY: help demo test test-slow fuzz language coverage ascend bench lint clean distclean
.DELETE_ON_ERROR:
.NOTPARALLEL: # two pips must not write one environment

help:
	@sed -n 's/^#   make /make /p' Makefile

demo: $(VENV)/.with-examples
	$(BIN)/python examples/lenet_digits.py --output demo-output

# One BLAS thread a worker: the workers share the cores already.
test test-slow fuzz: export OMP_NUM_THREADS = 1
test test-slow fuzz: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.with-test
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

test-slow: $(VENV)/.with-test
	$(BIN)/python -m pytest -n $(WORKERS) -m slow $(ARGS)

fuzz: $(VENV)/.with-test
	PYTHONPATH=tests $(BIN)/python -m support.fuzz --count $(N) $(if $(SEED),--seed $(SEED))

language: $(VENV)/.with-test
	PYTHONPATH=tests $(BIN)/python -m language.table

coverage: $(VENV)/.with-test
	PYTHONPATH=tests $(BIN)/python -m api.table

ascend: $(VENV)/.with-test
	PYTHONPATH=tests $(BIN)/python -m backends.ascend.table

# PEER_PYTHON_TORCH and the like name interpreters of their own: bench/README.md.
bench: $(VENV)/.with-examples
	$(BIN)/python -m bench.report $(ARGS)

# pyright asks a registry for a newer version of itself unless told not to.
lint: export PYRIGHT_PYTHON_IGNORE_WARNINGS = 1
lint: $(VENV)/.with-lint,bf16,cli
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

# A stamp, not the interpreter, says that the environment is whole: where Python lacks ensurepip,
# venv fails with the interpreter in place. pip 21.3 is the first that installs a pyproject.toml
# as editable; where it is newer already, nothing is fetched.
$(VENV)/.created:
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install "pip>=21.3"
	@touch $@

$(VENV)/.with-%: pyproject.toml $(VENV)/.created
	@echo "installing s2sad with the extras $* into $(VENV)"
	@$(PIP) install --editable ".[$*]"
	@touch $@

clean:
	rm -rf build dist bench-output demo-output fuzz-output s2sad.egg-info
	rm -rf .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	find . -name '.venv*' -prune -o -name __pycache__ -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
