"""What a target answers: text to train its drafters on.

    python -m scripts.train_answers --target FOLDER --work build/answers --tokens 1000000

The target asks itself: what it writes where a user would (Magpie, Xu et al. 2024, arXiv 2406.08464 §2). It answers each, half of
them at temperature 0 and half at .8, many at once. Stopped at any moment, the same command goes on where it was.
"""

import json
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import torch
import typer
from transformers import AutoTokenizer, LlamaForCausalLM

from .train_loop import CUDA_IF_ANY, console

HOT = 0.8  # the temperature of every second answer
LONGEST = 224  # tokens of a prompt, with the template's own
CONTENT = "CONTENT"  # marks a user's place in a chat template
MOST_ASKED = 100  # tokens of a prompt of the target's own


class Answer(NamedTuple):
    """The ids of a prompt of `prompt` tokens and of what came of it."""

    prompt: int
    ids: list[int]


def continuations(model, prompts: list[list[int]], most: int, stops: set[int], temperature: float, seed: int) -> list[Answer]:
    """Each of the prompts with what the model writes after it, to the first of `stops` or `most` tokens."""
    if not prompts:
        return []
    n, end = max(map(len, prompts)), sorted(stops)
    pads = [n - len(one) for one in prompts]
    ids = torch.tensor([[0] * pad + one for pad, one in zip(pads, prompts, strict=True)], device=model.device)
    mask = (torch.arange(n)[None] >= torch.tensor(pads)[:, None]).long().to(model.device)
    how = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0} if temperature else {"do_sample": False}
    torch.manual_seed(seed)
    out = model.generate(
        ids, attention_mask=mask, max_new_tokens=most, eos_token_id=end or None, pad_token_id=end[0] if end else 0, **how
    )
    answers = []
    for prompt, written in zip(prompts, out[:, n:].tolist(), strict=True):
        length = next((i + 1 for i, id in enumerate(written) if id in stops), len(written))
        answers.append(Answer(len(prompt), prompt + written[:length]))
    return answers


def whole_lines(path: Path) -> list:
    """The values of a file of JSON lines, if there is one. A line that a stopped run did not finish goes."""
    whole, end, rest = path.read_text("utf-8").rpartition("\n") if path.exists() else ("", "", "")
    if rest:
        path.write_text(whole + end, "utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def add_lines(path: Path, values: list) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(value) + "\n" for value in values)


def own_prompts(work: Path, model, tokenizer, stops: set[int], n: int, rows: int) -> list[str]:
    """`n` different prompts that the target writes after the beginning of a user's turn. Those that are in `work` are read."""
    begin = tokenizer.apply_chat_template([{"role": "user", "content": CONTENT}], tokenize=False).partition(CONTENT)[0]
    ids, file = tokenizer.encode(begin, add_special_tokens=False), work / "prompts.jsonl"
    prompts = dict.fromkeys(whole_lines(file))
    while len(prompts) < n:
        turns = continuations(model, [ids] * rows, MOST_ASKED, stops, HOT, len(prompts))
        texts = (tokenizer.decode(one.ids[one.prompt : -1]).strip() for one in turns if one.ids[-1] in stops)
        new = [text for text in dict.fromkeys(texts) if text and text not in prompts]
        if not new:
            raise SystemExit(
                f"the model ends no turn of a user's within {MOST_ASKED} tokens: it has no chat template that it knows"
            )
        add_lines(file, new)
        prompts |= dict.fromkeys(new)
        console.print(f"{len(prompts)} of {n} prompts")
    return list(prompts)[:n]


def read_answers(work: Path) -> list[Answer]:
    """What a work folder has: its file holds a batch in a line."""
    return [Answer(*one) for batch in whole_lines(work / "answers.jsonl") for one in batch]


def main(
    target: Annotated[Path, typer.Option(help="Folder of a Llama-shaped model with a chat template.")],
    work: Annotated[Path, typer.Option(help="Where prompts and answers are kept.")] = Path("build/answers"),
    tokens: Annotated[int, typer.Option(help="How many tokens of answers.")] = 1_000_000,
    most: Annotated[int, typer.Option(help="Tokens of one answer at most.")] = 200,
    rows: Annotated[int, typer.Option(help="Prompts at once.")] = 128,
    turns: Annotated[int, typer.Option(help="How often each prompt is answered.")] = 1,
    device: str = CUDA_IF_ANY,
):
    """Let a model ask and answer itself."""
    tokenizer, file = AutoTokenizer.from_pretrained(target), work / "answers.jsonl"
    model = LlamaForCausalLM.from_pretrained(target, dtype=torch.bfloat16).eval().to(device)
    stops = {tokenizer.eos_token_id}
    texts = own_prompts(work, model, tokenizer, stops, tokens * 4 // (3 * most * turns), rows)
    asked = ([{"role": "user", "content": text}] for text in texts)
    encoded = [tokenizer.apply_chat_template(turn, add_generation_prompt=True, return_dict=True)["input_ids"] for turn in asked]
    prompts = [ids for ids in encoded if len(ids) <= LONGEST] * turns
    done, began, new = whole_lines(file), time.monotonic(), 0
    there = sum(len(ids) - prompt for batch in done for prompt, ids in batch)
    for batch, at in enumerate(range(0, len(prompts), rows)):
        if batch < len(done) or there + new >= tokens:
            continue
        some = prompts[at : at + rows]
        cold, hot = some[: len(some) // 2], some[len(some) // 2 :]
        answers = [one for part, T in ((cold, 0.0), (hot, HOT)) for one in continuations(model, part, most, stops, T, batch)]
        add_lines(file, [answers])
        if not new:
            console.print(tokenizer.decode(answers[0].ids), tokenizer.decode(answers[-1].ids), sep="\n", markup=False)
        new += sum(len(one.ids) - one.prompt for one in answers)
        console.print(f"batch {batch}: {there + new} tokens, {new / (time.monotonic() - began):.0f}/s")


if __name__ == "__main__":
    typer.run(main)
