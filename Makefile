# Everything here installs what it needs first: Python 3.11 or newer and make are enough.
#   make run ARGS="--port 7861"        make test ARGS="-k trace"

python := .venv/bin/python

.PHONY: run test check bench clean

run: ## serve the app on http://127.0.0.1:7860
	@sh scripts/setup.sh run
	@$(python) app.py $(ARGS)

test: ## all tests, the browser's too
	@sh scripts/setup.sh test
	@CHROMIUM="$$(cat .venv/chromium)" $(python) -m pytest $(ARGS)

check: ## lint and format, changing nothing
	@sh scripts/setup.sh check
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .

bench: ## measure; the last line is JSON
	@sh scripts/setup.sh run
	@$(python) -m scripts.bench $(ARGS)

clean: ## remove what was installed and what was cached
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .gradio
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
