#!/bin/sh
# Makes an environment that has vLLM for a CPU, 3.5 GB, once: `sh scripts/vllm.sh build/vllm`. The Makefile calls it.
# It may be stopped at any moment and run again.   PYTHON=…  the Python to use (3.11 or newer)   SPECVIZ_PIP_ARGS=…  for pip
set -eu
cd "$(dirname "$0")/.."
venv=${1:-build/vllm}
unset PYTHONHOME PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0
wanted=$(cat requirements-vllm.txt scripts/vllm.sh | cksum)
[ -f "$venv/installed" ] && [ "$(cat "$venv/installed")" = "$wanted" ] && exit 0
printf 'specviz: installing vLLM into %s: some minutes, 3.5 GB\n' "$venv" >&2
[ -x "$venv/bin/python" ] || "${PYTHON:-$(readlink -f .venv/bin/python)}" -m venv "$venv"
# shellcheck disable=SC2086 # several arguments
"$venv/bin/python" -m pip install --quiet ${SPECVIZ_PIP_ARGS:-} -r requirements-vllm.txt
# it brings these for CUDA, and on a CPU vLLM dies as it imports them
"$venv/bin/python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
"$venv/bin/python" -c "import vllm"
echo "$wanted" > "$venv/installed"
