"""Command line: specviz, or python -m specviz. Without a command it serves the page; each command says what it takes with --help."""

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress as Bars
from rich.table import Table

from .config import EXACT, ConfigError, DecodeConfig

if TYPE_CHECKING:
    from .page.engine import Engine

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Speculative decoding, shown as it happens. Without a command: serve the page on this machine.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAIN = {"highlight": False, "markup": False, "emoji": False}  # names are data: [red] is no colour in them, and :x: no picture
say = Console(stderr=True, **PLAIN)
DEFAULT = DecodeConfig()
HOST, PORT = "0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1", 7860  # in a Space others are to reach it
LONGEST = 60.0  # seconds that a run may decode on a page that others can reach
BUSY = "This machine was busy: times are not to be trusted, counts are. Run it again when nothing else runs."
DRAFT_HELP = (
    "A model likewise, with the target's tokenizer; or lookup, bigram, early-exit, mtp, eagle, oracle, random "
    "(early-exit:3 names the layers; mtp:, eagle: and bigram: a folder or hub id)."
)
DRAFTING_HELP = "sample: draw a token from the draft's softmax; argmax: take its largest."
VERIFIER_HELP = f"{', '.join(EXACT)}; not exact: typical, threshold."
VLLM_DRAFT_HELP = "A model likewise; eagle of the bundled target; or ngram, suffix, mtp, which have no folder of their own."
VllmPython = Annotated[Path, typer.Option(envvar="SPECVIZ_VLLM_PYTHON", help="The python of an environment that has vLLM.")]
VllmMethod = Annotated[
    str | None, typer.Option(help="draft_model, eagle, eagle3, ngram, suffix or mtp; by the draft's config if not given.")
]
VllmOption = Annotated[
    list[str] | None, typer.Option(help="Of vLLM's engine arguments, NAME=VALUE: max_model_len=512; may be given again.")
]
lab = typer.Typer(help="Experiments of the Lab: the same numbers as in the page, and JSON at the end.", no_args_is_help=True)
app.add_typer(lab, name="lab")
Prompt = Annotated[str, typer.Option(help="What to continue.")]
DeviceMap = Annotated[
    str,
    typer.Option(
        help="auto: accelerate lays a target that one device does not hold over several; a folder or hub id (docs/deploy.md)."
    ),
]
DRAFTER_HELP = "small, large, lookup, bigram, early-exit, mtp, eagle, oracle or random, of the bundled family."
Epsilon = Annotated[float, typer.Option(help="ε of typical.")]
Delta = Annotated[float, typer.Option(help="δ of typical.")]
Theta = Annotated[float, typer.Option(help="θ of threshold; 1 is rejection.")]


@app.command("app")
def page(
    host: Annotated[str, typer.Option(envvar="GRADIO_SERVER_NAME", help="0.0.0.0 is for all who reach this machine.")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, envvar="GRADIO_SERVER_PORT")] = PORT,
    longest: Annotated[
        float | None, typer.Option(min=0, help="Seconds that a run may decode; 0 is no bound, as on this machine alone. Else 60.")
    ] = None,
    mcp: Annotated[bool, typer.Option("--mcp", help="Offer the race as a tool to models; needs gradio's mcp extra.")] = False,
    vllm_python: Annotated[
        Path | None, typer.Option(envvar="SPECVIZ_VLLM_PYTHON", help="Offer vLLM too: the python of an environment that has it.")
    ] = None,
    vllm_target: Annotated[str, typer.Option(help="What vLLM serves: bundled name, folder, or hub id.")] = "fable",
    vllm_draft: Annotated[str | None, typer.Option(help=VLLM_DRAFT_HELP + " The bundled ones if not given.")] = None,
    vllm_method: VllmMethod = None,
    vllm_option: VllmOption = None,
    device_map: DeviceMap = "",
):
    """Serve the page: watch, learn, record."""
    if os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true"):  # as `spaces` reads it
        if device_map:
            raise ConfigError("device_map", device_map, "left out on ZeroGPU, which lends one card")
        from .zero import ZeroEngine  # first of all: it replaces parts of torch

        engine: Callable[[], Engine] = ZeroEngine
    else:
        engine = partial(_engine, device_map)
    from .page.serve import serve

    def offered():
        if vllm_python is None:
            return engine()
        return _with_vllm(engine(), vllm_python, vllm_target, vllm_draft, vllm_method, vllm_option or [])

    bound = (0 if host in ("127.0.0.1", "::1", "localhost") else LONGEST) if longest is None else longest
    raise typer.Exit(serve(offered, host, port, bound or None, mcp))


