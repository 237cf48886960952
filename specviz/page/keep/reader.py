"""Files from anybody are read in a process of their own: beside a run it takes no time of the page's, it can be ended, and what it takes is
bounded in seconds and in memory.

reader = FileReader()
contents = reader.ask("file", data, stop, who)      # contents.py; FileError, with a sentence for the visitor

Two at most, one for small files, so that nobody waits for somebody else's large one. A few may wait, of one address fewer.
"""

import json
import os
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

from ...request import never
from ...trace.file import FILE_LIMIT
from .. import words
from .contents import FileContents

SMALL_FILE = 2**20  # bytes: five times what a usual run has
SECONDS, SECONDS_SMALL = 20.0, 4.0  # of a processor
CLOCK_FACTOR = 3.0  # so many times longer it may take by the clock, where others have the processors
MEMORY_BYTES = 2**30  # bytes that the process may ask for; a run of 10 MB takes a fifth of it
READS, READS_EACH = 6, 2  # files that are read or wait, and of one address
POLL_SECONDS = 0.1  # seconds between two looks at whether it is to stop
HEAD_BYTES, ANSWER_BYTES = 2**20, 4 * FILE_LIMIT  # bytes of the first line of an answer, and of all that follows
PACKAGE = Path(__file__).parents[3]


class FileError(ValueError):
    """A file was not read. The message is for whoever opened it."""


class FileReader:
    """Safe to ask from any thread."""

    def __init__(self, memory: int = MEMORY_BYTES):
        self._large, self._small = _Process(SECONDS, memory, once=True), _Process(SECONDS_SMALL, memory)
        self._lock, self._in_use = Lock(), Counter[str]()
        self._readings: dict[tuple[str, bytes], _Reading] = {}

    def ask(self, request: str, data: bytes, stop: Callable[[], bool] = never, who: str = "") -> FileContents:
        """`request`: one of contents.READERS; `who`: the address that asks. A file that is being read is read once, whoever opens it meanwhile.
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
            with self._slot(who):
                process = self._small if len(data) <= SMALL_FILE else self._large
                contents = process.ask(request, data, own.is_over)
            own.set_result(contents)
            return contents
        except BaseException as error:
            own.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._readings[key]

    @contextmanager
    def _slot(self, who: str) -> Iterator[None]:
        with self._lock:
            if self._in_use.total() >= READS or (who and self._in_use[who] >= READS_EACH):
                raise FileError(words.FILES_WAIT)
            self._in_use[who] += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_use[who] -= 1
                self._in_use += Counter()  # without those that are at nothing

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
                [sys.executable, "-m", f"{__package__}.child", str(self._seconds), str(self._memory)],
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
    assert requests and output
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
        if pipe:
            with suppress(OSError):
                pipe.close()
