"""Models as transformers alone loads and runs them: whole texts at once, without any cache.

with folder_of_gguf(Path("model.gguf")) as folder: ...     # a GGUF file as a folder of transformers, gone at the end

Of a GGUF file's tokenizer transformers reads words and merges. How SmolLM2 cuts a text, and a file that does not say it, it does not
know, nor which tokens of a chat end a turn: that is said here.

Heads that read the target's features are plain PyTorch over the whole text, from the formulas of their papers: DeepSeek-V3 §2.2 (mtp),
Li et al. 2025, arXiv 2503.01840 §3.1 (fused), and Hui et al. 2026, arXiv 2602.01469 (fused, with a mask); rotations as the papers write
them, entries i and i + size/2 of a head turning together.
"""

import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Regex, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
from transformers.utils import logging

from ...config import ASSETS
from ...trace.events import Q8_ACTIVATIONS, ModelInfo
from ...trace.file import short
from .blocks import BLOCK, BlockModel, EagleHead
from .ledger import Ledger

DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
# layers that keep no state
ATTENTION = ("full_attention", "sliding_attention", "chunked_attention", "indexed_attention", "moe", "mlp")
BATCH_LOGITS = 1 << 25  # logits of a batch at most: 128 MB


class AuditError(ValueError):
    """What an audit needs is not there; the message says what."""


def error_line(error: Exception) -> str:
    """What a library says of something broken."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


@contextmanager
def audit_errors(file: Path) -> Iterator[None]:
    """Raises AuditError for whatever a broken file makes a library raise."""
    try:
        yield
    except Exception as error:
        raise AuditError(f"{file.parent.name}/{file.name} cannot be read ({error_line(error)})") from None


class Tensors(dict[str, torch.Tensor]):
    """Weights by their names. Raises AuditError for one that is asked for and is not there."""

    def __missing__(self, key: str) -> torch.Tensor:
        raise AuditError(f"these weights lack {key}")


def folder_of(name: str, place: str | None = None) -> Path:
    """`place`: a bundled name, a folder, or a hub id, which is fetched: what a user gave. Without it the `name` in the trace,
    which may only be a bundled one: a trace may come from anybody."""
    bundled = {folder.name: folder for folder in (ASSETS / "models").iterdir() if folder.is_dir()}
    if folder := bundled.get(place or name):
        return folder
    if not place:
        raise AuditError(
            f"the trace names {short(name)}, which is no model of those bundled: give its folder or hub id with --target or --draft"
        )
    if (folder := Path(place).expanduser()).is_dir():
        return folder
    if place.count("/") != 1:
        raise AuditError(f"there is no model {place!r}: give its folder or hub id with --target or --draft")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(place, allow_patterns=["*.safetensors", "*.json", "*.model", "*.txt"]))
    except Exception as error:  # many types, and texts of many lines: one thing to say
        raise AuditError(f"{place} could not be fetched from the hub ({type(error).__name__})") from None


def config_of(folder: Path) -> Any:
    """Nothing that a checkpoint brings is run, and nobody is asked whether it may be."""
    return AutoConfig.from_pretrained(folder, trust_remote_code=False)


def head_config(folder: Path) -> Any:
    """Of a head; one that the library speculators wrote has its layer's config inside its own."""
    stated = json.loads((folder / "config.json").read_text("utf-8"))
    layer = stated.pop("transformer_layer_config", None)
    if layer is None:
        return config_of(folder)
    config = AutoConfig.for_model(**layer)
    for key in stated.keys() - {"architectures", "model_type"}:
        setattr(config, "ptd_token_id" if key == "mask_token_id" else key, stated[key])
    return config


def tensors(folder: Path) -> Tensors:
    """All weights of a folder, as float32."""
    tensors = Tensors()
    for file in sorted(folder.glob("*.safetensors")):
        with audit_errors(file):
            tensors.update(load_file(file))
    tensors.update({key: tensor.float() for key, tensor in tensors.items() if tensor.is_floating_point()})
    return tensors


def in_whole_blocks(folder: Path) -> bool:
    """Whether the rows of all matrices of a head, but for a link, are blocks of 32 numbers."""
    shapes = [shape for name, (_, shape) in _headers(folder).items() if not name.startswith("link_")]
    return all(shape[1] % BLOCK == 0 for shape in shapes if len(shape) > 1)


