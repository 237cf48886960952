"""specviz trace --prompt "Once upon a time" --out run.jsonl"""

from ..config import DecodeConfig
from .options import Chat, DeviceMap, Draft, Out, Prompt, Target, with_settings
from .saving import check_writable, save, show_progress
from .terminal import loading_status, print_note

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
):
    """Run both lanes on one prompt and save what happened."""
    check_writable(out)
    from ..engine import machine
    from ..engine.backends.placement import parse_device_map
    from ..engine.draft.choose import set_up
    from ..engine.race import race
    from ..local import default_draft

    draft = (draft or default_draft(target)) if config.K else None
    placement = parse_device_map(device_map)
    machine.set_threads()
    with loading_status():
        setup = set_up(target, draft, machine.device(), machine.dtype(), chat, placement)
    if setup.drafter:
        print_note(setup.drafter.info)
    save(show_progress(race(setup, prompt, config)), out)
