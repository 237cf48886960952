"""Commands that decode a prompt.

specviz trace --prompt "Once upon a time" --out run.jsonl
specviz record-vllm --vllm-python vllm-env/bin/python --prompt "Once upon a time" --out run.jsonl
specviz compare --prompt "Once upon a time"
"""

from dataclasses import replace
from itertools import product
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from ..config import SETTINGS, ConfigError, DecodeConfig
from ..vllm.process import SUPPORTED_SETTINGS, options
from .terminal import (
    BUSY,
    BY_PROCESSOR,
    DRAFT_HELP,
    Chat,
    DeviceMap,
    Draft,
    Out,
    Prompt,
    Target,
    VllmDraft,
    VllmMethod,
    VllmOption,
    VllmPython,
    check_writable,
    console,
    loading_status,
    option,
    plural,
    print_note,
    save,
    show,
    show_progress,
    with_settings,
)

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
    from ..engine.draft.choose import set_up
    from ..engine.models.load import parse_device_map
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


GREEDY = DecodeConfig(temperature=0.0, max_new_tokens=96, ignore_eos=True)


@with_settings("stop", "ignore_eos", "drafting", "verifier", K=f"Tokens drafted in a round. From 1 to {SETTINGS['K'].high}.")
def compare(
    prompt: Prompt,
    target: Annotated[
        str | None, typer.Option(help="Bundled name, folder, GGUF file, or hub id. By default the bundled target.")
    ] = None,
    draft: Annotated[
        list[str] | None, typer.Option(help=DRAFT_HELP + " May be given again. By default all that the target has.")
    ] = None,
    config: DecodeConfig = GREEDY,
    drafting: option("drafting", "May be given again.", several=True) = None,
    verifier: option("verifier", "May be given again.", several=True) = None,
    chat: Chat = False,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each drafter. The median counts.")] = 3,
    device_map: DeviceMap = "",
):
    """Compare all drafters on one prompt: tokens per round, acceptance in total and by position, times, speedup, same text or not."""
    ways = product(drafting or [GREEDY.drafting], verifier or [GREEDY.verifier])
    rules = [replace(config, drafting=drafts, verifier=verifies) for drafts, verifies in ways]
    if config.K == 0:
        raise ConfigError("K", 0, "at least 1: with K = 0 nothing is drafted")
    from ..engine import machine
    from ..engine.draft.choose import drafter_for
    from ..engine.models.load import parse_device_map
    from ..engine.models.pair import load_pair
    from ..lab.measure import compare as measure_drafters
    from ..local import TARGET, drafts_for

    placement = parse_device_map(device_map)
    threads, where = machine.set_threads(alone=True), machine.device()
    with loading_status():
        base = load_pair(target or TARGET, None, where, machine.dtype(), chat, placement)
        usual = drafts_for(base.target.source).values()
        drafters = {name: drafter_for(base, name, where, machine.dtype()) for name in draft or usual}
    for drafter in drafters.values():
        print_note(drafter.info)
    chosen = config.branches and not draft
    chains = [name for name, drafter in drafters.items() if chosen and not getattr(drafter, "branches", False)]
    drafters = {name: drafter for name, drafter in drafters.items() if name not in chains}
    ids = base.text.encode(prompt)
    if len(ids) + 1 + config.K > base.target.context:
        raise ConfigError("prompt", f"{len(ids)} tokens", f"shorter than the context of {base.target.context}")
    table = Table(
        title=f"{base.target.info.name}, K = {config.K}, temperature {config.temperature:g}, "
        f"{plural(config.max_new_tokens, 'token')}, {plural(threads, 'thread')}",
        caption="accepted ÷ tested; α = average of Σ min(p, q); time in draft, verify and the rest; speedup: median, lowest and highest "
        "of the repeats; text: compared with vanilla's, ≠ at the first other token; this command uses all cores, the page half of them",
        box=SIMPLE,
        padding=(0, 1, 0, 0),  # names and splits stay whole in 80 columns
    )
    for head in ("drafter", "tokens per round", "acc. ÷ tested", "α", "draft· ver·rest %", "tokens /s", "speedup", "text"):
        table.add_column(head, justify="left" if head in ("drafter", "text") else "right", no_wrap=head in ("drafter", "text"))
    positions = Table(
        caption="accepted by position, 1 to K: of the blocks that reached it, how many did, and of all blocks, as vLLM prints it",
        box=SIMPLE,
        padding=(0, 1, 0, 0),
    )
    for head in ("drafter", "drafted, verified", "of reached", "reached", "of all"):
        positions.add_column(head, no_wrap=head.startswith("drafte"))
    clocks = set()
    with console.status("measuring") as status:
        measured = ((config, measure_drafters(base.target, drafters, ids, config, base.text, repeats)) for config in rules)
        for config, row in ((config, row) for config, rows in measured for row in rows):
            status.update(f"measuring, {row.name} done")
            rule = f"{config.drafting}, {config.verifier}{'' if config.exact else ', not exact'}"
            positions.add_row(row.name, rule, *_by_position(row.positions))
            acceptance = ["–" if a is None else f"{a:.2f}" for a in (row.accepted_of_tested, row.alpha)]
            clocks.add(row.clock)
            times = ["–"] * 3
            if row.clock == "wall":
                parts = "·".join(f"{100 * part:.0f}" for part in (row.draft, row.verify, row.rest))
                times[:2] = parts, f"{row.tokens_a_second:.0f}"
            if row.clock:
                times[2] = f"{row.speedup:.2f} ×\n{row.low:.1f}–{row.high:.1f}"
            text = "same" if row.parts is None else f"≠ at {row.parts + 1}"
            name = row.name if len(rules) == 1 else f"{row.name}: {rule}"
            name += {"wall": "", "processor": "\n! processor time", None: "\n! busy"}[row.clock]
            table.add_row(name, f"{row.tokens_a_round:.2f}", *acceptance, *times, text)
    show(table)
    show(positions)
    for clock, sentence in ((None, BUSY), ("processor", BY_PROCESSOR)):
        if clock in clocks:
            show(sentence, style="red")
    if chains:
        console.print(f"Left out, since they draft chains: {', '.join(chains)}.")
    if states := base.target.info.state_layers:
        layers = f"{states} of {base.target.info.layers} layers of {base.target.info.name} keep a state that cannot be cut"
        console.print(f"{layers}: after each rejection the kept tokens take a pass of their own.")
    if config.temperature:
        console.print("Above temperature 0 two runs draw different samples, so their texts differ.")
    if not all(rule.exact for rule in rules):
        console.print("A rule that is not exact draws them from another distribution than the target's.")


def _by_position(positions: tuple[tuple[int, int], ...]) -> tuple[str, str, str]:
    """Acceptance by position: given reached, how many reached it, and of all blocks."""

    def joined_rows(parts) -> str:
        return " ".join(parts) or "–"

    first = positions[0][0] if positions else 0
    return (
        joined_rows(f"{accepted / reached:.2f}" if reached else "–" for reached, accepted in positions),
        joined_rows(str(reached) for reached, _ in positions),
        joined_rows(f"{accepted / first:.2f}" if first else "–" for _, accepted in positions),
    )
