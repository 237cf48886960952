"""The chapters of Learn, a file each: the excerpt that it is drawn from, what "Try it in Watch" sets, its sources. What a chapter
says is in words/chapters.toml, what its picture writes in words/chapter_pictures.toml.

To add one, say Trees: trees.py here holds CHAPTER = Chapter(**chapter_words("trees"), …) (../chapter.py) and is listed below, in
its place. assets/learn/chapters/trees.js draws it, listed in assets/learn/chapter.js; its rules are in assets/learn/chapters.css.
The tab, the bar of chapters, links, notes, the pack and its plan are made from what stands here.
"""

from . import accept, alone, busy, draft, engines, guess, residual, rounds, speed, verify, ways, whole

CHAPTERS = tuple(
    one.CHAPTER for one in (guess, alone, draft, verify, accept, residual, rounds, whole, speed, ways, busy, engines)
)
