"""llama.cpp as a peer, where it is installed: the same weights, in float16, the same tokens. No part of this project needs it.

pip install llama-cpp-python gguf        # the vanilla lane; builds for ten minutes
cmake -B build && cmake --build build --target llama-speculative-simple     # in llama.cpp's sources, which that package carries; then
PATH=$PATH:build/bin make bench          # its own speculation
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from specviz.engine.models.gguf import LAYER_NAMES, MODEL_NAMES, open_gguf
from specviz.engine.models.load import is_gguf, load_config, load_weights, model_path
from specviz.engine.sampling import to_float32

from .peer import Timed, Whole

try:
    import llama_cpp
    from gguf import GGUFWriter
except ImportError:
    llama_cpp = None

FLOAT16, USER_DEFINED = 1, 4  # as GGUF numbers what a file is made of, and tokens that text is split at before all else
TOOL = "llama-speculative-simple"
ATTEMPTS = 5  # of the tool, whose log is written beside it and is cut short now and then
THEIRS = {ours: theirs for theirs, ours in (LAYER_NAMES | MODEL_NAMES).items()}


def has_llama_cpp() -> bool:
    return llama_cpp is not None


def has_speculation() -> bool:
    return has_llama_cpp() and shutil.which(TOOL) is not None


def convert(name: str, path: Path) -> None:
    """Write the Llama `name` as a GGUF file: matrices in float16, norms in float32. Its tokens read <0>, <1>, …, so that ids go in and come
    out as text; the last of them ends a text."""
    place = model_path(name)
    config = load_config(place, name)
    heads = {"q": config.num_attention_heads, "k": config.num_key_value_heads}
    size = config.hidden_size // heads["q"]
    writer = GGUFWriter(path, "llama")
    for key, value in {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "head_count": heads["q"],
        "head_count_kv": heads["k"],
        "layer_norm_rms_eps": config.rms_norm_eps,
        "rope_dimension_count": size,
        "rope_freq_base": config.rope_parameters["rope_theta"],
        "vocab_size": config.vocab_size,
        "tokenizer_model": "llama",
        "token_list": [f"<{id}>" for id in range(config.vocab_size)],
        "token_scores": [0.0] * config.vocab_size,
        "token_types": [USER_DEFINED] * config.vocab_size,
        "eos_token_id": config.vocab_size - 1,
        "add_bos_token": False,
        "add_space_prefix": False,
        "file_type": FLOAT16,
    }.items():
        getattr(writer, f"add_{key}")(value)
    for key, tensor in (open_gguf(place).weights() if is_gguf(place) else load_weights(place, name)).items():
        part = key.removesuffix(".weight")
        _, _, layer, inner = part.split(".", 3) if part.startswith("model.layers.") else ("", "", "", part)
        if inner in ("self_attn.q_proj", "self_attn.k_proj"):  # it wants rotary pairs side by side
            tensor = tensor.reshape(heads[inner[10]], 2, size // 2, -1).swapaxes(1, 2).reshape(tensor.shape)
        array = to_float32(tensor)
        theirs = f"blk.{layer}.{THEIRS[inner]}" if layer else THEIRS[inner]
        writer.add_tensor(f"{theirs}.weight", array.astype(np.float16) if array.ndim > 1 else array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class LlamaCpp:
    """llama.cpp on the weights of `name` in float16, or on a GGUF `file` as it is; greedy, on `threads`."""

    def __init__(self, name: str, threads: int, file: Path | None = None):
        with tempfile.TemporaryDirectory() as folder:
            path = file or Path(folder) / "model.gguf"
            if file is None:
                convert(name, path)
            self.model = llama_cpp.Llama(
                str(path),
                n_ctx=2304,
                n_batch=2304,
                n_threads=threads,
                n_threads_batch=threads,
                verbose=False,
                n_gpu_layers=0,
                use_mmap=False,
            )
        self.context, self.vocabulary = self.model.ctx, self.model.n_vocab()

    def __call__(self, ids: list[int], tokens: int) -> tuple[Whole, list[int]]:
        """`tokens` after ids; how long the whole took, and which."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        output_ids, fed = [], ids
        with Timed() as clock:
            for _ in range(tokens):
                self._feed(fed)
                fed = [int(np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(self.context, -1), (self.vocabulary,)).argmax())]
                output_ids += fed
        return clock.whole(tokens), output_ids

    def prefill(self, ids: list[int]) -> float:
        """ms of a pass over a prompt, with the logits of its last token."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        with Timed() as clock:
            self._feed(ids)
        return clock.ms

    def _feed(self, ids: list[int]) -> None:
        array = (llama_cpp.llama_token * len(ids))(*ids)
        if code := llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(ids))):
            raise RuntimeError(f"llama_decode gave {code}")


class Speculation(NamedTuple):
    """What the tool says of one run: ms for tokens, and how many it drafted and accepted."""

    ms: float
    tokens: int
    drafted: int
    accepted: int

    @property
    def ms_a_token(self) -> float:
        return self.ms / self.tokens


class Speculative:
    """llama.cpp's own speculation, greedy: `draft` proposes K tokens in every round. Each run is a process of its own, which
    loads the models and then clocks its rounds by itself."""

    def __init__(self, target: str, draft: str, threads: int):
        self.folder = tempfile.TemporaryDirectory()
        self.files = [Path(self.folder.name) / f"{part}.gguf" for part in ("target", "draft")]  # a name may be a folder
        for name, path in zip((target, draft), self.files, strict=True):
            convert(name, path)
        self.threads = threads

    def __call__(self, ids: list[int], K: int, tokens: int) -> tuple[Speculation, list[int]]:
        """`tokens` after ids, and which."""
        target, draft = self.files
        prompt = "".join(f"<{id}>" for id in ids)
        numbers = (
            f"--spec-draft-n-max {K} --spec-draft-p-min 0 -n {tokens - 1} -c 1024 --temp 0 -t {self.threads} -td {self.threads}"
        )
        words = ["-m", target, "-md", draft, "-p", prompt, *f"--spec-type draft-simple {numbers} -ngl 0 -ngld 0".split()]
        for _ in range(ATTEMPTS):
            done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=120, check=True)
            if speculation := read(done.stdout + done.stderr, len(ids)):
                return speculation
        raise RuntimeError(f"{TOOL} did not say how long it took, {ATTEMPTS} times: {done.stderr[-300:]}")


def read(output: str, prompt: int) -> tuple[Speculation, list[int]] | None:
    """The tool's own account, and the ids that it printed after the prompt's; None where it ended before its log was written."""
    time = re.search(r"decoded +(\d+) tokens in +([\d.]+) seconds", output)
    if time is None or "n_accept" not in output:
        return None
    tokens, seconds = time.groups()
    drafted, accepted = (int(re.search(rf"{name} += (\d+)", output)[1]) for name in ("n_drafted", "n_accept"))  # type: ignore[index]
    output_ids = [int(id) for id in re.findall(r"<(\d+)>", output)][prompt:]
    return Speculation(float(seconds) * 1e3, int(tokens), drafted, accepted), output_ids
