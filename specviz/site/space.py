"""What a static Space reads of the site: its README, with the front matter of such a Space."""

import re

from ..config import ConfigError

FRONT = """---
title: specviz
emoji: 🎯
colorFrom: blue
colorTo: yellow
sdk: static
app_file: index.html
license: mit
short_description: Speculative decoding, live in your own browser
tags: [speculative-decoding, visualization, education]
---
# specviz

The page of specviz as files: recorded runs, Learn, the Lab, and decoding in the visitor's own browser. No server decodes.
`specviz site` made these files.
"""
BESIDE = "\nWith a server, public models and rooms for a class: [{app}]({app}).\n"


def card(app: str) -> str:
    """The README. `app`: the address of the app with a server, which it links; empty if there is none. Raises ConfigError."""
    if app and not re.fullmatch(r"https?://[\w.:/~%-]+", app):
        raise ConfigError("app", app, "an address that begins with https:// or http://")
    return FRONT + BESIDE.format(app=app) if app else FRONT