@app.command()
def trace(
    prompt: Annotated[str, typer.Option(help="What to continue.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON lines.")],
    target: Annotated[str, typer.Option(help="Bundled name, folder, or hub id.")] = "fable",
    draft: Annotated[str, typer.Option(help=DRAFT_HELP)] = "fable-small",
    k: Annotated[int, typer.Option("--k", "-k", help="Tokens drafted in a round; 0 is vanilla.")] = DEFAULT.K,
    temperature: Annotated[float, typer.Option(help="0 is greedy.")] = DEFAULT.temperature,
    top_k: Annotated[int, typer.Option(help="0 is off.")] = DEFAULT.top_k,
    top_p: Annotated[float, typer.Option(help="1 is off.")] = DEFAULT.top_p,
    max_new_tokens: Annotated[int, typer.Option()] = DEFAULT.max_new_tokens,
    stop: Annotated[list[str] | None, typer.Option(help="Stop string; may be given again.")] = None,
    seed: Annotated[int, typer.Option()] = DEFAULT.seed,
    ignore_eos: Annotated[bool, typer.Option("--ignore-eos", help="Do not end at the end-of-sequence token.")] = False,
    drafting: Annotated[str, typer.Option(help=DRAFTING_HELP)] = DEFAULT.drafting,
    verifier: Annotated[str, typer.Option(help=VERIFIER_HELP)] = DEFAULT.verifier,
    epsilon: Epsilon = DEFAULT.epsilon,
    delta: Delta = DEFAULT.delta,
    theta: Theta = DEFAULT.theta,
    confidence: Annotated[float, typer.Option(help="End a block after a token that its drafter gave less; 0 is off.")] = 0.0,
    survival: Annotated[float, typer.Option(help="End a block once all of it staying is less probable; 0 is off.")] = 0.0,
    adaptive: Annotated[bool, typer.Option("--adaptive", help="Choose each round's K, 0 to --k, by what was measured.")] = False,
    chat: Annotated[bool, typer.Option("--chat", help="The prompt is said to an instruct model, by its chat template.")] = False,
    device_map: DeviceMap = "",
    tensor_parallel: Annotated[
        int, typer.Option(min=1, help="Processes that share each layer of the target; torchrun starts them (docs/deploy.md).")
    ] = 1,
):
    """Run both lanes on one prompt and save what happened."""
    config = DecodeConfig(
        K=k,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        max_new_tokens=max_new_tokens,
        stop=tuple(stop or ()),
        seed=seed,
        ignore_eos=ignore_eos,
        verifier=verifier,
        confidence=confidence,
        adaptive=adaptive,
        drafting=drafting,
        epsilon=epsilon,
        delta=delta,
        theta=theta,
        survival=survival,
    )
    if tensor_parallel > 1 and device_map:
        raise ConfigError("device_map", device_map, "left out where processes share the target (--tensor-parallel)")
    if not _second():
        _writable(out)
    from .engine import machine
    from .engine.draft.choose import set_up
    from .engine.models.cpu.compiler import will_compile
    from .engine.models.load import load_model
    from .engine.models.ranks import shared
    from .engine.models.spread import mapped
    from .engine.race import race

    spread = mapped(device_map)
    machine.set_threads()
    with shared(tensor_parallel, lambda ranks: load_model(target, machine.device(), machine.dtype(), ranks)) as ranks:
        if ranks and not ranks.leads:
            return
        with say.status("compiling for this processor, once" if will_compile() else "loading"):
            setup = set_up(target, draft if k else None, machine.device(), machine.dtype(), chat, ranks or spread)
        result = _followed(race(setup, prompt, config))
    _save(result, out)


def _second() -> bool:
    """Whether torchrun started this process beside another one, which speaks and writes."""
    return "TORCHELASTIC_RUN_ID" in os.environ and os.environ["RANK"] != "0"


