"""Files from anybody are read in a process of their own: beside a run it takes no time of the page's, it can be ended, and what it takes is
bounded in seconds and in memory. Two at most, one for small files, so that nobody waits for somebody else's large one. A few may wait, of
one address fewer. Neither gradio nor torch is imported here.

contents = reader.ask("file", data, stop, who)      # a FileContents; FileError, with a sentence for the visitor

The runs of a visit are kept by the visitor's own browser, packed; one that comes back to be shown is read as strictly as a file
from anybody.
"""

import binascii
import json
import os
import subprocess
import sys
import time
import weakref
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from hashlib import sha256
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import BinaryIO

from ...picture.record import record_picture
from ...picture.replay import FileContents, PackedRun, json_text, run_contents
from ...request import never
from ...trace.file import FILE_LIMIT, Stopped, TraceError, is_trace, loads, stop_when
from ...trace.records.read import loads as read_record
from ...trace.records.record import CountsError, OtherEngine, RecordError
from ...words import page as words
from ..guard.shares import NOBODY, Quota

# A run as a browser keeps it -------------------------------------------------------------------------------------------

PACKED_BYTES = 8 * 2**20  # bytes of a packed run: a longer one has no line
SOURCES = ("run", "file", "recorded")


def as_line(run: PackedRun) -> str:
    """What the browser is sent of a run that joins those of the visit; each time another value, so that the box hears of it."""
    if len(run.data) > PACKED_BYTES:
        return ""
    return json_text({"id": run.id, "source": run.source, "data": b64encode(run.data).decode(), "at": monotonic()})


def unpacked_run(entry: object) -> tuple[bytes, str]:
    """The trace as it was saved, and its source, of what a browser sends back. ValueError for what is no packed run."""
    data, source = (entry.get("data"), entry.get("source")) if isinstance(entry, dict) else (None, None)
    if not isinstance(data, str) or source not in SOURCES:
        raise ValueError("this is no packed run")
    try:
        return zlib.decompressobj().decompress(b64decode(data, validate=True), FILE_LIMIT + 1), source
    except (zlib.error, binascii.Error) as error:
        raise ValueError(str(error)) from None


# What a file holds -----------------------------------------------------------------------------------------------------

SCREEN_BYTES = FILE_LIMIT // 2  # bytes of what a screen is given: of a run it is half its trace


def refusal(message: str) -> FileContents:
    return FileContents({"kind": "refused", "message": message})