def stored_types(folder: Path) -> set[str]:
    return {dtype for dtype, shape in _headers(folder).values() if len(shape) > 1}


def count_numbers(folder: Path, name: str = "") -> int:
    """Numbers in the tensors whose name holds `name`; of a table's `count` those above 0."""
    if name == "count":
        return int((tensors(folder)["count"] > 0).sum())
    return sum(math.prod(shape) for key, (_, shape) in _headers(folder).items() if name in key)


@lru_cache(8)
def _headers(folder: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    shapes = {}
    for path in sorted(folder.glob("*.safetensors")):
        with audit_errors(path), safe_open(path, "pt") as file:
            for key in file.keys():  # noqa: SIM118  # no dict
                part = file.get_slice(key)
                shapes[key] = DTYPES.get(part.get_dtype(), part.get_dtype()), tuple(part.get_shape())
    return shapes


def eos_ids(model: "Checkpoint") -> tuple[int, ...]:
    """Every id that ends a text: what tokenizer, config and generation config say together."""
    stated = [model.tokenizer.eos_token_id, model.config.get_text_config().eos_token_id]
    if (model.folder / "generation_config.json").is_file():
        stated.append(GenerationConfig.from_pretrained(model.folder).eos_token_id)
    ids = {id for each in stated for id in (each if isinstance(each, list) else [each]) if id is not None}
    return tuple(sorted(ids))


def check_weights(ledger: Ledger, stated: ModelInfo, folder: Path) -> None:
    """Whether the files are those that the trace names, and all of them. No other file is opened, whatever the trace names."""
    if stated.weights:
        ledger.equal("weights", stated.name, sorted(file.name for file in stated.weights), _files(folder))
    # a trace names no other file
    beside = {path.name: path for path in (*folder.glob("*.safetensors"), *gguf_files(folder))}
    for file in stated.weights:
        path = beside.get(file.name)
        if file.sha256 is None:
            ledger.skip(f"whether {short(file.name)} is the file of the run: the trace has no checksum of it")
        elif path is None:
            ledger.check("weights", stated.name, file.name, False, "no such file")
        else:
            with path.open("rb") as stream:  # a piece at a time: the file may be as large as the memory
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            ledger.equal("weights", f"{stated.name}, {file.name}", file.sha256, digest)


def gguf_files(folder: Path) -> list[Path]:
    """What a folder was written from, also under the name that Ollama gives it."""
    return sorted([*folder.glob("*.gguf"), *folder.glob("sha256-*")])


def _files(folder: Path) -> list[str]:
    """Names of the files that hold a model: the one, or those that its index lists; of what was written from a GGUF file that."""
    if files := gguf_files(folder):
        return [file.name for file in files]
    if (folder / "model.safetensors").is_file():
        return ["model.safetensors"]
    index = folder / "model.safetensors.index.json"
    with audit_errors(index):
        return sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))


def _longrope_switch(config) -> int | None:
    """Tokens past which longrope rotates every position of a text by other factors."""
    rope = getattr(config, "rope_parameters", None) or {}
    first = rope.get("original_max_position_embeddings") or getattr(config, "original_max_position_embeddings", None)
    return first if rope.get("rope_type") == "longrope" and first and first < config.max_position_embeddings else None


def checkpoint(name: str, place: str | None = None) -> "Checkpoint":
    """Loaded once for a target and its draft, however many traces of them are redone. `name`, `place`: as of folder_of."""
    return load_checkpoint(place or name, folder_of(name, place))


