#!/bin/sh
# What a lent GPU is asked for, each part in a call of less than ten minutes; all that is measured goes to the folder OUT.
#   sh scripts/gpu/day.sh tests OUT           the tests that need a CUDA device, and sampled runs for the audit
#   sh scripts/gpu/day.sh bench OUT [--tiny]  greedy lanes by precision, trees, the family's drafters by K, public shapes, recorded runs
#   sh scripts/gpu/day.sh heads OUT FOLDER    a head for the model in FOLDER: its answers, then the training
set -u
part=$1 out=$2 three=${3:-}
mkdir -p "$out"
case $part in
tests)
  export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
  timeout "${SECONDS_OF_TESTS:-300}" python3 -m pytest -q -p pytest_timeout -p no:cacheprovider --timeout 60 tests/gpu 2>&1 | tee "$out/tests.txt" | tail -40
  for drafter in fable-small eagle mtp; do
    python3 -m specviz trace --out "$out/gpu-$drafter.jsonl" --draft $drafter --temperature 1 --seed 3 --prompt "Once upon a time" 2>&1 | tail -2
  done
  ;;
bench)
  for section in identity trees bundled synthetic traces; do
    python3 -m scripts.bench_gpu $three --out "$out" --minutes "${MINUTES:-1}" $section 2>&1 | tail -30
  done
  ;;
heads)
  timeout "${SECONDS_OF_ANSWERS:-100}" python3 -m scripts.train_answers --target "$three" --text build/text --work "$out/answers" --rows 1024 --turns 2 --tokens 14000000 --device "${DEVICE:-cuda}" | tail -5
  python3 -m scripts.train_heads --target "$three" --answers "$out/answers" --out "$out/heads" --work "$out/state" --rows 16384 --minutes "${MINUTES:-4}" --device "${DEVICE:-cuda}" | tail -12
  ;;
esac
