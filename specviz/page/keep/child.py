"""The process in which files from anybody are read (reader.py starts it: python -m specviz.page.keep.child SECONDS BYTES).

{"asked":"file","size":4096}\\n and so many bytes      what it is asked, on its standard input
{"about":{…},"sizes":[…]}\\n and so many bytes each    what it answers; of a file that breaks something nothing, and it ends
"""

import json
import os
import sys
import time
from contextlib import suppress
from typing import BinaryIO

from ...trace.clock import within
from .. import words
from .sent import ASKED, FileContents, refusal

NICE = 10  # whoever decodes or answers comes first


def limit_memory(memory: int) -> None:
    """From now on it takes no more memory, where the system has such a bound."""
    with suppress(AttributeError, OSError):
        os.nice(NICE)
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def seconds_bounded(seconds: float) -> None:
    """It may take so many more seconds of a processor."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        spent = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime + seconds) + 2, resource.RLIM_INFINITY))


def answer(asked: str, data: bytes, seconds: float) -> FileContents:
    """After so many seconds of a processor reading ends between two lines."""
    ends = time.process_time() + seconds
    try:
        with within(lambda: time.process_time() > ends):
            return ASKED[asked](data)
    except MemoryError:
        return refusal(words.FILE_STOPPED)


def serve(given: BinaryIO, out: BinaryIO, seconds: float) -> None:
    while line := given.readline():
        asked = json.loads(line)
        seconds_bounded(seconds)
        sent = answer(asked["asked"], given.read(asked["size"]), seconds)
        out.write(json.dumps({"about": sent.about, "sizes": [len(part) for part in sent.parts]}).encode() + b"\n")
        for part in sent.parts:
            out.write(part)
        out.flush()


if __name__ == "__main__":
    limit_memory(int(sys.argv[2]))
    serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
