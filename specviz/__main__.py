"""Command line: specviz, or python -m specviz. Without a command it serves the page; each command says what it takes with --help."""

import io
import sys
from typing import Annotated

import typer

import specviz

from .words import WordsError

try:
    from .commands.app import app as serve
    from .commands.app import doctor, fetch, print_pack, site
    from .commands.files import audit, import_record
    from .commands.runs import compare, record_vllm, trace
    from .commands.terminal import console
except WordsError as error:
    print(f"specviz: {error}", file=sys.stderr)
    sys.exit(2)

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Speculative decoding, shown as it happens. Without a command: serve the page on this machine.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = {
    "app": serve,
    "trace": trace,
    "record-vllm": record_vllm,
    "compare": compare,
    "print": print_pack,
    "site": site,
    "import": import_record,
    "audit": audit,
    "fetch": fetch,
    "doctor": doctor,
}
for name, command in COMMANDS.items():
    app.command(name)(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"specviz {specviz.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
):
    """What stands before a command."""


def main(*words: str) -> None:
    """Run the command line, of `words` or as it was typed; what a person did wrong is one line and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # into a pipe Windows writes cp1252, which has no α
    try:
        app(list(words) or sys.argv[1:] or ["app"], prog_name="specviz" if words else None)
    except (ValueError, OSError) as error:  # ConfigError, PromptError, ModelError and TraceError are ValueErrors
        console.print(f"specviz: {' '.join(str(error).splitlines())}", style="red", soft_wrap=True)
        sys.exit(2)
    except (MemoryError, RuntimeError) as error:
        # the latter is torch's, which is not imported for this
        if not isinstance(error, MemoryError) and type(error).__name__ != "OutOfMemoryError":
            raise
        sentence = "memory ran out: take smaller models, a shorter text, or SPECVIZ_DEVICE=cpu"
        console.print(f"specviz: {sentence}", style="red", soft_wrap=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