@app.command("record-vllm")
def record_vllm(
    prompt: Annotated[str, typer.Option(help="What to continue.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON lines.")],
    vllm_python: VllmPython,
    target: Annotated[str, typer.Option(help="Bundled name, folder, or hub id.")] = "fable",
    draft: Annotated[str, typer.Option(help=VLLM_DRAFT_HELP)] = "fable-small",
    method: VllmMethod = None,
    k: Annotated[int, typer.Option("--k", "-k", help="Tokens drafted in a round; 0 is vanilla.")] = DEFAULT.K,
    temperature: Annotated[float, typer.Option(help="0 is greedy.")] = DEFAULT.temperature,
    top_k: Annotated[int, typer.Option(help="0 is off.")] = DEFAULT.top_k,
    top_p: Annotated[float, typer.Option(help="1 is off.")] = DEFAULT.top_p,
    max_new_tokens: Annotated[int, typer.Option()] = DEFAULT.max_new_tokens,
    stop: Annotated[list[str] | None, typer.Option(help="Stop string; may be given again.")] = None,
    seed: Annotated[int, typer.Option()] = DEFAULT.seed,
    ignore_eos: Annotated[bool, typer.Option("--ignore-eos", help="Do not end at the end-of-sequence token.")] = False,
    drafting: Annotated[str, typer.Option(help=DRAFTING_HELP)] = DEFAULT.drafting,
    chat: Annotated[bool, typer.Option("--chat", help="The prompt is said to an instruct model, by its chat template.")] = False,
    tensor_parallel: Annotated[int, typer.Option(min=1, help="Cards or processes that share each layer.")] = 1,
    pipeline_parallel: Annotated[int, typer.Option(min=1, help="Cards or processes that share the layers.")] = 1,
    option: VllmOption = None,
    speculative: Annotated[
        list[str] | None, typer.Option(help="Of vLLM's speculative_config, NAME=VALUE; may be given again.")
    ] = None,
):
    """Run both lanes on one prompt by vLLM, in the environment that has it, and save what happened (docs/server.md)."""
    config = DecodeConfig(
        K=k,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        max_new_tokens=max_new_tokens,
        stop=tuple(stop or ()),
        seed=seed,
        ignore_eos=ignore_eos,
        drafting=drafting,
    )
    from .vllm.engine import options
    from .vllm.process import Server
    from .vllm.race import asked, prepare, race

    _writable(out)
    sizes = {"tensor_parallel_size": tensor_parallel, "pipeline_parallel_size": pipeline_parallel}
    more = {name: size for name, size in sizes.items() if size > 1} | options(option or [])
    prepared = prepare(target, draft, method, chat)
    server = Server(vllm_python, asked(prepared, k, drafting, more, options(speculative or [])))
    try:
        with say.status("vLLM is loading"):
            server.start()
        _save(_followed(race(lambda: server, prepared, prompt, config)), out)
    finally:
        server.close()


def _writable(out: Path) -> None:
    """Asked before a run, which would be lost. Raises ConfigError."""
    if out.is_dir() or not out.parent.is_dir():
        raise ConfigError("out", str(out), "a file in a folder that exists")
    part = _part(out)
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise ConfigError("out", str(out), f"a file that can be written ({error.strerror})") from None


def _part(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")


def _followed(steps):
    """The trace at the end of a race, whose lanes are drawn as bars meanwhile."""
    from .trace.header import LANES, Trace

    with Bars(console=say, transient=True) as bars:
        tasks = {lane: bars.add_task(lane, total=None) for lane in LANES}
        for step in steps:
            if isinstance(step, Trace):
                return step
            bars.update(tasks[step.lane], completed=step.tokens, total=step.of)


def _save(result, out: Path) -> None:
    from .trace.disturbed import signs
    from .trace.file import write
    from .trace.header import LANES

    part = _part(out)
    try:
        with part.open("wb") as file:
            write(result, file)
        part.replace(out)  # never half a file under the name that was asked for
    finally:
        part.unlink(missing_ok=True)
    for lane in LANES:
        end = getattr(result, lane)[-1]
        pace = f"{end.tokens / end.decode_ms * 1e3:.0f} tokens/s, " if end.decode_ms else ""
        say.print(f"{lane:12} {end.tokens} tokens, {end.rounds} rounds, {pace}ended by {end.reason}")
    config = result.header.config
    if not config.exact:
        say.print(f"{config.verifier} is not exact: the speculative text is not distributed as the target's")
    if signs(result):
        say.print(BUSY, style="red", soft_wrap=True)
    say.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")


@app.command()
def compare(
    prompt: Annotated[str, typer.Option(help="What to continue.")],
    target: Annotated[str | None, typer.Option(help="Bundled name, folder, or hub id; the bundled target if not given.")] = None,
    draft: Annotated[
        list[str] | None, typer.Option(help=DRAFT_HELP + " May be given again; all bundled ones if not given.")
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="Tokens drafted in a round.")] = DEFAULT.K,
    temperature: Annotated[float, typer.Option(help="0 is greedy.")] = 0.0,
    max_new_tokens: Annotated[int, typer.Option()] = 96,
    drafting: Annotated[list[str] | None, typer.Option(help=DRAFTING_HELP + " May be given again.")] = None,
    verifier: Annotated[list[str] | None, typer.Option(help=VERIFIER_HELP + " May be given again.")] = None,
    epsilon: Epsilon = DEFAULT.epsilon,
    delta: Delta = DEFAULT.delta,
    theta: Theta = DEFAULT.theta,
    seed: Annotated[int, typer.Option()] = DEFAULT.seed,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each, of which the median counts.")] = 3,
    device_map: DeviceMap = "",
):
    """One prompt under every way to draft: tokens a round, acceptance in all and by position, time split, speedup, same text or not."""
    rules = [
        DecodeConfig(
            K=k,
            temperature=temperature,
            max_new_tokens=max_new_tokens,
            seed=seed,
            ignore_eos=True,
            drafting=drafts,
            verifier=verifies,
            epsilon=epsilon,
            delta=delta,
            theta=theta,
        )
        for drafts in drafting or [DEFAULT.drafting]
        for verifies in verifier or [DEFAULT.verifier]
    ]
    if k == 0:
        raise ConfigError("K", 0, "at least 1: with K = 0 nothing is drafted")
    from .engine import machine
    from .engine.draft.choose import drafter_for
    from .engine.models.pair import load_pair
    from .engine.models.spread import mapped
    from .lab import compare as lab
    from .local import DRAFTERS, TARGET

    spread = mapped(device_map)
    threads, where = machine.set_threads(alone=True), machine.device()
    from .engine.models.cpu.compiler import will_compile

    with say.status("compiling for this processor, once" if will_compile() else "loading"):
        base = load_pair(target or TARGET, None, where, machine.dtype(), spread=spread)
        drafters = {name: drafter_for(base, name, where, machine.dtype()) for name in draft or DRAFTERS.values()}
    ids = base.text.encode(prompt)
    if len(ids) + 1 + k > base.target.context:
        raise ConfigError("prompt", f"{len(ids)} tokens", f"shorter than the context of {base.target.context}")
    table = Table(
        title=f"{base.target.info.name}, K = {k}, temperature {temperature:g}, {max_new_tokens} tokens, {threads} threads",
        caption="accepted ÷ tested; α = mean Σ min(p, q); time in draft, verify and the rest; speedup: median, lowest and highest "
        "of the repeats; text against vanilla's; on all cores, of which the page takes half",
        box=SIMPLE,
        padding=(0, 1, 0, 0),  # names and splits stay whole in 80 columns
    )
    for head in ("drafter", "tokens a round", "acc. ÷ tested", "α", "draft· ver·rest %", "tokens /s", "speed- up", "text"):
        table.add_column(head, justify="left" if head in ("drafter", "text") else "right", no_wrap=head in ("drafter", "text"))
    positions = Table(
        caption="kept of those that reached the position, 1 to K, and how many reached it; then of all blocks, as vLLM prints it",
        box=SIMPLE,
        padding=(0, 1, 0, 0),
    )
    for head in ("drafter", "drafted, verified", "kept, given reached", "reached", "kept, of all"):
        positions.add_column(head, no_wrap=head.startswith("drafte"))
    busy = False
    with say.status("measuring") as status:
        rows = ((config, row) for config in rules for row in lab.compare(base.target, drafters, ids, config, base.text, repeats))
        for config, row in rows:
            status.update(f"measuring, {row.name} done")
            rule = f"{config.drafting}, {config.verifier}{'' if config.exact else ', not exact'}"
            positions.add_row(row.name, rule, *_by_position(row.positions))
            acceptance = ["–" if a is None else f"{a:.2f}" for a in (row.accepted_of_tested, row.alpha)]
            split = "·".join(f"{100 * part:.0f}" for part in (row.draft, row.verify, row.rest))
            busy |= row.disturbed
            pace = f"{row.tokens_a_second:.0f}", f"{row.speedup:.2f} ×\n{row.low:.1f}–{row.high:.1f}"
            text = "same" if row.parts is None else f"parts at {row.parts + 1}"
            name = row.name if len(rules) == 1 else f"{row.name}: {rule}"
            name += "\n! busy" if row.disturbed else ""
            table.add_row(name, f"{row.tokens_a_round:.2f}", *acceptance, split, *pace, text)
    Console(**PLAIN).print(table)
    Console(**PLAIN).print(positions)
    if busy:
        Console(**PLAIN).print(BUSY, style="red")
    if temperature:
        say.print("With a temperature, texts that part are two samples of one distribution.")


