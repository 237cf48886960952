# Everything here installs what it needs first: Python 3.11 or newer and make are enough.
#   make run ARGS="--port 7861"        make test ARGS="-k trace"

python := .venv/bin/python
# where this is set, as in many containers, each process compiles gradio and transformers again, some ten seconds
export PYTHONDONTWRITEBYTECODE =

.PHONY: run test test-all quick check bench bench-gpu bench-drafters bench-ui bench-lab test-vllm train traces costs screenshots notebook clean bench-site wasm site

run: ## serve the app on http://127.0.0.1:7860; SPECVIZ_FETCH=none leaves out the assistant, which is fetched once (93 MB)
	@sh scripts/setup.sh run
	@[ -e .venv/fetched ] || { $(python) -m specviz fetch --once && : >.venv/fetched; }
	@$(python) app.py $(ARGS)

test: ## what a change can break, the scripts and the browser too; ARGS="-n0 -k trace" runs some of it in this process
	@sh scripts/setup.sh test
	@if [ -s .venv/node ]; then "$$(cat .venv/node)" --test --test-reporter=dot $$(find tests/assets -name '*.test.js') || exit; fi; \
	CHROMIUM="$$(cat .venv/chromium)" $(python) -m pytest -n auto --max-worker-restart 2 --dist worksteal $(ARGS); \
	status=$$?; times >.venv/times; \
	awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($$i, t, /[ms]/); sum += t[1] + t[2] / 60 } \
	printf "user and system time of all processes: %.1f minutes\n", sum }' .venv/times; exit $$status

test-all: ## these and what is marked full: whole products, code for other processors, the wheel, notebooks, minutes of training
	@$(MAKE) --no-print-directory test ARGS="--full $(ARGS)"

quick: ## the tests that need no browser and take no more than seconds: under two minutes on two cores
	@sh scripts/setup.sh check
	@$(python) -m pytest -n auto --max-worker-restart 2 --dist worksteal --ignore tests/browser -m "not slow" --hypothesis-profile=quick $(ARGS)

check: ## lint, format and types, changing nothing
	@sh scripts/setup.sh check
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@[ ! -s .venv/node ] || { node_modules/.bin/biome check --error-on-warnings && node_modules/.bin/tsc --project .; } & \
	scripts=$$!; $(python) -m mypy; types=$$?; wait $$scripts && exit $$types

bench: ## measure; the last line is JSON
	@sh scripts/setup.sh run
	@$(python) -m scripts.bench $(ARGS)

bench-gpu: ## on a machine with a GPU: how close to its memory limit; the last line is JSON
	@sh scripts/setup.sh run
	@$(python) -m scripts.bench_gpu $(ARGS)

bench-drafters: ## every drafter by register, as in the model card; the last line is JSON
	@sh scripts/setup.sh run
	@$(python) -m scripts.bench_drafters $(ARGS)

bench-ui: ## how fast the page answers a hand, in Chromium; the last line is JSON
	@sh scripts/setup.sh test
	@CHROMIUM="$$(cat .venv/chromium)" $(python) -m scripts.bench_ui $(ARGS)

site: ## the page as files for any web server, in site/
	@sh scripts/setup.sh run
	@$(python) -m specviz site $(ARGS)

vllm ?= build/vllm

test-vllm: ## vLLM's rounds against our own engine, and its server's records, on a CPU; its environment is made once, 3.5 GB; the last line is JSON
	@sh scripts/setup.sh run
	@sh scripts/vllm.sh $(vllm)
	@$(python) -m scripts.check_vllm --python $(vllm)/bin/python $(ARGS)
	@$(python) -m scripts.served_vllm --python $(vllm)/bin/python

bench-lab: ## how long the Lab's experiments take; leave the machine alone meanwhile; the last line is JSON
	@sh scripts/setup.sh run
	@$(python) -m scripts.bench_lab $(ARGS)

bench-site: ## the engine in a browser: what a pass takes, and whether it tells what Python tells; leave the machine alone meanwhile; the last line is JSON
	@sh scripts/setup.sh test
	@CHROMIUM="$$(cat .venv/chromium)" $(python) -m scripts.bench_site $(ARGS)

wasm: ## the modules of assets/engine again, from specviz/engine/compiled; installs the linker
	@sh scripts/setup.sh check
	@$(python) -m pip install -q "ziglang==0.17.1"
	@$(python) -m scripts.build_wasm

# glibc gives memory back after every step and takes it again, a third of the time: tell it not to
train: ## the bundled family from text in build/text; ARGS="--help" lists what can be chosen
	@sh scripts/setup.sh run
	@MALLOC_TRIM_THRESHOLD_=2000000000 MALLOC_MMAP_THRESHOLD_=2000000000 $(python) -m scripts.train_family $(ARGS)

traces: ## record the runs that the page shows before a model runs; leave the machine alone meanwhile
	@sh scripts/setup.sh run
	@$(python) -m scripts.traces $(ARGS) && $(python) -m scripts.picture_data experts && $(python) -m scripts.excerpts

costs: ## time passes over many texts at once, for the chapter on when not to draft; leave the machine alone meanwhile
	@sh scripts/setup.sh run
	@$(python) -m scripts.costs $(ARGS)

screenshots: ## pictures of the app in build/screenshots, those that a page shows also in docs/screenshots; leave the machine alone meanwhile
	@sh scripts/setup.sh test
	@CHROMIUM="$$(cat .venv/chromium)" $(python) -m scripts.screenshots

notebook: ## run the notebooks of docs/ and keep what they printed
	@sh scripts/setup.sh check
	@$(python) -m scripts.notebook

clean: ## remove what was installed and what was cached
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis .gradio
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
