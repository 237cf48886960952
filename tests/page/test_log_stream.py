"""A log on a full disk."""

import errno
import io
import sys
import traceback

from specviz.page.log_stream import LOG_CHARACTERS, WINDOW_SECONDS, LossyStream, error_line


class Full(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self):
        self.write("")


def test_what_finds_no_room_in_the_log_is_lost_and_nobody_waits_for_it(monkeypatch):
    monkeypatch.setattr(sys, "stderr", LossyStream(Full()))
    try:
        raise ValueError("told")
    except ValueError:
        traceback.print_exc()
    print("said", file=sys.stderr, flush=True)


def test_where_there_is_room_it_is_the_stream_that_it_stands_for():
    stream = io.StringIO()
    print("said", file=LossyStream(stream), flush=True)
    assert stream.getvalue() == "said\n" and not LossyStream(stream).isatty() and LossyStream(stream).readable()


def test_a_stranger_fills_no_disk_by_what_goes_wrong_and_the_log_says_what_is_left_out():
    stream, now = io.StringIO(), [0.0]
    log = LossyStream(stream, lambda: now[0])
    for _ in range(10_000):
        print("Traceback, and all of it", file=log)
    assert len(stream.getvalue()) <= LOG_CHARACTERS
    now[0] = WINDOW_SECONDS + 1
    print("later", file=log)
    assert stream.getvalue().endswith("characters of the log were left out)\nlater\n")


def test_what_went_wrong_is_one_line_whatever_it_quotes():
    try:
        raise ValueError("a\nINFO: forged \x1b[2J \ud800" + "x" * 10_000)
    except ValueError as error:
        line = error_line(error)
    assert len(line) < 500 and line.isprintable() and line.isascii() and "test_log_stream.py" in line


def test_of_a_traceback_the_log_has_one_line_whatever_it_quotes():
    stream = io.StringIO()
    log = LossyStream(stream)
    try:
        try:
            raise ValueError("quoted\nINFO: forged " + "x" * 1000)
        except ValueError as error:
            raise TypeError("another\nforged") from error
    except TypeError:
        traceback.print_exc(file=log)
    print("later", file=log)
    of_value, of_type, later = stream.getvalue().splitlines()
    assert of_value.startswith("an event failed: 'ValueError: quoted\\nINFO") and len(of_value) < 400
    assert of_type.startswith("an event failed: 'TypeError: another\\nforged") and later == "later"
