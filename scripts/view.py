"""What the page's script makes of a trace: its own modules, run by node, which is started once.

view(trace)["comparison"]["speedup"]
call("player/account.js", "speedupInterval", plain(trace), 1.79)["low"]
"""

import atexit
import json
import subprocess
from dataclasses import asdict
from functools import cache
from typing import Any

from specviz.config import ASSETS
from specviz.picture.replay import engine_facts, json_text, replay_data
from specviz.trace.events import Finished, Prefill, Round, Trace

CODE = """
import { createInterface } from "node:readline";
import { setVocabulary } from "./player/words.js";
setVocabulary({ words: {}, roles: {}, about: ABOUT });
for await (const line of createInterface({ input: process.stdin })) {
  const { module, name, values } = JSON.parse(line);
  let answer;
  try {
    const { [name]: script } = await import(`${process.cwd()}/${module}`);
    answer = { is: script(...values) };
  } catch (error) {
    answer = { error: error.stack };
  }
  console.log(JSON.stringify(answer));
}
"""


def view(trace: Trace) -> dict:
    """All that a screen shows of a run (assets/shared/types.d.ts, `Picture`). Raises FileNotFoundError where node is not."""
    return call("player/picture.js", "readPicture", json_text(replay_data(trace)))


def call(module: str, name: str, *arguments: Any) -> Any:
    """What a function of a module of assets/ returns of JSON's own values. Raises ValueError where it throws."""
    node = _node()
    assert node.stdin and node.stdout
    node.stdin.write(json.dumps({"module": module, "name": name, "values": arguments}) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    if "error" in answer:
        raise ValueError(answer["error"])
    return answer.get("is")


def plain(value: Any) -> Any:
    """A trace, its header or its events as scripts have them."""
    if isinstance(value, Trace):
        return {"header": asdict(value.header), "vanilla": plain(value.vanilla), "speculative": plain(value.speculative)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    event = {"event": type(value).__name__.lower()} if isinstance(value, Prefill | Round | Finished) else {}
    return event | asdict(value)


@cache
def _node() -> subprocess.Popen[str]:
    command = ["node", "--input-type=module", "-e", CODE.replace("ABOUT", json_text(engine_facts()))]
    node = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ASSETS, encoding="utf-8")
    atexit.register(node.communicate)
    return node
