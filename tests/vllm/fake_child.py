"""A process that answers as vLLM's does (specviz/vllm/child/serve.py), from a file of recorded lines: no vLLM, no torch.

python fake_child.py '{"options": {"behave": "…", "lines": "steps.jsonl"}}'

`behave`: `refuse` says why it cannot start, `die` ends in mid-run, `hang` waits for ever once it is asked, and with it a process that it
has started; else it replays.
"""

import json
import subprocess
import sys
import time

ABOUT = {
    "version": "0.32.0", "torch": "2.13.0+cpu", "python": "3.11.7", "transformers": "5.19.0", "device": "CPU", "threads": 1,
    "tensor_parallel": 1, "context": 1024,
    "target": {"family": "llama", "layers": 12, "width": 256, "vocabulary": 4096, "dtype": "float32"},
    "draft": {"family": "llama", "layers": 2, "width": 160, "vocabulary": 4096, "dtype": "float32"},
}  # fmt: skip


def send(**message) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    options = json.loads(sys.argv[1])["options"]
    behave = options.get("behave", "")
    if behave == "refuse":
        send(refused="vLLM 0.99 was not tried")
        return
    send(ready=ABOUT)
    with open(options["lines"], encoding="utf-8") as file:
        recorded = [json.loads(line) for line in file]
    for line in sys.stdin:
        request = json.loads(line)
        if "run" not in request:
            continue
        if behave == "hang":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            send(step=request["run"], **{**recorded[0], "out": recorded[0]["out"]})
            time.sleep(600)
        lane = [
            step for step in recorded if step["drafts"] == request["drafts"] and step["greedy"] == (request["temperature"] == 0)
        ]
        for i, step in enumerate(lane):
            if behave == "die" and i == 3:
                print("RuntimeError: out of memory", file=sys.stderr, flush=True)
                sys.exit(3)
            send(step=request["run"], **step)
        send(over=request["run"], alike=None)


if __name__ == "__main__":
    main()