def _by_position(positions: tuple[tuple[int, int], ...]) -> tuple[str, str, str]:
    """Acceptance by position: given reached, how many reached it, and of all blocks."""

    def joined(parts) -> str:
        return " ".join(parts) or "–"

    first = positions[0][0] if positions else 0
    return (
        joined(f"{kept / reached:.2f}" if reached else "–" for reached, kept in positions),
        joined(str(reached) for reached, _ in positions),
        joined(f"{kept / first:.2f}" if first else "–" for _, kept in positions),
    )


@lab.command("luck")
def lab_luck(
    prompt: Prompt = "Once upon a time",
    seeds: Annotated[int, typer.Option(help="How many, from --seed on; and as often the first one again.")] = 30,
    drafter: Annotated[list[str] | None, typer.Option(help=DRAFTER_HELP + " Twice: two settings to compare.")] = None,
    k: Annotated[list[int] | None, typer.Option("--k", "-k", help="Tokens drafted in a round; twice for two settings.")] = None,
    temperature: Annotated[list[float] | None, typer.Option(help="0 is greedy; twice for two settings.")] = None,
    verifier: Annotated[list[str] | None, typer.Option(help=VERIFIER_HELP + " Twice for two settings.")] = None,
    drafting: Annotated[list[str] | None, typer.Option(help=DRAFTING_HELP + " Twice for two settings.")] = None,
    tokens: Annotated[int, typer.Option(help="Length of every run.")] = 64,
    seed: Annotated[int, typer.Option()] = DEFAULT.seed,
):
    """How much of a speedup is luck: the same prompt under many seeds, and the same seed again and again."""
    asked = [drafter or ["small"], k or [4], temperature or [0.8], verifier or ["rejection"], drafting or ["sample"]]
    count = max(map(len, asked))
    if any(len(values) not in (1, count) for values in asked) or count > 2:
        raise ConfigError("settings", count, "1, or 2 to compare: give an option once for both, or twice")
    settings = [
        (name, DecodeConfig(K=K, temperature=T, verifier=rule, drafting=way, max_new_tokens=tokens, seed=seed, ignore_eos=True))
        for name, K, T, rule, way in zip(*(values * (count // len(values)) for values in asked), strict=True)
    ]
    found = _experiment(_lab_engine().luck(prompt, settings, seeds))
    table = Table(box=SIMPLE, caption=found["sentence"])
    for head in ("setting", "α", "tokens a round", "speedup", "95 % of the median", "quartiles"):
        table.add_column(head, justify="left" if head == "setting" else "right")
    for setting, spreads in zip(found["settings"], found["spreads"], strict=True):
        speedup = spreads["speedup"]
        alpha, tokens_a_round = (
            f"{one['median']:.2f}" if (one := spreads[name]) else "–" for name in ("alpha", "tokens_a_round")
        )
        said = (
            f"{setting['drafter']}, K {setting['K']}, T {setting['temperature']:g}, {setting['verifier']}, {setting['drafting']}"
        )
        between = [f"{speedup[low]:.2f}–{speedup[high]:.2f}" for low, high in (("low", "high"), ("first", "third"))]
        table.add_row(said, alpha, tokens_a_round, f"{speedup['median']:.2f}", *between)
    Console(**PLAIN).print(table)
    print(json.dumps(found, ensure_ascii=False))


@lab.command("sweep")
def lab_sweep(
    prompt: Prompt = "Once upon a time",
    drafter: Annotated[list[str] | None, typer.Option(help=DRAFTER_HELP + " May be given again.")] = None,
    k: Annotated[list[int] | None, typer.Option("--k", "-k", help="May be given again.")] = None,
    temperature: Annotated[list[float] | None, typer.Option(help="May be given again.")] = None,
    turns: Annotated[int, typer.Option(help="Runs of each cell, each by another seed.")] = 3,
    tokens: Annotated[int, typer.Option(help="Length of every run.")] = 48,
    seed: Annotated[int, typer.Option()] = DEFAULT.seed,
):
    """Every drafter at every K on one prompt: the speedup, and what the formula says of it."""
    from .lab.sweep import DRAFTERS, KS

    config = DecodeConfig(max_new_tokens=tokens, seed=seed, ignore_eos=True)
    found = _experiment(_lab_engine().sweep(prompt, drafter or list(DRAFTERS), k or KS, config, temperature or [0.8], turns))
    table = Table(box=SIMPLE, caption="speedup: median and quartiles; predicted: by this cell's α, c and v")
    for head in ("drafter", "K", "T", "speedup", "quartiles", "tokens a round", "α", "c", "v", "predicted"):
        table.add_column(head, justify="left" if head == "drafter" else "right")
    for cell in sorted(found["cells"], key=lambda cell: -cell["speedup"]["median"]):
        where, speedup = cell["where"], cell["speedup"]
        known = [f"{cell[name]:.2f}" if cell[name] is not None else "–" for name in ("alpha", "c", "v", "predicted")]
        between = f"{speedup['first']:.2f}–{speedup['third']:.2f}"
        place = where["drafter"], str(where["K"]), f"{where['temperature']:g}"
        table.add_row(*place, f"{speedup['median']:.2f}", between, f"{cell['tokens_a_round']:.2f}", *known)
    Console(**PLAIN).print(table)
    print(json.dumps(found, ensure_ascii=False))


@lab.command("load")
def lab_load(
    texts: Annotated[list[int] | None, typer.Option(help="Texts at once; may be given again.")] = None,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="The chance that a draft token is kept.")] = 0.7,
    card: Annotated[
        str | None, typer.Option(help="By a card's published peaks, such as h100; measured passes if not given.")
    ] = None,
    devices: Annotated[int, typer.Option(min=1, max=1024)] = 1,
    target: Annotated[str, typer.Option(help="With --card: a model of the table.")] = "llama-3.1-8b",
    draft: Annotated[str, typer.Option(help="With --card: a model of the table.")] = "llama-3.2-1b",
    context: Annotated[int, typer.Option(min=0, max=10**7, help="With --card: positions that each text holds.")] = 2048,
):
    """What many texts at once do to drafting: the best K, each text's latency, the server's pace, arithmetic thrown away."""
    from .config import ASSETS
    from .lab import load

    if card:
        hardware = load.Hardware.read()
        models, where = (hardware.model(target), hardware.model(draft)), load.Where(hardware.card(card), devices)
        sizes = texts or [1, 4, 16, 64, 256]
        found = {n: load.by_formula(*models, where, load.Work(n, context)) for n in sizes}
        source = (
            f"{models[0].name} + {models[1].name}, {devices} × {where.card.name}, {context} positions: a formula, no measurement"
        )
    else:
        said = json.loads(next(iter(sorted((ASSETS / "costs").glob("*.json")))).read_text("utf-8"))
        found = {n: load.measured(said, n) for n in texts or said["curves"][0]["batches"]}
        source = f"{said['curves'][0]['model']} + {said['curves'][1]['model']}, measured on {said['device']}"
    if not all(n > 0 for n in found):
        raise ConfigError("texts", min(found), "at least 1")
    table = Table(box=SIMPLE, caption=f"{source}; α = {alpha:g}; K = 0 where drafting does not pay")
    for head in ("texts", "best K", "speedup", "ms a token", "without", "tokens /s of all", "thrown away", "v at K = 4"):
        table.add_column(head, justify="right")
    rows = []
    for n, passes in found.items():
        best, alone = load.best(passes, [alpha], n), load.served(passes, [alpha], 0, n)
        v = passes.target[4] / passes.target[0]
        rows.append({"texts": n, "v": v, "best": asdict(best), "alone": asdict(alone)})
        table.add_row(str(n), str(best.K), f"{best.speedup:.2f}", f"{best.latency:.2f}", f"{alone.latency:.2f}", f"{best.pace:,.0f}",
                      f"{best.thrown:.0%}", f"{v:.2f}")  # fmt: skip
    Console(**PLAIN).print(table)
    print(json.dumps({"source": source, "alpha": alpha, "loads": rows}, ensure_ascii=False))


def _lab_engine():
    from .engine.models.cpu.compiler import will_compile
    from .local import LocalEngine

    with say.status("compiling for this processor, once" if will_compile() else "loading"):
        return LocalEngine()


def _experiment(steps) -> dict:
    """What an experiment found, with its progress on stderr; interrupted, what it had found until then."""
    last = None
    with Bars(console=say, transient=True) as bars:
        task = bars.add_task("measuring", total=None)
        try:
            for last in steps:
                bars.update(task, completed=last.done, total=last.of)
        except KeyboardInterrupt:
            if last is None:
                raise
    return last.found()


@app.command("print")
def print_pack(out: Annotated[Path, typer.Option(help="File to write, HTML to print or to save as PDF.")]):
    """The teacher's pack of Learn: definitions, work sheets, plan, notes and keys, in one file."""
    from .page.keep.recorded import load
    from .page.learn.excerpts import excerpts
    from .page.learn.pack import pack

    if out.is_dir() or not out.parent.is_dir():
        raise ConfigError("out", str(out), "a file in a folder that exists")
    out.write_text(pack(excerpts(load)), "utf-8")
    say.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")


@app.command("import")
def import_record(
    file: Annotated[Path, typer.Argument(help="What vLLM, AIPerf, SGLang, llama.cpp, TensorRT-LLM or LM Studio told.")],
    out: Annotated[Path | None, typer.Option(help="File to write, one HTML page with the record drawn.")] = None,
    vanilla: Annotated[
        float | None, typer.Option(min=0.001, help="Tokens/s of the same server without drafts: then there is a speedup.")
    ] = None,
):
    """What another engine told of its own speculative decoding: counts, acceptance by position, how requests differ."""
    from .picture.frame import show
    from .picture.record import record_picture
    from .picture.words import BY_POSITION, RECORD
    from .trace.records.read import read

    if out and (out.is_dir() or not out.parent.is_dir()):
        raise ConfigError("out", str(out), "a file in a folder that exists")
    record = read(file)
    shown = record_picture(record)
    totals = shown["totals"]
    table = Table(title=RECORD["title"].format(engine=record.engine), show_header=False, box=SIMPLE)
    for key, digits in (("steps", 0), ("drafted", 0), ("accepted", 0), ("accepted_of_drafted", 3), ("drafted_per_step", 2)):
        table.add_row(RECORD[key], _figure(totals[key], digits))
    table.add_row(RECORD["tokens_per_step"], _figure(totals["tokens_per_step"], 2))
    pace = totals["tokens_per_second"]
    table.add_row(RECORD["tokens_per_second"], _figure(pace, 1))
    if vanilla:
        table.add_row("speedup over the tokens/s given", _figure(pace and pace / vanilla, 2))
    terminal = Console(**PLAIN)
    terminal.print(table)
    if shown["positions"]:
        positions = Table(box=SIMPLE, caption=RECORD["positions_is"])
        for key in ("position", "reached", "accepted", "given_reached", "of_blocks"):
            positions.add_column(BY_POSITION[key], justify="right")
        for at in shown["positions"]:
            shares = (_figure(at[key], 3) for key in ("given_reached", "of_blocks"))
            positions.add_row(str(at["position"]), _figure(at["reached"], 0), str(at["accepted"]), *shares)
        terminal.print(positions)
    missing = [RECORD["untold_always"], *(RECORD[f"untold_{key}"] for key in shown["untold"])]
    terminal.print(RECORD["untold"].format(what="; ".join(missing)))
    if out:
        say.print(f"saved {show(record).save(out)}")


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(help="A trace, as it was saved or packed by gzip.")],
    target: Annotated[
        str | None, typer.Option(help="Folder or hub id of the target; as the trace names it if not given.")
    ] = None,
    draft: Annotated[
        str | None, typer.Option(help="Likewise of the drafter; eagle:, mtp: and bigram: may stand before it.")
    ] = None,
):
    """Redo a trace by transformers alone: every p, q, uniform, verdict, draw and cache length. Exit code 1 if anything is wrong."""
    from .lab.audit.audit import audit, opened

    with say.status("redoing"):
        ledger = audit(opened(file), target, draft)
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for head in ("what was redone", "times", "wrong", "largest error"):
        table.add_column(head, justify="left" if head.startswith("what") else "right")
    for what, times, wrong, error in ledger.rows():
        table.add_row(what, str(times), str(wrong), "" if error is None else f"{error:.1e}")
    out = Console(**PLAIN)
    out.print(table)
    for one in ledger.told():
        out.print(f"wrong: {one}", soft_wrap=True)
    for one in ledger.skipped:
        out.print(f"not redone: {one}", soft_wrap=True)
    print(json.dumps(ledger.summary(), ensure_ascii=False))
    raise typer.Exit(1 if ledger.wrong else 0)


