"""specviz trace --prompt "Once upon a time" --out run.jsonl"""

from typing import Annotated

import typer

from ..config import ConfigError, DecodeConfig
from .options import Chat, DeviceMap, Draft, Out, Prompt, Target, with_settings
from .saving import check_writable, save, show_progress
from .terminal import loading_status, print_note
from .torchrun import is_follower

DEFAULT = DecodeConfig()


@with_settings()
def trace(
    prompt: Prompt,
    out: Out,
    target: Target = "fable",
    draft: Draft = None,
    config: DecodeConfig = DEFAULT,
    chat: Chat = False,
    device_map: DeviceMap = "",
    tensor_parallel: Annotated[
        int, typer.Option(min=1, help="Processes that share each layer of the target. torchrun starts them (docs/deploy.md).")
    ] = 1,
):
    """Run both lanes on one prompt and save what happened."""
    if tensor_parallel > 1 and device_map:
        raise ConfigError("device_map", device_map, "left out where processes share the target (--tensor-parallel)")
    if not is_follower():
        check_writable(out)
    from ..engine import machine
    from ..engine.backends.placement import parse_device_map
    from ..engine.backends.ranks import shared_processes
    from ..engine.draft.choose import set_up
    from ..engine.models.load import load_model
    from ..engine.race import race
    from ..local import default_draft

    draft = (draft or default_draft(target)) if config.K else None
    placement = parse_device_map(device_map)
    machine.set_threads()
    with shared_processes(tensor_parallel, lambda ranks: load_model(target, machine.device(), machine.dtype(), ranks)) as ranks:
        if ranks and not ranks.is_leader:
            return
        with loading_status():
            setup = set_up(target, draft, machine.device(), machine.dtype(), chat, ranks or placement)
        if setup.drafter:
            print_note(setup.drafter.info)
        result = show_progress(race(setup, prompt, config))
    save(result, out)
