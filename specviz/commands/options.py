"""Options that several commands take. Those of settings are made from the fields of `DecodeConfig`.

@with_settings("stop")                          # every setting but this one is an option
def trace(prompt: Prompt, config: DecodeConfig = DEFAULT): ...
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from ..config import SETTINGS
from ..drafters import DRAFT_NAMES, DRAFTERS

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
    """The option of a setting, as the annotation of a command's parameter. `several`: it may be given again, and is a list. `help`: in place of
    the setting's own."""
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
            options.append(
                Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=first, annotation=option(name, help=helps.get(name, "")))
            )
        parameters = [
            parameter for each in own.parameters.values() for parameter in (options if each.name == "config" else [each])
        ]
        run.__signature__ = own.replace(parameters=parameters)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate
