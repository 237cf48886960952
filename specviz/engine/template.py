"""Renders a chat template. As a script, alone, it tries one for a user's one line: python template.py < {"template": …,
"special": {…}}, and prints what is wrong with it.

A template is a program of the checkpoint: it runs in jinja's sandbox, with what transformers' own rendering gives it. What the
script imports is neither torch nor specviz, so that its bound of memory is that of the template.
"""

import json
import sys
from contextlib import suppress
from datetime import datetime
from functools import lru_cache

MAX_SECONDS, MAX_BYTES = 10, 2**31  # of a processor, and bytes


def render(template: str, messages: list[dict[str, str]], special: dict[str, str], add_generation_prompt: bool = True) -> str:
    """The text of a conversation. `special`: the special tokens by their names. Raises what the template raises."""
    values = {"messages": messages, "tools": None, "documents": None, "add_generation_prompt": add_generation_prompt}
    return _compiled(template).render(**{**special, **values})


@lru_cache(8)
def _compiled(template: str):
    from jinja2 import TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """What a model writes may stand between two marks, which count for training only."""

        tags = {"generation"}  # noqa: RUF012 (as jinja reads it)

        def parse(self, parser):
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def raise_exception(message):
        raise TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    sandbox = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    for name in ("lipsum", "cycler", "joiner"):
        del sandbox.globals[name]
    sandbox.filters["tojson"] = tojson
    sandbox.globals |= {"raise_exception": raise_exception, "strftime_now": lambda form: datetime.now().strftime(form)}
    return sandbox.from_string(template)


def set_limits() -> None:
    with suppress(ImportError, OSError, ValueError):  # not every system has such bounds
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
        spent = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime) + MAX_SECONDS,) * 2)


def template_error(template: str, special: dict[str, str]) -> str:
    """In a few words, or nothing."""
    set_limits()
    try:
        render(template, [{"role": "user", "content": "Hello"}], special)
    except Exception as error:  # whatever a template makes of it
        return f"{type(error).__name__}: {error}"[:300]
    return ""


if __name__ == "__main__":
    request = json.load(sys.stdin)
    print(template_error(request["template"], request["special"]))
