"""What is printed: results on stdout, everything else on stderr."""

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

PLAIN = {"highlight": False, "markup": False, "emoji": False}  # names are data: [red] is no colour in them, and :x: no picture
BUSY = "This machine was busy. Counts are shown, times of disturbed runs are not. Run it again when nothing else runs."

say = Console(stderr=True, **PLAIN)


def show(what: object, **how) -> None:
    """On stdout as it is now: a test or a pipe may have replaced it."""
    Console(**PLAIN).print(what, **how)


def show_json(value: object) -> None:
    """The last line, for programs."""
    import json

    print(json.dumps(value, ensure_ascii=False))


def table(*heads: str, left: tuple[str, ...] = (), **look) -> Table:
    """With these columns, numbers to the right; those named in `left` to the left."""
    made = Table(box=SIMPLE, **look)
    for head in heads:
        made.add_column(head, justify="left" if head in left else "right")
    return made


def counted(n: int, what: str) -> str:
    """3 tokens, 1 token."""
    return f"{n} {what}{'s' * (n != 1)}"


def bars():
    """Progress on stderr, gone at the end."""
    from rich.progress import Progress

    return Progress(console=say, transient=True)


def loading():
    """Says what is waited for while models load."""
    from ..engine.compiled.compiler import will_compile

    return say.status("compiling for this processor, once" if will_compile() else "loading")
