"""What commands share: what is printed (results on stdout, everything else on stderr), the options that several take, and how a run is
followed and saved as a trace.

@with_settings("stop")                          # every setting but this one is an option
def trace(prompt: Prompt, config: DecodeConfig = DEFAULT): ...
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ..config import SETTINGS, ConfigError
from ..drafters import DRAFT_NAMES, DRAFTERS

PLAIN = {"highlight": False, "markup": False, "emoji": False}  # names are data: [red] is no colour in them, and :x: no picture
BY_PROCESSOR = (
    "This machine was busy. Speedups marked “processor time” compare for how long each lane ran on a processor. "
    "Other times are left out."
)
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
    """What is to be known of a drafter beside its target (trace/events.py)."""
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


def loading_status():
    from ..engine.compiled.compiler import will_compile

    return console.status("compiling for this processor, once" if will_compile() else "loading")


LAYERS = ", ".join(one.bundled for one in DRAFTERS.values() if one.colon == "layers")
FOLDERS = ", ".join(f"{one.kind}:" for one in DRAFTERS.values() if one.colon == "folder")
DRAFT_HELP = (
    "A model with the target's tokenizer: a bundled name, a folder, or a hub id. "
    f"Or one of {', '.join(DRAFT_NAMES)}. {LAYERS} names the layers. After {FOLDERS} name a folder or hub id."
)
VLLM_METHODS = [method for one in DRAFTERS.values() for method in one.vllm]
VLLM_DRAFT_HELP = (
    "A model: a bundled name, a folder, or a hub id. eagle is the head of the bundled target. ngram needs no folder."
)
DEFAULT_DRAFT_HELP = " By default a small model or a head that comes with the target, else lookup."

Prompt = Annotated[str, typer.Option(help="The text to continue. Empty: the model begins a text of its own.")]
Out = Annotated[Path, typer.Option(help="JSON Lines file to write.")]
Target = Annotated[str, typer.Option(help="Bundled name, folder, GGUF file, or hub id.")]
Draft = Annotated[str | None, typer.Option(help=DRAFT_HELP + DEFAULT_DRAFT_HELP)]
VllmDraft = Annotated[str | None, typer.Option(help=VLLM_DRAFT_HELP + DEFAULT_DRAFT_HELP)]
Chat = Annotated[bool, typer.Option("--chat", help="Give the prompt to an instruct model, with its chat template.")]
DeviceMap = Annotated[
    str,
    typer.Option(
        help="auto: spread a target over several devices, if it is a folder or hub id (docs/deploy.md). Needs accelerate."
    ),
]
VllmPython = Annotated[Path, typer.Option(envvar="SPECVIZ_VLLM_PYTHON", help="The python of an environment with vLLM.")]
VllmMethod = Annotated[str | None, typer.Option(help=f"{', '.join(VLLM_METHODS)}. By default what the draft's config says.")]
VllmOption = Annotated[
    list[str] | None, typer.Option(help="An engine argument of vLLM, NAME=VALUE, such as max_model_len=512. May be given again.")
]


def option(name: str, more: str = "", several: bool = False, help: str = "") -> Any:
    """The option of a setting, as the annotation of a command's parameter. `several`: it may be given again, and is a list.
    `help`: in place of the setting's own."""
    setting = SETTINGS[name]
    if setting.kind is tuple:
        kind, more = list[str] | None, "May be given again."
    else:
        kind = list[setting.kind] | None if several else setting.kind
    return Annotated[kind, typer.Option(*setting.option, help=f"{help or setting.help_with_range} {more}".strip())]


def with_settings(*excluded: str, **helps: str) -> Callable:
    """Puts options in the place of a command's parameter `config`: one for each setting that is not left out. Their defaults, and the
    values of what is left out, are those of the default of `config`; of what the command takes several times, the first that is given.
    `helps`: by a setting's name, where the command takes less of it."""

    def decorate(command: Callable) -> Callable:
        own = signature(command)
        default = own.parameters["config"].default
        names = [name for name in SETTINGS if name not in excluded]

        @wraps(command)
        def run(**values):
            settings = {name: values.pop(name) for name in names}
            strings = {name: () for name, value in settings.items() if value is None}  # none was given
            firsts = {name: values[name][0] for name in excluded if values.get(name)}
            return command(config=replace(default, **settings | strings | firsts), **values)

        options = []
        for name in names:
            first = None if SETTINGS[name].kind is tuple else getattr(default, name)
            kind = option(name, help=helps.get(name, ""))
            options.append(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=first, annotation=kind))
        parts = [options if each.name == "config" else [each] for each in own.parameters.values()]
        parameters = [parameter for part in parts for parameter in part]
        run.__signature__ = own.replace(parameters=parameters)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def check_out(out: Path) -> None:
    """Raises ConfigError where no file can be."""
    if out.is_dir() or not out.parent.is_dir():
        raise ConfigError("out", str(out), "a file in a folder that exists")


def check_writable(out: Path) -> None:
    """Asked before a run, which would be lost. Raises ConfigError."""
    check_out(out)
    part = _part(out)
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise ConfigError("out", str(out), f"a file that can be written ({error.strerror})") from None


def show_progress(steps):
    """The trace at the end of a race, whose lanes are drawn as bars meanwhile."""
    from rich.progress import Progress

    from ..trace.events import LANES, Trace

    with Progress(console=console, transient=True) as progress:
        tasks = {lane: progress.add_task(lane, total=None) for lane in LANES}
        for step in steps:
            if isinstance(step, Trace):
                return step
            progress.update(tasks[step.lane], completed=step.tokens, total=step.of)


def save(result, out: Path) -> None:
    from ..trace.disturbed import divergence_note, signs
    from ..trace.events import LANES
    from ..trace.file import write

    part = _part(out)
    try:
        with part.open("wb") as file:
            write(result, file)
        part.replace(out)  # never half a file under the name that was asked for
    finally:
        part.unlink(missing_ok=True)
    busy = bool(signs(result))
    for lane in LANES:
        end = getattr(result, lane)[-1]
        pace = f"{end.tokens / end.decode_ms * 1e3:.0f} tokens/s, " if end.decode_ms and not busy else ""
        console.print(f"{lane:12} {plural(end.tokens, 'token')}, {plural(end.rounds, 'round')}, {pace}ended by {end.reason}")
    if why := divergence_note(result):
        console.print(why, soft_wrap=True, markup=False)
    for departure in result.header.departures:
        console.print(f"{result.header.engine}: {departure}", soft_wrap=True, markup=False)
    config = result.header.config
    if not config.exact:
        console.print(f"{config.verifier} is not exact: the speculative text does not follow the target's distribution.")
    if busy:
        console.print(BUSY, style="red", soft_wrap=True)
    console.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")


def _part(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")
