"""What is sent of a picture is smaller than the picture and says the same."""

import json
import shutil
import subprocess

import pytest

from specviz.config import ASSETS
from specviz.picture.packed import packed
from specviz.picture.view import json_text, picture

from ..fake_trace import fake_trace

KINDS = [{"K": 4}, {"temperature": 0.0}, {"observed": False}, {"hostile": True}, {"K": 0}]


@pytest.mark.skipif(not shutil.which("node"), reason="the page's own reader is asked, in node, which is not here")
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_page_reads_the_very_picture(kind):
    shown = picture(fake_trace(seed=7, **kind))
    code = (
        f"import {{ readPicture }} from {json.dumps((ASSETS / 'shared/picture.js').as_uri())};\n"
        "let text = '';\nfor await (const part of process.stdin.setEncoding('utf8')) text += part;\n"
        "console.log(JSON.stringify(readPicture(text)));\n"
    )
    run = subprocess.run(
        ["node", "--input-type=module", "-e", code],
        input=json_text(packed(shown)).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout) == json.loads(json_text(shown))


def test_a_picture_is_sent_in_less_than_half_of_its_size():
    shown = picture(fake_trace(seed=7, K=4))
    assert 2 * len(json_text(packed(shown))) < len(json_text(shown))


def test_every_token_is_sent_once():
    tokens = packed(picture(fake_trace(seed=7)))["tokens"]
    assert len(tokens) == len(set(tokens))
