"""A run, followed while it goes on, and saved as a trace."""

from pathlib import Path

from ..config import ConfigError
from .terminal import BUSY, console, plural, progress_bars


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
    from ..trace.header import LANES, Trace

    with progress_bars() as progress:
        tasks = {lane: progress.add_task(lane, total=None) for lane in LANES}
        for step in steps:
            if isinstance(step, Trace):
                return step
            progress.update(tasks[step.lane], completed=step.tokens, total=step.of)


def save(result, out: Path) -> None:
    from ..trace.disturbed import signs
    from ..trace.divergence import divergence_note
    from ..trace.file import write
    from ..trace.header import LANES

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
