"""From text files to the bundled family: `make train`, or python -m scripts.train_family --help.

    fable           the target, trained to be left early              fable-mtp      multi-token heads
    fable-large     a draft half as deep as the target                fable-eagle    an EAGLE head
    fable-small     a draft of two thin layers                        fable-block    a head that makes a block in one pass
                                                                      fable-bigram   a table

Stopped at any moment, the same command goes on where it was. On a CPU leave the machine alone meanwhile. On CUDA it is the
same recipe; larger --rows then use the device.
"""

import json
from pathlib import Path
from typing import Annotated

import typer
from tokenizers import Tokenizer
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from .train_drafters import BlockHead, EagleHead, Heads, Student, bigram, counts_of, frequent, save, save_head, train_drafters
from .train_loop import CUDA_IF_ANY, Length, Rows, TextFolder, console
from .train_target import fresh, shape, train_target
from .train_text import END, load, new_tokenizer

SHARD = "8500KB"  # no file of the family is over 9 MB


def main(
    text: TextFolder = Path("build/text"),
    work: Annotated[Path, typer.Option(help="Where the state of the training is kept.")] = Path("build/family"),
    out: Annotated[Path, typer.Option(help="Where the finished folders go.")] = Path("assets/models"),
    minutes: Annotated[float, typer.Option(help="For the target.")] = 128.0,
    drafter_minutes: Annotated[float, typer.Option(help="For all drafters together, in half as large batches.")] = 46.0,
    layers: int = 12,
    width: int = 256,
    heads: int = 4,
    exit: Annotated[int, typer.Option(help="Layers of the target after which it may be left.")] = 3,
    small: Annotated[str, typer.Option(help="Layers × width of the small draft.")] = "2x160",
    large: Annotated[str, typer.Option(help="Layers × width of the large draft.")] = "6x160",
    vocabulary: int = 4096,
    rows: Rows = 16,
    length: Length = 256,
    lr: float = 0.007,
    device: str = CUDA_IF_ANY,
):
    """Train the target, then what drafts for it, and write them as folders."""
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "tokenizer.json").is_file():
        with console.status("learning the tokenizer"):
            new_tokenizer(text, vocabulary).save(str(work / "tokenizer.json"))
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    with console.status("tokenising"):
        texts = load(text, tokenizer, work / "tokens")
    vocabulary = tokenizer.get_vocab_size()
    batch = {"device": device, "rows": rows, "length": length, "lr": lr}

    target = fresh(shape(layers, width, heads, vocabulary)).to(device)
    figures = {"target": train_target(target, texts, exit, work / "target", minutes, **batch)}
    target = target.bfloat16().float()  # what is written is what the drafters learn from
    save_model(target, work, out / "fable")

    def draft(size: str, name: str) -> Student:
        depth, thin = map(int, size.split("x"))
        return Student(fresh(shape(depth, thin, max(1, thin // 32), vocabulary)).to(device), name)

    students = {"small": draft(small, "small"), "large": draft(large, "large"), "mtp": Heads(target)}
    students |= {"eagle": EagleHead(target), "block": BlockHead(target)}
    for student in students.values():
        student.to(device)
    figures["drafters"] = train_drafters(
        target, students, texts, work / "drafters", drafter_minutes, **batch | {"rows": max(1, rows // 2)}
    )
    for name in "small", "large":
        save_model(students[name].model, work, out / f"fable-{name}")
    students["block"].keep(frequent(counts_of(texts, vocabulary)).to(device))
    for name in "mtp", "eagle", "block":
        save_head(out / f"fable-{name}", students[name])
    save(out / "fable-bigram", bigram(texts, vocabulary), target.config, architectures=["Bigram"])
    (work / "figures.json").write_text(json.dumps(figures, indent=2))
    size = sum(path.stat().st_size for path in out.glob("fable*/*.safetensors"))
    console.print(f"wrote {out}/fable*, {size / 1e6:.1f} MB of weights")


def save_model(model: PreTrainedModel, work: Path, folder: Path) -> None:
    """As `save_pretrained` writes it, in bf16, with the tokenizer, which takes two fifths of its bytes on one line."""
    for old in folder.glob("model*"):
        old.unlink()
    whole = type(model)(model.config)
    whole.load_state_dict(model.state_dict())
    whole.bfloat16().save_pretrained(folder, max_shard_size=SHARD)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(work / "tokenizer.json"), bos_token=END, eos_token=END, pad_token=END, model_max_length=1024
    )
    tokenizer.save_pretrained(folder)
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")), ensure_ascii=False, separators=(",", ":")), "utf-8")


if __name__ == "__main__":
    typer.run(main)
