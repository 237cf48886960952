"""What a target answers, and what it thought meanwhile: text and features to train its drafters on.

    python -m scripts.train_answers --target FOLDER --work build/answers --tokens 1000000

The target asks itself: what it writes where a user would (Magpie, Xu et al. 2024, arXiv 2406.08464 §2). It answers each, half of them at temperature
0 and half at .8, many at once. Of every position the work folder keeps the token, what goes into three layers (those that an EAGLE head fuses),
what leaves the last layer, and the logarithm of the sum of its exponentials, which makes probabilities of a part of the logits.
On a GPU (`--device cuda`) it keeps the tokens alone: to read the rest from a disk would take longer than to compute it again.
Stopped at any moment, the same command goes on where it was.
"""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu
from transformers import AutoTokenizer, LlamaForCausalLM

from specviz.engine.draft.eagle import fused_layers

from .train_loop import console

HOT = 0.8  # the temperature of every second answer
LONGEST = 224  # tokens of a prompt, with the template's own
PADDED = 16  # on a GPU, prompts are of one batch whose lengths differ by less
CONTENT = "CONTENT"  # marks a user's place in a chat template
MOST_ASKED = 100  # tokens of a prompt of the target's own


def own_prompts(work: Path, decoder: "BatchDecoder", tokenizer, stops: set[int], n: int, rows: int) -> list[str]:
    """`n` different prompts of the target's own, which it writes after the beginning of a user's turn. Those that are in `work` are read."""
    begin = tokenizer.apply_chat_template([{"role": "user", "content": CONTENT}], tokenize=False).partition(CONTENT)[0]
    ids, file = tokenizer.encode(begin, add_special_tokens=False), work / "prompts.jsonl"
    prompts = dict.fromkeys(map(json.loads, file.read_text("utf-8").splitlines())) if file.exists() else {}
    chance = torch.Generator(decoder.device)
    while len(prompts) < n:
        chance.manual_seed(len(prompts))
        with torch.inference_mode():
            turns = [one for one in decoder.answer([ids] * rows, MOST_ASKED, stops, chance, cold=0) if int(one.ids[-1]) in stops]
        texts = (tokenizer.decode(one.ids[one.prompt : -1]).strip() for one in turns)
        new = [text for text in dict.fromkeys(texts) if text and text not in prompts]
        with file.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(text) + "\n" for text in new)
        prompts |= dict.fromkeys(new)
        if not new:
            raise SystemExit(
                f"the model ends no turn of a user's within {MOST_ASKED} tokens: it has no chat template that it knows"
            )
        console.print(f"{len(prompts)} of {n} prompts")
    return list(prompts)[:n]


@dataclass(frozen=True)
class Layer:
    """The weights of one layer, those that multiply the same rows joined."""

    attention_norm: torch.Tensor
    qkv: torch.Tensor
    out: torch.Tensor
    mlp_norm: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor


class BatchDecoder:
    """A Llama-shaped target that answers many prompts at once in bfloat16, and keeps what it thought at each position where `features`."""

    def __init__(self, model: LlamaForCausalLM, features: bool = True):
        c, inner = model.config, model.model
        self.device, self.features = model.device, features
        self.config, self.rotary, self.eps = c, inner.rotary_emb, c.rms_norm_eps
        self.table, self.norm, self.head = inner.embed_tokens.weight, inner.norm.weight, model.lm_head.weight
        self.taps = fused_layers(c.num_hidden_layers)
        self.layers = [
            Layer(
                one.input_layernorm.weight,
                torch.cat([getattr(one.self_attn, f"{part}_proj").weight for part in "qkv"]),
                one.self_attn.o_proj.weight,
                one.post_attention_layernorm.weight,
                torch.cat([one.mlp.gate_proj.weight, one.mlp.up_proj.weight]),
                one.mlp.down_proj.weight,
            )
            for one in inner.layers
        ]

    def empty_cache(self, rows: int, positions: int) -> torch.Tensor:
        """[layers, 2, B, key heads, positions, size] for keys and values."""
        c = self.config
        shape = c.num_hidden_layers, 2, rows, c.num_key_value_heads, positions, c.head_dim
        return torch.zeros(shape, dtype=torch.bfloat16, device=self.device)

    def forward(self, ids: torch.Tensor, start: int, cache: torch.Tensor, pads: torch.Tensor | None = None) -> torch.Tensor:
        """ids [B, n] at positions `start` and on; the first `pads` [B] positions of a row are empty. Returns features
        [B, n, (taps + 1)·width]: what goes into the layers `taps`, and what leaves the last. `cache` as of empty_cache."""
        c, (b, n) = self.config, ids.shape
        size, heads, kv_heads = c.head_dim, c.num_attention_heads, c.num_key_value_heads
        cos, sin = (
            part[:, :, None] for part in self.rotary(self.table, torch.arange(start, start + n, device=self.device)[None])
        )
        visible = torch.ones(n, start + n, dtype=torch.bool, device=self.device).tril(start)
        if pads is not None:  # an empty position sees itself: a row of nothing has no softmax
            at = torch.arange(start + n, device=self.device)
            visible = (visible & (at >= pads[:, None, None]) | (at == at[start:, None]))[:, None]
        x, tapped = self.table[ids], []
        for i, layer in enumerate(self.layers):
            if i in self.taps:
                tapped.append(x)
            qkv = (rms_norm(x, (c.hidden_size,), layer.attention_norm, self.eps) @ layer.qkv.T).unflatten(-1, (-1, size))
            qk, v = qkv[:, :, :-kv_heads], qkv[:, :, -kv_heads:]
            qk = qk * cos + torch.cat([-qk[..., size // 2 :], qk[..., : size // 2]], -1) * sin
            cache[i, 0, :, :, start : start + n] = qk[:, :, heads:].transpose(1, 2)
            cache[i, 1, :, :, start : start + n] = v.transpose(1, 2)
            q = qk[:, :, :heads].transpose(1, 2)
            if n > 1:
                keys, values = cache[i, 0, :, :, : start + n], cache[i, 1, :, :, : start + n]
                out = scaled_dot_product_attention(q, keys, values, attn_mask=visible, enable_gqa=True)
            else:  # of one row two products are many times as fast
                keys, values = (part.flatten(0, 1)[:, : start + 1] for part in cache[i])
                scores = torch.bmm(q.reshape(b * kv_heads, -1, size), keys.transpose(1, 2)).mul_(size**-0.5)
                if pads is not None:
                    scores.view(b, -1, start + 1).masked_fill_(~visible[:, 0], float("-inf"))
                out = torch.bmm(scores.softmax(-1), values).view(b, heads, 1, size)
            x = x + out.transpose(1, 2).flatten(2) @ layer.out.T
            gate, up = (rms_norm(x, (c.hidden_size,), layer.mlp_norm, self.eps) @ layer.gate_up.T).chunk(2, -1)
            x = x + (silu(gate) * up) @ layer.down.T
        return torch.cat([*tapped, x], -1)

    def logits(self, features: torch.Tensor) -> torch.Tensor:
        """float32 logits [·, V] of what left the last layer."""
        x = features[..., -self.config.hidden_size :]
        return (rms_norm(x, (self.config.hidden_size,), self.norm, self.eps) @ self.head.T).float()

    def answer(
        self, prompt_ids: list[list[int]], most: int, stops: set[int], chance: torch.Generator, cold: float = 0.5
    ) -> Iterator["Answer"]:
        """One answer of at most `most` tokens to each of the prompts. The first `cold` share of them is greedy, the others are drawn at HOT.
        Ends when nine of ten have."""
        b, n = len(prompt_ids), max(map(len, prompt_ids))
        cold_rows = int(b * cold)
        ids = torch.zeros(b, n + most, dtype=torch.long, device=self.device)
        pads = torch.tensor([n - len(prompt) for prompt in prompt_ids], device=self.device)
        for row, prompt in enumerate(prompt_ids):
            ids[row, n - len(prompt) : n] = torch.tensor(prompt)
        same = (ids[:, : n - 1] == ids[0, : n - 1]).all(0).long().cumprod(0).sum()  # all begin alike: that is worked out once
        same, padded = (0, pads) if pads.any() else (int(same), None)
        cache = self.empty_cache(b, n + most)
        alike = cache[:, :, :1].clone()
        features = [self.forward(ids[:1, :same], 0, alike).expand(b, -1, -1)] if same else []
        cache[..., :same, :] = alike[..., :same, :]
        features.append(self.forward(ids[:, same:n], same, cache, padded))
        ends, sums = torch.full((b,), -1, device=self.device), torch.zeros(b, n + most, device=self.device)
        for at in range(n, n + most):
            logits = self.logits(features[-1][:, -1])
            sums[:, at - 1] = logits.logsumexp(-1)
            hot = (logits[cold_rows:] / HOT).softmax(-1)
            ids[:cold_rows, at] = logits[:cold_rows].argmax(-1)
            if len(hot):
                ids[cold_rows:, at] = hot.multinomial(1, generator=chance)[:, 0]
            ends[torch.isin(ids[:, at], torch.tensor(sorted(stops), device=self.device)) & (ends < 0)] = at + 1
            if at + 1 == n + most or (ends > 0).sum() > 0.9 * b:
                break
            if not self.features:
                features.clear()
            features.append(self.forward(ids[:, at : at + 1], at, cache, padded))
        ids, ends = ids.cpu(), torch.where(ends > 0, ends, at + 1).cpu()
        known = torch.cat(features, 1) if self.features else None
        for row, prompt in enumerate(prompt_ids):
            whole, end = slice(n - len(prompt), int(ends[row])), int(ends[row]) - 1
            thought = (None, None) if known is None else (known[row, :end], sums[row, :end])
            yield Answer(ids[row, whole].numpy(), len(prompt), *thought)


@dataclass(frozen=True)
class Answer:
    """A prompt of `prompt` tokens and what came of it. Row i of `features` [n − 1, ·] and `sums` [n − 1] was made by token i of `ids` [n]."""

    ids: np.ndarray
    prompt: int
    features: torch.Tensor | None
    sums: torch.Tensor | None


class AnswerFile:
    """Answers in a folder: tokens.bin, features.bin and sums.bin hold their rows one after the other, answers.jsonl says how long each is.
    Without `features` it has the tokens alone."""

    def __init__(self, folder: Path, layers: int, width: int, features: bool = True):
        """Of a target of so many layers of `width`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.taps = fused_layers(layers)
        self.folder, self.width, self.features = folder, (len(self.taps) + 1) * width, features
        self.index = folder / "answers.jsonl"
        lines = self.index.read_text().splitlines() if self.index.exists() else []
        self.spans = [tuple(json.loads(line)) for line in lines]  # [tokens, of the prompt, batch]
        self.rows = sum(n for n, *_ in self.spans)
        for name, size in self._sizes():  # what a stopped run wrote and did not count is dropped
            with (folder / name).open("ab") as file:
                file.truncate(self.rows * size)

    def tokens(self) -> np.ndarray:
        """All of them [rows], int32, one answer after the other."""
        return np.fromfile(self.folder / "tokens.bin", np.int32)

    def _sizes(self):
        return (("tokens.bin", 4), ("features.bin", 2 * self.width), ("sums.bin", 4))[: 3 if self.features else 1]

    def add(self, answers: list[Answer], batch: int) -> None:
        """All answers of a batch, or none where the run is stopped meanwhile. The last row of each is zeros: nothing was fed after it."""
        for name, _ in self._sizes():
            with (self.folder / name).open("ab") as file:
                for one in answers:
                    if name == "tokens.bin":
                        file.write(one.ids.astype(np.int32).tobytes())
                    elif name == "sums.bin":
                        file.write(np.append(one.sums.numpy(), np.float32(0)).astype(np.float32).tobytes())
                    else:
                        rows = torch.cat([one.features, torch.zeros(1, self.width, dtype=torch.bfloat16)])
                        file.write(rows.contiguous().view(torch.int16).numpy().tobytes())
        with self.index.open("a") as file:
            file.write("".join(json.dumps([len(one.ids), one.prompt, batch]) + "\n" for one in answers))
        self.spans += [(len(one.ids), one.prompt, batch) for one in answers]
        self.rows += sum(len(one.ids) for one in answers)


def main(
    target: Annotated[Path, typer.Option(help="Folder of a Llama-shaped model with a chat template.")],
    work: Annotated[Path, typer.Option(help="Where answers and features are kept.")] = Path("build/answers"),
    tokens: Annotated[int, typer.Option(help="How many tokens of answers.")] = 1_000_000,
    most: Annotated[int, typer.Option(help="Tokens of one answer at most.")] = 200,
    rows: Annotated[int, typer.Option(help="Prompts at once.")] = 128,
    turns: Annotated[int, typer.Option(help="How often each prompt is answered.")] = 1,
    device: Annotated[str, typer.Option(help="cpu, or cuda: there it keeps the tokens alone.")] = "cpu",
):
    """Let a model answer prompts, and keep its features."""
    tokenizer = AutoTokenizer.from_pretrained(target)
    model = LlamaForCausalLM.from_pretrained(target, dtype=torch.bfloat16).eval().to(device)
    features = device == "cpu"
    decoder, chance = BatchDecoder(model, features), torch.Generator(device)
    file = AnswerFile(work, model.config.num_hidden_layers, model.config.hidden_size, features)
    stops = {tokenizer.eos_token_id}
    texts = own_prompts(work, decoder, tokenizer, stops, tokens * 4 // (3 * most * turns), rows)
    done = max((batch for *_, batch in file.spans), default=-1) + 1
    answer_tokens, began, first = sum(n - prompt for n, prompt, _ in file.spans), time.monotonic(), True
    console.print(f"{len(texts)} prompts; {answer_tokens} tokens of answers are there")
    encoded = [_encoded(tokenizer, prompt) for prompt in texts]
    for batch, some in enumerate(batches(encoded * turns, rows, 1 if features else PADDED)):
        if answer_tokens >= tokens:
            break
        if batch < done:
            continue
        chance.manual_seed(batch)
        with torch.inference_mode():
            answers = list(decoder.answer(some, most, stops, chance))
        file.add(answers, batch)
        answer_tokens += sum(len(one.ids) - one.prompt for one in answers)
        if first:
            for one in (answers[0], answers[-1]):
                console.print(tokenizer.decode(one.ids), markup=False)
            first, began, before = False, time.monotonic(), answer_tokens
        else:
            console.print(f"batch {batch}: {answer_tokens} tokens, {(answer_tokens - before) / (time.monotonic() - began):.0f}/s")


def batches(prompt_ids: Iterable[list[int]], rows: int, apart: int = 1) -> Iterator[list[list[int]]]:
    """`rows` prompts at a time, as they come, whose lengths differ by less than `apart`; at the end what is left of each length."""
    waiting: dict[int, list[list[int]]] = {}
    for ids in prompt_ids:
        if len(ids) > LONGEST:
            continue
        some = waiting.setdefault(len(ids) // apart, [])
        some.append(ids)
        if len(some) == rows:
            yield waiting.pop(len(ids) // apart)
    yield from waiting.values()


def _encoded(tokenizer, prompt: str) -> list[int]:
    return tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True, return_dict=True)[
        "input_ids"
    ]


if __name__ == "__main__":
    typer.run(main)
