"""A run, a record or a file with one of them → what the page sends on, as plain values and bytes. It crosses from the process in which
files are read (reader.py, child.py): neither gradio nor torch is imported here.

contents = run_contents(trace, "run")      # what the screen shows of a run that was decoded here
contents = file_contents(data)             # of a file from anybody: never an error, but a sentence
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from ...picture.frame import handout
from ...picture.record import record_picture
from ...picture.replay import json_text, replay_data
from ...trace.events import Trace
from ...trace.file import FILE_LIMIT, Stopped, TraceError, dumps, is_trace, loads
from ...trace.records.read import loads as read_record
from ...trace.records.record import CountsError, OtherEngine, RecordError
from .. import words
from .history import PackedRun, packed_run, unpacked_run

SCREEN_BYTES = FILE_LIMIT // 2  # bytes of what a screen is given: of a run it is half its trace


@dataclass(frozen=True)
class FileContents:
    """`about`: plain values, `kind` among them: `run`, `record` or `refused`, with its `message`. `parts`: of a run its race, what is in
    its files, and the run as a visit keeps it; of a record its panel."""

    about: dict
    parts: tuple[bytes, ...] = ()

    @property
    def run(self) -> PackedRun:
        return PackedRun(self.about["id"], self.parts[-1], self.about["source"])


def refusal(message: str) -> FileContents:
    return FileContents({"kind": "refused", "message": message})


def saved_files(trace: Trace, run: dict | None = None) -> tuple[bytes, ...]:
    """What is in the files, in the order of files.KINDS. `run`: the trace as it is sent, where it is at hand."""
    return dumps(trace), handout(trace, run).encode()


def run_contents(trace: Trace, source: str) -> FileContents:
    """`source`: one of words.HISTORY's."""
    run = replay_data(trace)
    files = saved_files(trace, run)
    kept_run = packed_run(files[0], source)
    parts = json_text(run).encode(), *files, kept_run.data
    return FileContents({"kind": "run", "id": kept_run.id, "source": source}, parts)


def file_contents(data: bytes) -> FileContents:
    """What a file holds: a run, a record of another engine, or what is wrong with it."""
    return _within_bounds(_read, data)


def kept_contents(data: bytes) -> FileContents:
    """Of a run that a browser kept, as JSON."""
    return _within_bounds(_read_kept, data)


def _within_bounds(read: Callable[[bytes], FileContents], data: bytes) -> FileContents:
    """Refused where there is no more time, and where a screen would be given more than SCREEN_BYTES."""
    try:
        contents = read(data)
    except Stopped:
        return refusal(words.FILE_STOPPED)
    if contents.parts and len(contents.parts[0]) > SCREEN_BYTES:
        return refusal(words.FILE_LARGE.format(found=len(contents.parts[0]) // 2**20, most=SCREEN_BYTES // 2**20))
    return contents


def _read(data: bytes) -> FileContents:
    try:
        return run_contents(loads(data), "file")
    except TraceError as error:
        if is_trace(data):
            return refusal(words.FILE_REFUSED.format(error=error))
        try:
            record = read_record(data)
        except CountsError as other:
            return refusal(words.COUNTS_REFUSED.format(error=other))
        except OtherEngine as other:
            return refusal(words.FILE_OTHER.format(error=error, other=other))
        except RecordError as other:
            return refusal(words.FILE_UNKNOWN.format(error=error, other=other))
        return FileContents(
            {"kind": "record", "engine": record.engine}, (json_text(record_picture(record)).encode("utf-8", "replace"),)
        )


def _read_kept(data: bytes) -> FileContents:
    try:
        trace, source = unpacked_run(json.loads(data))
        return run_contents(loads(trace), source)
    except ValueError:
        return refusal(words.RUN_UNREADABLE)


READERS: dict[str, Callable[[bytes], FileContents]] = {"file": file_contents, "kept": kept_contents}
"""What the process may be asked for."""
