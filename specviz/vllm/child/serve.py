"""vLLM's engine in a process of its own: asked and told in JSON lines, each step as it is done. Runs in vLLM's environment.

    /path/to/vllm-env/bin/python specviz/vllm/child/serve.py '{"target": "DIR", "method": "ngram", "draft": null, "K": 4}'

    → {"ready": {"version": "0.32.0", "torch": "2.13.0+cpu", …}}           or {"refused": "one line"} and the end
    ← {"run": 1, "prompt": [0, 314], "drafts": true, "K": 4, "tokens": 64,
       "temperature": 0.8, "top_k": 0, "top_p": 1, "seed": 0, "eos": [0]}
    → {"step": 1, "out": [756], "ms": 3.1, …}                              one a step; what else it says: below, specviz_worker.describe
    ← {"stop": 1}
    → {"over": 1, "alike": true}                     each rank told the same of every step; null where there is one

One request at a time: what is watched is a round, not a server under load. Where the other side is gone, this process ends with all
that it started.
"""

import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path


def main() -> None:
    send = _stdout_sender()
    requests: queue.Queue[dict] = queue.Queue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    from specviz_mend import VllmError

    with tempfile.TemporaryDirectory(prefix="specviz-vllm-") as copies:
        try:
            engine, about = load(json.loads(sys.argv[1]), Path(copies))
        except VllmError as error:
            send({"refused": str(error)})
            return
        except Exception as error:  # whatever vLLM says of weights, options and memory, in one line
            send({"refused": f"vLLM could not start: {' '.join(str(error).split())[:400] or type(error).__name__}"})
            raise
        send({"ready": about})
        while True:
            request = requests.get()
            if "run" in request:
                run(engine, request, requests, send)


def load(request: dict, copies: Path):
    """The engine that `request` describes, watched, and what is worth knowing of it. Raises VllmError."""
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # the scheduler here, so that a step is ours to take
    import specviz_mend as mend

    mend.check_environment(os.environ)
    os.environ["VLLM_USE_V2_MODEL_RUNNER"] = "0"
    import torch
    import vllm

    mend.check_version(vllm.__version__)
    mend.check_hooks()
    from vllm.engine.arg_utils import EngineArgs
    from vllm.platforms import current_platform
    from vllm.v1.engine.llm_engine import LLMEngine

    options = {"dtype": "float32" if current_platform.is_cpu() else "auto", "enforce_eager": current_platform.is_cpu()}
    options |= {"enable_prefix_caching": False, "max_num_seqs": 1} | (request.get("options") or {})
    ours = {"async_scheduling": False, "worker_extension_cls": "specviz_worker.Observer", "seed": 0}
    wrong = [name for name in [*ours, "model", "speculative_config"] if name in (request.get("options") or {})]
    wrong += [name for name in options if name not in EngineArgs.__dataclass_fields__]
    if wrong:
        raise mend.VllmError(f"{wrong[0]} is not an option of vLLM that can be set here")
    engine = LLMEngine.from_engine_args(
        EngineArgs(model=request["target"], speculative_config=mend.speculative(request, copies), **options, **ours)
    )
    ranks = engine.collective_rpc("specviz_watch")
    if missing := next((rank["missing"] for rank in ranks if rank["missing"]), ""):
        raise mend.VllmError(f"this vLLM's model runner has no {missing}, which specviz needs: install vllm=={mend.PINNED}.0")
    config = engine.vllm_config
    about = {"version": vllm.__version__, "torch": torch.__version__, "python": ".".join(map(str, sys.version_info[:3]))}
    import transformers

    about |= {"transformers": transformers.__version__, "device": ranks[0]["name"], "threads": ranks[0]["threads"]}
    about |= {"tensor_parallel": config.parallel_config.tensor_parallel_size, "context": config.model_config.max_model_len}
    about |= {"target": _model(config.model_config), "draft": _draft(config)}
    return engine, about


def _model(config) -> dict:
    hf = config.hf_text_config
    return {
        "family": str(hf.model_type),
        "layers": int(getattr(hf, "num_hidden_layers", 0)),
        "width": int(getattr(hf, "hidden_size", 0)),
        "vocabulary": int(config.get_vocab_size()),
        "dtype": str(config.dtype).removeprefix("torch."),
    }


def _draft(config) -> dict | None:
    speculative = config.speculative_config
    return _model(speculative.draft_model_config) if speculative and speculative.method != "ngram" else None


def run(engine, request: dict, requests: queue.Queue, send) -> None:
    """One request, step by step, each said as it is done."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    number, name = request["run"], f"{request['run']}"
    alone = engine.vllm_config.parallel_config.world_size == 1  # else other processes decode, whose clocks are not read
    engine.collective_rpc("specviz_lane", args=(request["drafts"], request["K"]))
    params = SamplingParams(
        temperature=request["temperature"],
        top_k=request["top_k"],
        top_p=request["top_p"],
        seed=request["seed"],
        max_tokens=request["tokens"],
        stop_token_ids=request["eos"],
        ignore_eos=True,  # which ids end a text is said by the line before
        detokenize=False,
        output_kind=RequestOutputKind.DELTA,
    )
    alike = True
    try:
        engine.add_request(name, {"prompt_token_ids": request["prompt"]}, params)
    except ValueError as error:
        send({"failed": number, "why": " ".join(str(error).split())[:300]})
        return
    while engine.has_unfinished_requests():
        start, had = time.perf_counter(), time.thread_time()
        outputs = engine.step()
        ms, had = 1e3 * (time.perf_counter() - start), 1e3 * (time.thread_time() - had)
        describe_start = time.perf_counter()
        ranks = [rank for rank in engine.collective_rpc("specviz_take") if rank]
        alike &= all(_without_times(rank) == _without_times(ranks[0]) for rank in ranks)
        out = [id for output in outputs for id in output.outputs[0].token_ids]
        times = {
            "all_ms": ms,
            "processor_ms": had if alone else None,
            "described_ms": 1e3 * (time.perf_counter() - describe_start),
        }
        send({"step": number, "out": out, **times, **(ranks[0] if ranks else {"ms": None})})
        while not requests.empty():
            if requests.get().get("stop") == number:
                engine.abort_request([name])
    send({"over": number, "alike": None if len(ranks) < 2 else alike})


def _without_times(step: dict) -> dict:
    """All that two ranks must agree on: everything but times."""
    return {name: value for name, value in step.items() if name != "ms"}


def _stdout_sender():
    """What writes a line to whoever started this process. All else that is printed here goes to the other stream."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def send(message: dict) -> None:
        try:
            out.write(json.dumps(message, allow_nan=False) + "\n")
        except OSError:
            _end()

    return send


def _listen(requests: queue.Queue) -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    _end()


def _end() -> None:
    """Nobody listens: this process goes, and its workers with it."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":  # workers of tensor parallel import this file again
    main()
