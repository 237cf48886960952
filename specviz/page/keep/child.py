"""The process in which files from anybody are read (reader.py starts it: python -m specviz.page.keep.child SECONDS BYTES).

{"request":"file","size":4096}\\n and so many bytes      what it is asked, on its standard input
{"about":{…},"sizes":[…]}\\n and so many bytes each    what it answers; of a file that breaks something nothing, and it ends
"""

import json
import os
import sys
import time
from contextlib import suppress
from typing import BinaryIO

from ...trace.file import stop_when
from .. import words
from .contents import READERS, FileContents, refusal

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


def answer(request: str, data: bytes, seconds: float) -> FileContents:
    """After so many seconds of a processor reading ends between two lines."""
    ends = time.process_time() + seconds
    try:
        with stop_when(lambda: time.process_time() > ends):
            return READERS[request](data)
    except MemoryError:
        return refusal(words.FILE_STOPPED)


def serve(requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    while line := requests.readline():
        request = json.loads(line)
        limit_seconds(seconds)
        contents = answer(request["request"], requests.read(request["size"]), seconds)
        answers.write(json.dumps({"about": contents.about, "sizes": [len(part) for part in contents.parts]}).encode() + b"\n")
        for part in contents.parts:
            answers.write(part)
        answers.flush()


if __name__ == "__main__":
    limit_memory(int(sys.argv[2]))
    serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
