"""specviz record-vllm --vllm-python vllm-env/bin/python --prompt "Once upon a time" --out run.jsonl"""

from typing import Annotated

import typer

from ..config import SETTINGS, DecodeConfig
from ..vllm.settings import SUPPORTED_SETTINGS, options
from .options import Chat, Out, Prompt, Target, VllmDraft, VllmMethod, VllmOption, VllmPython, with_settings
from .saving import check_writable, save, show_progress
from .terminal import console

DEFAULT = DecodeConfig()


@with_settings(*(name for name in SETTINGS if name not in SUPPORTED_SETTINGS))
def record_vllm(
    prompt: Prompt,
    out: Out,
    vllm_python: VllmPython,
    target: Target = "fable",
    draft: VllmDraft = None,
    method: VllmMethod = None,
    config: DecodeConfig = DEFAULT,
    chat: Chat = False,
    tensor_parallel: Annotated[int, typer.Option(min=1, help="Cards or processes that share each layer.")] = 1,
    option: VllmOption = None,
    speculative: Annotated[
        list[str] | None, typer.Option(help="A field of vLLM's speculative_config, NAME=VALUE. May be given again.")
    ] = None,
):
    """Run both lanes on one prompt with vLLM, and save what happened (docs/server.md)."""
    from ..local import default_draft
    from ..vllm.process import Server
    from ..vllm.race import prepare, process_options, race

    check_writable(out)
    more = ({"tensor_parallel_size": tensor_parallel} if tensor_parallel > 1 else {}) | options(option or [])
    prepared = prepare(target, draft or default_draft(target), method, chat)
    server = Server(vllm_python, process_options(prepared, config.K, config.drafting, more, options(speculative or [])))
    try:
        with console.status("vLLM is loading"):
            server.start()
        save(show_progress(race(server, prepared, prompt, config)), out)
    finally:
        server.close()