@app.command()
def pairs():
    """Public pairs to try where there is a network, with what each needs; none is fetched by this."""
    from .engine.models.public import PUBLIC

    for p in PUBLIC:
        print(f"--target {p.target} --draft {p.draft}{' --chat' if p.chat else ''}")
        gate = ", gated: accept it on the hub and log in" if p.gated else ""
        print(f"    {p.gigabytes} GB of {p.dtype} weights, licence {p.licence}{gate}{'; ' + p.note if p.note else ''}")


@app.command()
def doctor():
    """What to send with a question: device, threads, versions, models found, one timed forward."""
    from .lab.doctor import rows

    table = Table(show_header=False, box=None)
    for row in rows():
        table.add_row(*row)
    Console(**PLAIN).print(table)


def _engine(device_map: str = ""):
    """The models of this machine, with what the first visitor asks for loaded. `device_map`: of public targets."""
    from .engine.models.cpu.compiler import aside, will_compile

    compiling = nullcontext()
    if first := will_compile():
        say.print("compiling for this processor, once: some seconds")
        compiling = aside()
    with compiling:  # which takes longer than to import torch, gradio and transformers
        from .engine.models.load import find
        from .engine.models.pair import load_tokenizer
        from .local import TARGET, LocalEngine
        from .page import build  # noqa: F401

        engine = LocalEngine(device_map)
        if first:  # a later start waits for nobody
            load_tokenizer(find(TARGET), TARGET)
            with suppress(Exception):  # what fails here fails in the trial of a small model, which says it
                from .engine.models.cpu.ahead import verdicts

                verdicts()
    engine.warm()
    return engine


def _with_vllm(local, python: Path, target: str, draft: str | None, method: str | None, said: list[str]):
    """vLLM beside `local`: asked for a target of its own, and started by whoever runs it first."""
    from .page.words import SERVED
    from .vllm.engine import Serving, WithVllm, options
    from .vllm.race import drafts_of

    drafts = drafts_of(target, draft, method)
    return WithVllm(local, Serving(python, SERVED.format(name=target), target, drafts, method, options(said)))


def _check_processes(said: list[str]) -> None:
    """Refuse torchrun where its processes would all do the same, side by side. Raises ValueError."""
    shared = said[0] == "trace" and any(word.partition("=")[0] == "--tensor-parallel" for word in said)
    if "TORCHELASTIC_RUN_ID" in os.environ and (count := os.environ["WORLD_SIZE"]) != "1" and not shared:
        what = f"specviz trace --tensor-parallel {count} makes them share a target, and all else is started without torchrun"
        raise ValueError(f"torchrun started {count} processes that would each do the same: {what}")


def main(*words: str) -> None:
    """Run the command line, of `words` or as it was typed; what a person did wrong is one line and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # into a pipe Windows writes cp1252, which has no α
    try:
        said = list(words) or sys.argv[1:] or ["app"]
        _check_processes(said)
        app(said, prog_name="specviz" if words else None)
    except (ValueError, OSError) as error:  # ConfigError, PromptError, ModelError and TraceError are ValueErrors
        if _second():
            sys.exit(0)  # all refuse alike: the first says it, and fails
        say.print(f"specviz: {error}", style="red", soft_wrap=True)
        sys.exit(2)
    except (MemoryError, RuntimeError) as error:
        if (
            not isinstance(error, MemoryError) and type(error).__name__ != "OutOfMemoryError"
        ):  # torch's, which is not imported for this
            raise
        say.print(
            "specviz: memory ran out: take smaller models, a shorter text, or SPECVIZ_DEVICE=cpu", style="red", soft_wrap=True
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
