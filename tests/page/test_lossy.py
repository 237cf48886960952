"""A log on a full disk."""

import errno
import io
import sys
import traceback

from specviz.page.lossy import Lossy


class Full(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self):
        self.write("")


def test_what_finds_no_room_in_the_log_is_lost_and_nobody_waits_for_it(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Lossy(Full()))
    try:
        raise ValueError("told")
    except ValueError:
        traceback.print_exc()
    print("said", file=sys.stderr, flush=True)


def test_where_there_is_room_it_is_the_stream_that_it_stands_for():
    stream = io.StringIO()
    print("said", file=Lossy(stream), flush=True)
    assert stream.getvalue() == "said\n" and not Lossy(stream).isatty() and Lossy(stream).readable()
