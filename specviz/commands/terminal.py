"""What is printed: results on stdout, everything else on stderr."""

import re

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

PLAIN = {"highlight": False, "markup": False, "emoji": False}  # names are data: [red] is no colour in them, and :x: no picture
BY_PROCESSOR = "This machine was busy. Speedups marked “processor time” compare for how long each lane ran on a processor. Other times are left out."
BUSY = "This machine was busy. Counts are shown, times of disturbed runs are not. Run it again when nothing else runs."
# what a terminal obeys, and half of a surrogate pair, which it cannot write
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Whatever a model, a file or a server said, as a terminal shows it and does not obey it: \\u001b, as in JSON."""
    return OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class Terminal(Console):
    def render_str(self, text: str, **how):
        return super().render_str(visible(text), **how)


console = Terminal(stderr=True, **PLAIN)


def show(what: object, **how) -> None:
    """On stdout as it is now: a test or a pipe may have replaced it."""
    Terminal(**PLAIN).print(what, **how)


def print_note(info) -> None:
    """What is to be known of a drafter beside its target (trace/header.py)."""
    if info.note:
        console.print(f"{info.name}: {info.note}.")


def print_json(value: object) -> None:
    """The last line, for programs."""
    import json

    print(visible(json.dumps(value, ensure_ascii=False)))


def table(*heads: str, left: tuple[str, ...] = (), **look) -> Table:
    """With these columns, numbers to the right; those named in `left` to the left."""
    columns = Table(box=SIMPLE, **look)
    for head in heads:
        columns.add_column(head, justify="left" if head in left else "right")
    return columns


def plural(n: int, what: str) -> str:
    """3 tokens, 1 token."""
    return f"{n} {what}{'s' * (n != 1)}"


def progress_bars():
    """Progress on stderr, gone at the end."""
    from rich.progress import Progress

    return Progress(console=console, transient=True)


def loading_status():
    from ..engine.compiled.compiler import will_compile

    return console.status("compiling for this processor, once" if will_compile() else "loading")
