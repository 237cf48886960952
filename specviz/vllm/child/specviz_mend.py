"""Whether this vLLM is the one whose rounds can be watched, and what is mended in it. Runs in vLLM's environment.

The class that is mixed into a worker is a supported way in; the names inside are not. So the version is pinned, each name is looked for,
and what would go wrong without a word (drafts of nonsense, garbage temperatures, an option that is ignored) is refused or mended here.
"""

import json
import shutil
import tempfile
from pathlib import Path

PINNED = "0.32"  # the versions that were tried begin so
READ = "0.33"  # read, not run: the names that are watched are those of 0.32
HOOKS = {  # of which module what is watched
    "vllm.v1.sample.rejection_sampler": ("rejection_sample", "generate_uniform_probs", "expand_batch_to_tokens"),
    "vllm.v1.sample.ops.topk_topp_sampler": ("apply_top_k_top_p",),
}
RUNNER = ("execute_model", "_sample", "propose_draft_token_ids", "take_draft_token_ids", "input_batch")
METHODS = ("draft_model", "eagle", "eagle3", "ngram")
HEADS = ("eagle", "eagle3")


class VllmError(Exception):
    """One line that says what cannot be run and what to do."""


def check_version(version: str) -> None:
    if not version.startswith((PINNED + ".", READ + ".")):
        raise VllmError(
            f"vLLM {version} was not tried: its rounds can be watched in {PINNED}.x and {READ}.x, "
            f"so install vllm=={PINNED}.0 in that environment"
        )


def check_hooks() -> None:
    """Each function that is watched is there. VllmError names the first that is not."""
    from importlib import import_module

    for module, names in HOOKS.items():
        for name in names:
            if not hasattr(import_module(module), name):
                raise VllmError(f"this vLLM has no {module}.{name}, which specviz needs: install vllm=={PINNED}.0")


def missing_in(runner) -> str:
    """The first name that a model runner lacks, or ''. V2 of the runner lacks most."""
    return next((name for name in RUNNER if not hasattr(runner, name)), "")


def check_environment(environment) -> None:
    if environment.get("VLLM_USE_V2_MODEL_RUNNER") == "1":
        raise VllmError(
            "V2 of vLLM's model runner draws its uniforms inside a kernel: unset VLLM_USE_V2_MODEL_RUNNER, or set it to 0"
        )


def speculative(request: dict, copies: Path) -> dict | None:
    """`speculative_config` of vLLM for `request`: method, draft (a folder, or None), K, drafting; None for K = 0.

    VllmError for a method or a verifier that would be ignored without a word. A head whose config counts the target's layers is read
    from a copy in `copies` that counts one."""
    method, K = request["method"], request["K"]
    if not K:
        return None
    if method not in METHODS:
        raise VllmError(f"{method!r} is not a drafting method that specviz records: choose one of {', '.join(METHODS)}")
    more = request.get("speculative") or {}
    way = more.get("rejection_sample_method", "standard")
    if way != "standard":
        raise VllmError(
            f"rejection_sample_method {way!r} is not the rule that is recorded, "
            f"or V1 of vLLM's model runner ignores it: leave it at standard"
        )
    config = {"method": method, "num_speculative_tokens": K, **more}
    if method == "ngram":
        return {"prompt_lookup_min": 1, "prompt_lookup_max": 4} | config
    if not request.get("draft"):
        raise VllmError(f"{method} needs a draft: the folder or hub id of its weights")
    config["model"] = with_layer_count(request["draft"], copies) if method in HEADS else request["draft"]
    return {"draft_sample_method": "greedy" if request.get("drafting") == "argmax" else "probabilistic"} | config


def with_layer_count(draft: str, copies: Path) -> str:
    """The folder of a head, or of a copy of it whose config counts the layers that its weights have: often it counts its
    target's. With more vLLM loads the head without a word, and drafts nonsense. What is no folder here is left to vLLM."""
    folder = Path(draft)
    path = folder / "config.json"
    if not path.is_file():
        return draft
    config = json.loads(path.read_text("utf-8"))
    layers = layer_count(folder)
    if config.get("num_hidden_layers") == layers:
        return draft
    copy = Path(tempfile.mkdtemp(dir=copies)) / folder.name
    copy.mkdir()
    for each in folder.iterdir():
        if each.is_file() and each.name != "config.json":
            try:
                (copy / each.name).symlink_to(each.resolve())
            except OSError:  # Windows without the right to
                shutil.copyfile(each, copy / each.name)
    (copy / "config.json").write_text(json.dumps(config | {"num_hidden_layers": layers}), "utf-8")
    return str(copy)


def layer_count(folder: Path) -> int:
    """How many layers the weights of a head have: those after the first are called layers.1., layers.2. and so on."""
    names = set[str]()
    for path in folder.glob("*.safetensors"):
        with path.open("rb") as file:
            names |= set(json.loads(file.read(int.from_bytes(file.read(8), "little"))))
    return 1 + sum(f"layers.{i}.input_layernorm.weight" in names for i in range(1, 100))


def repeat_for_tokens(x, cu_num_tokens, num_tokens, replace_from=0, replace_to=0):
    """`expand_batch_to_tokens` for a CPU: x [requests] to [tokens], each as often as its request has drafted tokens.

    vLLM 0.32's own writes into a copy that is thrown away, so that at a temperature drafted positions get unwritten memory for
    temperature, top-k and top-p (vllm-project/vllm#55005)."""
    import torch

    counts = cu_num_tokens.diff(prepend=cu_num_tokens.new_zeros(1))
    return torch.where(x == replace_from, replace_to, x).to(x.dtype).repeat_interleave(counts)
