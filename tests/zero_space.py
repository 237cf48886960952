"""specviz on the real `spaces` package, with stand-ins for what only the platform has: its scheduler, a few HTTP calls on this machine, and
CUDA, whose tensors the package pretends in the worker as it does before that is forked.

python -m tests.zero_space          # needs `spaces`; the last line is JSON
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Scheduler(BaseHTTPRequestHandler):
    """What the platform is asked for; `answer` is how it answers the next request for a GPU."""

    answer = "ok"
    calls: list[tuple[str, dict]] = []  # noqa: RUF012 (one list for all requests is meant)

    def do_POST(self):
        url = urlsplit(self.path)
        Scheduler.calls.append((url.path, {key: one for key, [one] in parse_qs(url.query).items()}))
        if url.path != "/schedule":
            return self.say(200)
        match self.answer:
            case "ok":
                self.say(200, json.dumps({"idle": False, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": "token"}))
            case "quota":
                self.say(429, json.dumps({"left": 3, "wait": "PT1H"}))
            case "queue":
                self.say(200, "event: failed\n\n", "text/event-stream")
            case "none":
                self.say(503)

    def say(self, status: int, body: str = "", kind: str = "application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def queries(path: str) -> list[dict]:
    return [query for at, query in Scheduler.calls if at == path]


def environment(folder: str) -> None:
    """As the platform sets it, with nothing of this machine in reach."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Scheduler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (Path(folder) / "cgroup").write_text("0::/here\n")
    os.environ |= {
        "SPACES_ZERO_GPU": "true",
        "SPACES_ZERO_DEVICE_API_URL": f"http://127.0.0.1:{server.server_port}",
        "ZEROGPU_OFFLOAD_DIR": f"{folder}/tensors",
        "ZEROGPU_MMAP_AUTOPRUNE_PATTERN": f"{folder}/none",
        "ZEROGPU_PROC_SELF_CGROUP_PATH": f"{folder}/cgroup",
        "GRADIO_ANALYTICS_ENABLED": "False",
    }
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        os.environ.pop(name, None)


def pretend_cuda() -> None:
    """In the worker, instead of a GPU: the package's own emulation, which is left on there, over the tensors that it packed."""
    import torch
    from spaces.zero import torch as theirs
    from spaces.zero.torch import patching

    from specviz.engine import sampling

    def move(callback=None):
        for pack in patching.tensor_packs:
            with open(pack.path(), "rb") as file:
                for tensor, size, padded in [one for batch in pack.batches for one in batch] + pack.big_tensors:
                    raw = torch.frombuffer(bytearray(file.read(padded)[:size]), dtype=torch.uint8)
                    value = torch.empty(0, dtype=tensor.dtype).set_(raw.untyped_storage(), 0, tensor.shape, tensor.stride())
                    for fake in pack.fakes[tensor]:
                        patching.cuda_aliases[fake] = value

    class Event:
        def __init__(self, enable_timing=False):
            self.at = 0.0

        def record(self, stream=None):
            self.at = time.perf_counter()

        def synchronize(self):
            pass

        def elapsed_time(self, other):
            return (other.at - self.at) * 1e3

    theirs.unpatch, theirs.init, theirs.move = lambda: None, lambda uuid: None, move
    torch.cuda.Event = Event

    def uniforms(self, seed, device):  # a generator of a device that is not there cannot be made
        self.generator, self.device, self.on_host = torch.Generator().manual_seed(seed), device, False

    sampling.Uniforms.__init__ = uniforms


def in_bad_fork() -> bool:
    """A build without CUDA has a lambda here, which cannot be sent to another process."""
    return False


def in_this_thread(race):
    """As everywhere in the worker: where the emulation is thread by thread, this one has it too."""

    def there(*arguments):
        from spaces.zero.torch import patching

        patching.enter_mode()
        yield from race(*arguments)

    return there


def packed() -> float:
    """Bytes that will be packed ÷ bytes of the tensors that there are: above 1 where one is there under two shapes."""
    from spaces.zero.torch import patching

    storages = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in patching.cuda_aliases.values()}
    return patching._total_unpacked_size() / sum(storages.values())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment(folder)
        import torch

        torch.version.cuda = torch.version.cuda or "12.8"  # this build may be one without
        if not hasattr(torch._C, "_cuda_init"):
            torch._C._cuda_init, torch.cuda._is_in_bad_fork = lambda: None, in_bad_fork
        import spaces.zero  # noqa: F401 (before what imports torch)

        from specviz import zero
        from specviz.config import DecodeConfig
        from specviz.page.build import build, launch_settings
        from specviz.request import RunRequest

        pretend_cuda()
        engine = zero.ZeroEngine(pair=None)
        engine.local.race = in_this_thread(engine.local.race)
        report = {"packed": packed()}
        page = build(engine)
        page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings(page))
        report["reports"] = len(queries("/startup-report"))

        short = DecodeConfig(K=2, max_new_tokens=6, ignore_eos=True)

        def run(config=short, stop=lambda steps: False, kill=False):
            """In a thread, as the handlers of a page are."""
            steps = []
            for step in engine.race(RunRequest("Once upon a time", config, "small", stop=lambda: stop(steps))):
                steps.append(step)
                if kill and len(steps) == 2:
                    os.kill(int(queries("/allow")[-1]["pid"]), signal.SIGKILL)
            return steps[-1]

        def attempt(answer, **how):
            Scheduler.answer = answer
            try:
                with ThreadPoolExecutor(1) as pool:
                    return pool.submit(run, **how).result()
            except ValueError as error:
                return str(error)

        trace = attempt("ok")
        report |= {"tokens": trace.speculative[-1].tokens, "reason": trace.speculative[-1].reason}
        report["forked"] = int(queries("/allow")[0]["pid"]) != os.getpid()
        long = DecodeConfig(K=2, max_new_tokens=400, ignore_eos=True)
        report["stopped"] = attempt("ok", config=long, stop=lambda steps: len(steps) > 3).vanilla[-1].reason
        for answer in ("quota", "queue", "none"):
            report[answer] = attempt(answer)
        report["killed"] = attempt("ok", config=long, kill=True)
        report["after"] = attempt("ok").speculative[-1].tokens
        for call in queries("/allow"):  # workers that wait for a next run
            with suppress(ProcessLookupError):
                os.kill(int(call["pid"]), signal.SIGKILL)
        page.close(verbose=False)
        print(json.dumps(report), flush=True)
    os._exit(0)  # threads of the package wait for their workers


if __name__ == "__main__":
    sys.exit(main())