class Checkpoint:
    """A causal language model in float32, whatever the run's precision was. Raises AuditError if transformers cannot load it."""

    def __init__(self, name: str, folder: Path):
        self.folder = folder
        logging.disable_progress_bar()
        try:
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=torch.float32, use_safetensors=True, trust_remote_code=False
            )
            self.config = config_of(folder)
        except Exception as error:  # whatever a broken checkpoint makes a library raise
            raise AuditError(f"{name} cannot be loaded by transformers ({error_line(error)})") from None
        self.model = model.eval().requires_grad_(False)
        arithmetic = getattr(self.config, "specviz_arithmetic", "")
        self.blocks = BlockModel(gguf_files(folder)[0], self.config, arithmetic == Q8_ACTIVATIONS) if arithmetic else None
        self.vocabulary = self.model.get_output_embeddings().weight.shape[0]
        self.parameters = sum(weight.numel() for weight in self.model.parameters())  # a tied one once
        config = self.config.get_text_config()
        self.context = getattr(config, "max_position_embeddings", None) or 2048
        kinds = getattr(config, "layer_types", None) or []
        self.state_layers = sum(kind not in ATTENTION for kind in kinds)
        windowed = "sliding_attention" in kinds or (not kinds and getattr(config, "use_sliding_window", True))
        window = getattr(config, "sliding_window", None) if windowed else None
        self.window = getattr(config, "attention_chunk_size", None) if "chunked_attention" in kinds else window
        self.switch = _longrope_switch(config)
        if self.switch and config.model_type not in ("phi3", "phimoe", "phi4_multimodal"):
            self.context, self.switch = min(self.context, self.switch), None

    @cached_property
    def tokenizer(self):
        return AutoTokenizer.from_pretrained(self.folder, trust_remote_code=False)

    @torch.inference_mode()
    def logits_after(self, texts: list[list[int]], keep: list[int], layers: int | None = None) -> list[torch.Tensor]:
        """Of each text the logits [keep, V] after its last `keep` tokens; by the first `layers` only, through norm and head.

        A text that the last one begins with needs no pass of its own; others are padded on the right, where a causal model does not
        look."""
        if self.blocks:
            self.blocks.states(max(texts, key=len, default=[]))
            return [torch.from_numpy(self.blocks.logits(text, n, layers)) for text, n in zip(texts, keep, strict=True)]
        if self.switch and any(len(text) > self.switch for text in texts):
            return [self._logits_by_length(text, n, layers) for text, n in zip(texts, keep, strict=True)]
        logits_of: dict[int, torch.Tensor] = {}
        last = len(texts) - 1
        own = [i for i, text in enumerate(texts) if i == last or text != texts[-1][: len(text)]]
        size = max(1, min(16, BATCH_LOGITS // max(1, max(map(len, texts), default=0) * self.vocabulary)))
        for batch in (own[at : at + size] for at in range(0, len(own), size)):
            longest = max(len(texts[i]) for i in batch)
            ids = torch.tensor([[*texts[i], *[0] * (longest - len(texts[i]))] for i in batch])
            out = self.model(ids, use_cache=False, output_hidden_states=layers is not None)
            logits = out.logits if layers is None else self.model.lm_head(self.model.model.norm(out.hidden_states[layers]))
            for i, rows in zip(batch, logits, strict=True):
                logits_of[i] = rows if i == last else rows[len(texts[i]) - keep[i] : len(texts[i])].clone()
        for i, text in enumerate(texts):
            if i == last or i not in logits_of:
                logits_of[i] = logits_of[last][len(text) - keep[i] : len(text)].clone()
        return [logits_of[i] for i in range(len(texts))]

    def _logits_by_length(self, text: list[int], keep: int, layers: int | None) -> torch.Tensor:
        """Of a model whose positions are others past `switch` tokens: rows of shorter texts come from a pass over no more than that."""
        short, switch, self.switch = text[: self.switch], self.switch, None
        try:
            before = min(keep, len(short) - len(text) + keep)
            parts = [self.logits_after([short], [before], layers)[0]] if before > 0 else []
            parts += [self.logits_after([text], [keep - max(0, before)], layers)[0]] if len(text) > len(short) else []
            return torch.cat(parts)
        finally:
            self.switch = switch

    @torch.inference_mode()
    def states(self, text: list[int]) -> list[torch.Tensor]:
        """What goes into each layer at each position [n, width], and last what leaves the last norm."""
        if self.blocks:
            *inputs, last = self.blocks.states(text)
            return [*map(torch.from_numpy, inputs), torch.from_numpy(self.blocks.last_norm_of(last))]
        out = self.model(torch.tensor([text]), use_cache=False, output_hidden_states=True)
        return [state[0] for state in out.hidden_states]


load_checkpoint = lru_cache(2)(Checkpoint)


END_TOKENS = ("eos", "eot", "eom")
# which llama.cpp knows by name: those that the chat template writes end a text
TURN_ENDS = set(
    """
    <|im_end|> <|eot_id|> <|eom_id|> <|end|> <|return|> <|call|> <|calls|> <|flush|> <|endoftext|> <|end_of_text|>
    <end_of_turn> <end_of_utterance> <EOT> _<EOT> [EOT] [EOS] </s>
    """.split()
)
UNSAID_CUTS = (  # llama.cpp's, in turn, for a file that names no way to cut a text
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    "[0-9][0-9][0-9]",
)
DIGIT_PRE_TOKENIZERS = ("smollm",)  # names of ways to cut a text where every digit stands alone
# types of numbers in which a run keeps a file's matrices; any other in bfloat16
MATRIX_DTYPES = {0: torch.float32, 1: torch.float16}
BLOCK_DTYPES = ("Q4_1", "Q8_0")  # or, where the trace names one of these, none is rounded


@contextmanager
def folder_of_gguf(file: Path, stated: ModelInfo | None = None) -> Iterator[Path]:
    """`stated`: what a trace says of the model. Raises AuditError if transformers cannot read it."""
    with tempfile.TemporaryDirectory(prefix="specviz-audit-") as place:
        folder = Path(place)
        try:
            _write_checkpoint(file, folder, stated)
        except Exception as error:  # whatever a broken file makes a library raise
            raise AuditError(f"{file.name} cannot be read by transformers ({error_line(error)})") from None
        (folder / file.name).symlink_to(file.resolve())  # the trace says its sum
        yield folder


def _write_checkpoint(file: Path, folder: Path, stated: ModelInfo | None) -> None:
    from gguf import GGUFReader

    reader = GGUFReader(file)
    fields = {key: field.contents() for key, field in reader.fields.items() if len(field.data) == 1}
    kinds = {int(tensor.tensor_type) for tensor in reader.tensors if len(tensor.shape) > 1}
    stored_dtype = MATRIX_DTYPES.get(*kinds, torch.bfloat16) if len(kinds) == 1 else torch.bfloat16
    config = AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
    if stated and stated.dtype in BLOCK_DTYPES:
        stored_dtype, config.specviz_arithmetic = torch.float32, stated.arithmetic
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    ends = {fields.get(f"tokenizer.ggml.{end}_token_id") for end in END_TOKENS} - {None}
    written = fields.get("tokenizer.chat_template", "")
    ends |= {id for token, id in tokenizer.get_vocab().items() if token in TURN_ENDS and token in written}
    config.eos_token_id = sorted(ends)
    cut, byte_level = fields.get("tokenizer.ggml.pre") or "default", fields.get("tokenizer.ggml.model") == "gpt2"
    if cut in DIGIT_PRE_TOKENIZERS:
        cuts = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    elif cut == "default" and byte_level:
        parts = [pre_tokenizers.Split(Regex(part), "isolated") for part in UNSAID_CUTS]
        cuts = [*parts, pre_tokenizers.ByteLevel(False, use_regex=False)]
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    if not fields.get("tokenizer.ggml.add_bos_token", not byte_level or cut not in ("smollm", "qwen2", "gpt-2", "default")):
        tokenizer.bos_token = None
    with torch.device("meta"):  # from_pretrained of a GGUF file asks for accelerate, what it reads the file by does not
        empty = AutoModelForCausalLM.from_config(config)
    stored = load_gguf_checkpoint(file, return_tensors=True, model_to_load=empty)["tensors"]
    weights = {key: tensor.to(stored_dtype).contiguous() for key, tensor in stored.items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    for part in (config, GenerationConfig.from_model_config(config), tokenizer):
        part.save_pretrained(folder)


def mtp(checkpoint: Checkpoint, w: dict[str, torch.Tensor]):
    """(states, text, block) → the logits that each token of the block is drawn by. Lane j takes what lane j − 1 made; after the
    last module comes that one again."""
    c, model = checkpoint.config, checkpoint.model
    deepseek = f"model.layers.{c.num_hidden_layers}.eh_proj.weight" in w
    if not deepseek and "model.mtp_layers.0.input_proj.weight" not in w:
        raise AuditError("these weights have no multi-token heads with the names that DeepSeek or MiMo use")
    names = ("enorm", "hnorm", "eh_proj", "shared_head.norm") if deepseek else MIMO_NAMES
    token, hidden, join, norm = (f"{{}}{name}.weight" for name in names)
    at = [f"model.layers.{i}." if deepseek else f"model.mtp_layers.{i}." for i in range(c.num_hidden_layers + 99)]
    at = [prefix for prefix in at if join.format(prefix) in w]

    def rows(states, text, block):
        h, both, logits = states[-1][: len(text) - 1], [*text, *block], []
        for j in range(len(block)):
            here = at[min(j, len(at) - 1)]
            t = rms(embed(model, both[j + 1 : j + 1 + len(h)]), w[token.format(here)], c.rms_norm_eps)
            g = rms(h, w[hidden.format(here)], c.rms_norm_eps)
            x = torch.cat([t, g] if deepseek else [g, t], -1) @ w[join.format(here)].T
            h = layer(w, here, c, x, rms(x, w[f"{here}input_layernorm.weight"], c.rms_norm_eps))
            out = rms(h[-1], w[norm.format(here)], c.rms_norm_eps)
            head = w.get(f"{here}shared_head.head.weight")
            logits.append(model.lm_head(out) if head is None else head @ out)
        return logits

    return rows


MIMO_NAMES = ("token_layernorm", "hidden_layernorm", "input_proj", "final_layernorm")


def eagle3(checkpoint: Checkpoint, w: dict[str, torch.Tensor], config, in_blocks: bool = False):
    """Likewise. g = fc·[low; middle; high] of the target's features; a = layer([norm emb(t(i + 1)); norm g(i)]) + g; where the target
    has not been, a stands for g. Heads may have more layers after that one. Or, of weights with a mask_hidden, fc·mask_hidden and
    the mask token do, and one pass gives all rows. `config`: the head's own, or the target's; `in_blocks`: its matrices are."""
    c, model = config or checkpoint.config, checkpoint.model
    if "fc.weight" not in w:
        raise AuditError("these weights have no head over the target's features: fc.weight is missing")
    parallel = "mask_hidden" in w
    mask = getattr(c, "ptd_token_id", getattr(c, "pard_token", None))
    if parallel and mask is None:
        raise AuditError("these weights draft a block in one pass, but their config names no mask token: ptd_token_id is missing")
    taps = _fused_layers(config, checkpoint.config.num_hidden_layers)

    first = "layers.0." if "layers.0.hidden_norm.weight" in w else "midlayer."
    later = [at for i in range(1, len(w)) if f"{(at := f'layers.{i}.')}input_layernorm.weight" in w]

    def layer_outputs(g, tokens, keep):
        t = rms(embed(model, tokens[: len(g)]), w[f"{first}input_layernorm.weight"], c.rms_norm_eps)
        x = layer(w, first, c, g, torch.cat([t, rms(g, w[f"{first}hidden_norm.weight"], c.rms_norm_eps)], -1))
        for at in later:
            x = layer(w, at, c, x, rms(x, w[f"{at}input_layernorm.weight"], c.rms_norm_eps))
        return x[-keep:]

    def features(states):
        return torch.cat(states, -1) @ w["fc.weight"].T

    def head_logits(a):
        """[n, ·] of the head's own vocabulary, which may be the target's."""
        out = rms(a, w["norm.weight"], c.rms_norm_eps)
        if "lm_head.weight" in w:
            return out @ w["lm_head.weight"].T
        if "d2t" not in w:
            return model.lm_head(out)
        if gguf_files(checkpoint.folder):  # a run decodes these rows of a file's blocks to bfloat16
            return out @ model.lm_head.weight[target_ids()].bfloat16().float().T
        return model.lm_head(out)[:, target_ids()]

    def target_ids():
        """In the target's vocabulary of what the head's own has: d2t says how far its ids are shifted."""
        n = len(w.get("lm_head.weight", w.get("d2t", ())))
        return torch.arange(n) + w.get("d2t", torch.zeros(n, dtype=torch.long)).long()

    if in_blocks and checkpoint.blocks:
        known = None if "d2t" not in w else target_ids().numpy()
        numbers = {key: tensor.numpy() for key, tensor in w.items()}
        head = EagleHead(checkpoint.blocks, numbers, c, [first, *later], known)
        features, layer_outputs, head_logits = (_of_tensors(work) for work in (head.features, head.outputs, head.logits))

    def text_features(states, text):
        return features([states[i][: len(text) - 1] for i in taps])

    def rows(states, text, block):
        g, logits = text_features(states, text), []
        for _ in block:
            a = layer_outputs(g, [*text, *block][1 : len(g) + 1], 1)
            logits.append(over_target_vocabulary(head_logits(a)[0]))
            g = torch.cat([g, a])
        return logits

    def parallel_rows(states, text, block):
        later = len(block) - 1
        feature = features([*w["mask_hidden"].view(len(taps), 1, -1)])
        g = torch.cat([text_features(states, text), feature.expand(later, -1)])
        rows = [*head_logits(layer_outputs(g, [*text, *[mask] * later][1:], len(block)))]
        if "link_embed.weight" in w:  # what each token adds to the logits of the next
            links = [w["link_lm_head.weight"] @ w["link_embed.weight"][x] for x in block[: len(rows) - 1]]
            rows[1:] = [row + link for row, link in zip(rows[1:], links, strict=True)]
        return [*map(over_target_vocabulary, rows)]

    def over_target_vocabulary(logits):
        """Over the target's vocabulary: what the head's own lacks is impossible."""
        if "lm_head.weight" not in w and "d2t" not in w:
            return logits
        return torch.full((checkpoint.vocabulary,), float("-inf")).index_copy_(0, target_ids(), logits)

    return parallel_rows if parallel else rows


def _of_tensors(work: Callable) -> Callable:
    """What arrays do, of tensors."""

    def array(value):
        if isinstance(value, list):
            return [*map(array, value)]
        return value.numpy() if isinstance(value, torch.Tensor) else value

    return lambda *values: torch.from_numpy(work(*map(array, values)))


def _fused_layers(config, layers: int) -> list[int]:
    """Whose inputs are fused: `eagle_aux_hidden_state_layer_ids` names inputs, and outputs where it stands in `eagle_config`."""
    key = "eagle_aux_hidden_state_layer_ids"
    if inputs := getattr(config, key, None):
        return inputs
    outputs = (getattr(config, "eagle_config", None) or {}).get(key)
    return [id + 1 for id in outputs] if outputs else [2, layers // 2, layers - 3]


def embed(model, ids: list[int]) -> torch.Tensor:
    return model.get_input_embeddings()(torch.tensor(ids))


def rms(x, weight, eps):
    return weight * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


def rotate(x, config):
    """x [n, heads, size]: at position m pair i turns by m·frequency(i)."""
    n, size, rope = len(x), x.shape[-1], config.rope_parameters
    if rope.get("rope_type", "default") == "default":
        frequency, factor = rope["rope_theta"] ** (-torch.arange(0, size, 2).double() / size), 1.0
    else:
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        frequency, factor = ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, "cpu")
    angle = torch.outer(torch.arange(n).double(), frequency.double())[:, None]
    a, b = x.double().chunk(2, -1)
    return (factor * torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)).float()


def layer(w, at, c, x, normed):
    """x [n, width] after one decoder layer whose attention takes `normed`."""
    size = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
    n, shared = len(x), c.num_attention_heads // c.num_key_value_heads

    def project(part):
        projected = normed @ w[f"{at}self_attn.{part}_proj.weight"].T + w.get(f"{at}self_attn.{part}_proj.bias", 0)
        projected = projected.view(n, -1, size)
        if f"{at}self_attn.{part}_norm.weight" in w:
            projected = rms(projected, w[f"{at}self_attn.{part}_norm.weight"], c.rms_norm_eps)
        if part != "v":
            projected = rotate(projected, c)
        return projected if part == "q" else projected.repeat_interleave(shared, 1)

    scores = torch.einsum("ihd,jhd->hij", project("q"), project("k")) / size**0.5
    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    attended = torch.einsum("hij,jhd->ihd", scores.softmax(-1), project("v")).reshape(n, -1)
    x = x + attended @ w[f"{at}self_attn.o_proj.weight"].T
    m = rms(x, w[f"{at}post_attention_layernorm.weight"], c.rms_norm_eps)
    inner = F.silu(m @ w[f"{at}mlp.gate_proj.weight"].T) * (m @ w[f"{at}mlp.up_proj.weight"].T)
    return x + inner @ w[f"{at}mlp.down_proj.weight"].T