def _within_bounds(read: Callable[[bytes], FileContents]) -> Callable[[bytes], FileContents]:
    """Refused where there is no more time or memory, and where a screen would be given more than SCREEN_BYTES."""

    @wraps(read)
    def contents_of(data: bytes) -> FileContents:
        try:
            contents = read(data)
        except (Stopped, MemoryError):
            return refusal(words.FILE_STOPPED)
        if contents.parts and len(contents.parts[0]) > SCREEN_BYTES:
            return refusal(words.FILE_LARGE.format(found=len(contents.parts[0]) // 2**20, most=SCREEN_BYTES // 2**20))
        return contents

    return contents_of


@_within_bounds
def file_contents(data: bytes) -> FileContents:
    """What a file holds: a run, a record of another engine, or what is wrong with it."""
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
        panel = json_text(record_picture(record)).encode("utf-8", "replace")
        return FileContents({"kind": "record", "engine": record.engine}, (panel,))


@_within_bounds
def kept_contents(data: bytes) -> FileContents:
    """Of a run that a browser kept, as JSON."""
    try:
        trace, source = unpacked_run(json.loads(data))
        return run_contents(loads(trace), source)
    except ValueError:
        return refusal(words.RUN_UNREADABLE)


READERS = {"file": file_contents, "kept": kept_contents}  # what the process may be asked for


# Who asks the process --------------------------------------------------------------------------------------------------

SMALL_FILE = 2**20  # bytes: five times what a usual run has
SECONDS, SECONDS_SMALL = 20.0, 4.0  # of a processor
CLOCK_FACTOR = 3.0  # so many times longer it may take by the clock, where others have the processors
MEMORY_BYTES = 2**30  # bytes that the process may ask for; a run of 10 MB takes a fifth of it
READS, READS_EACH = 6, 2  # files that are read or wait, and of one address (all who have none count as one)
POLL_SECONDS = 0.1  # seconds between two looks at whether it is to stop
HEAD_BYTES, ANSWER_BYTES = 2**20, 4 * FILE_LIMIT  # bytes of the first line of an answer, and of all that follows
PACKAGE = Path(__file__).parents[3]


class FileError(ValueError):
    """A file was not read. The message is for whoever opened it."""


class FileReader:
    """Safe to ask from any thread."""

    def __init__(self, memory: int = MEMORY_BYTES):
        self._large, self._small = _Process(SECONDS, memory, once=True), _Process(SECONDS_SMALL, memory)
        self._lock, self._reads = Lock(), Quota(READS, READS_EACH)
        self._readings: dict[tuple[str, bytes], _Reading] = {}

    def ask(self, request: str, data: bytes, stop: Callable[[], bool] = never, who: str = NOBODY) -> FileContents:
        """`request`: one of READERS; `who`: the address that asks. A file that is being read is read once, whoever opens it meanwhile.
        Raises FileError where there is no room, once `stop` says so, and where it takes too much."""
        key = request, sha256(data).digest()
        with self._lock:
            reading = self._readings.get(key)
            if reading is not None:
                reading.stops.append(stop)
            else:
                own = self._readings[key] = _Reading(stop)
        if reading is not None:
            return reading.wait(stop)
        try:
            if not self._reads.begin(who):
                raise FileError(words.FILES_WAIT)
            try:
                process = self._small if len(data) <= SMALL_FILE else self._large
                contents = process.ask(request, data, own.is_over)
            finally:
                self._reads.end(who)
            own.set_result(contents)
            return contents
        except BaseException as error:
            own.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._readings[key]

    def close(self) -> None:
        self._large.end()
        self._small.end()


class _Reading(Future[FileContents]):
    """A file that is read, for all who opened it: until the last of them stops."""

    def __init__(self, stop: Callable[[], bool]):
        super().__init__()
        self.stops = [stop]

    def is_over(self) -> bool:
        return all(stop() for stop in self.stops)

    def wait(self, stop: Callable[[], bool]) -> FileContents:
        """For who opened it later. Raises what the reading raises, and FileError once `stop` says so."""
        while not stop():
            with suppress(TimeoutError):
                return self.result(POLL_SECONDS)
        raise FileError(words.FILE_STOPPED)


class _Process:
    """One, which is started when it is first asked for something, asked one thing a time, and ended where it takes too long; after each
    where it is for `once`, so that its memory is free again."""

    def __init__(self, seconds: float, memory: int, once: bool = False):
        self._seconds, self._memory, self._once = seconds, memory, once
        self._turn = Lock()
        self._process: subprocess.Popen | None = None
        self._finalizer: weakref.finalize | None = None

    def ask(self, request: str, data: bytes, stop: Callable[[], bool]) -> FileContents:
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if stop():
                raise FileError(words.FILE_STOPPED)
        try:
            return self._request(request, data, stop)
        finally:
            self._turn.release()

    def _request(self, request: str, data: bytes, stop: Callable[[], bool]) -> FileContents:
        try:
            process = self._start()
        except OSError:
            raise FileError(words.FILE_STOPPED) from None
        answers: list[FileContents] = []
        thread = Thread(target=_exchange, args=(process, request, data, answers), daemon=True)
        thread.start()
        ends = monotonic() + CLOCK_FACTOR * self._seconds
        while thread.is_alive() and not stop() and monotonic() < ends:
            thread.join(POLL_SECONDS)
        if self._once or not answers:
            self.end()
            thread.join()
        if not answers:
            raise FileError(words.FILE_STOPPED)
        if answers[0].about["kind"] == "refused":
            raise FileError(answers[0].about["message"])
        return answers[0]

    def _start(self) -> subprocess.Popen:
        if self._process is None or self._process.poll() is not None:
            self.end()
            paths = [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.reader", str(self._seconds), str(self._memory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
            self._finalizer = weakref.finalize(self, _end, self._process)
        return self._process

    def end(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def _exchange(process: subprocess.Popen, request: str, data: bytes, answers: list[FileContents]) -> None:
    """Puts the answer into `answers`; nothing where the process ends before it is whole."""
    requests, output = process.stdin, process.stdout
    try:
        requests.write(json.dumps({"request": request, "size": len(data)}).encode() + b"\n")
        requests.write(data)
        requests.flush()
        answer = json.loads(output.readline(HEAD_BYTES))
        if sum(answer["sizes"]) <= ANSWER_BYTES:
            parts = tuple(output.read(size) for size in answer["sizes"])
            if [len(part) for part in parts] == answer["sizes"]:
                answers.append(FileContents(answer["about"], parts))
    except (OSError, ValueError):
        return


def _end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    for pipe in process.stdin, process.stdout:
        with suppress(OSError):
            pipe.close()


# In the process: python -m specviz.page.keep.reader SECONDS BYTES ------------------------------------------------------

NICE = 10  # whoever decodes or answers comes first


def limit_memory(memory: int) -> None:
    """From now on it takes no more memory, where the system has such a bound."""
    with suppress(AttributeError, OSError):
        os.nice(NICE)
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_seconds(seconds: float) -> None:
    """It may take so many more seconds of a processor."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + seconds) + 2, resource.RLIM_INFINITY))


def serve(requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    """After so many seconds of a processor reading ends between two lines.

    {"request":"file","size":4096}\\n and so many bytes      what it is asked
    {"about":{…},"sizes":[…]}\\n and so many bytes each    what it answers; of a file that breaks something nothing, and it ends"""
    while line := requests.readline():
        request = json.loads(line)
        limit_seconds(seconds)
        ends = time.process_time() + seconds
        with stop_when(lambda ends=ends: time.process_time() > ends):
            contents = READERS[request["request"]](requests.read(request["size"]))
        answers.write(json.dumps({"about": contents.about, "sizes": [len(part) for part in contents.parts]}).encode() + b"\n")
        for part in contents.parts:
            answers.write(part)
        answers.flush()


if __name__ == "__main__":
    limit_memory(int(sys.argv[2]))
    serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
