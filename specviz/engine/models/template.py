"""Renders a chat template once, for a user's one line: python template.py < {"template": …, "special": {…}}. Prints what is wrong with it.

Run as a script, alone: what it imports is neither torch nor specviz, so that its bound of memory is that of the template.
"""

import json
import sys
from contextlib import suppress

SECONDS, MEMORY = 10, 2**31  # of a processor, and bytes


def bounded() -> None:
    with suppress(ImportError, OSError, ValueError):  # not every system has such bounds
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        spent = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime) + SECONDS,) * 2)


def wrong(template: str, special: dict[str, str]) -> str:
    """In a few words, or nothing."""
    from transformers.utils.chat_template_utils import render_jinja_template

    bounded()
    said = [{"role": "user", "content": "Hello"}]
    try:
        render_jinja_template([said], chat_template=template, add_generation_prompt=True, **special)
    except Exception as error:  # whatever a template makes of it
        return f"{type(error).__name__}: {error}"[:300]
    return ""


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(wrong(asked["template"], asked["special"]))
