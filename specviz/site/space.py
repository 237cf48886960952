"""What a static Space reads of the site: its README, with the front matter of such a Space."""

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
