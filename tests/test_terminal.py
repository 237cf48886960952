"""What a terminal prints of models, files and servers it shows, and obeys none of it."""

import json

import pytest

from specviz.commands.terminal import console, print_json, show, table, visible

ESCAPES = ["\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\r", "\x08", "\x7f", "\u202e", "\u2066", "\ud800"]


@pytest.mark.parametrize("text", ESCAPES)
def test_no_text_moves_a_cursor_colours_or_turns_a_line(text, capsys):
    rows = table("a", title=text)
    rows.add_row(text)
    console.print(f"a {text} b")
    show(f"a {text} b")
    show(rows)
    print_json({text: text})
    out, err = capsys.readouterr()
    assert not any(c in out + err for c in text if not c.isprintable())
    assert f"\\u{ord(text[0]):04x}" in out and f"\\u{ord(text[0]):04x}" in err


def test_json_is_what_it_was(capsys):
    print_json({"text": "é 北 \x9b \x1b\n"})
    assert json.loads(capsys.readouterr().out) == {"text": "é 北 \x9b \x1b\n"}


def test_text_of_any_language_stays_as_it_is():
    for text in ("Zoë’s café 3.50 €\n\ttab", "北京 नमस्ते العربية 👩‍🚀", "α ≤ β\u00a0ms"):
        assert visible(text) == text
