"""The chapters of Learn, a file each: text, question, exercise, the excerpt that it is drawn from, the words of its picture.

To add one, say Trees: trees.py here holds CHAPTER = Chapter("trees", …) (../chapter.py), and stands in the list below, in its place.
assets/learn/chapters/trees.js draws it, listed in assets/learn/chapter.js; its rules stand in assets/learn/chapters.css. The tab, the bar of
chapters, links, notes, the pack and its plan are made from what stands here.

`{name}` marks what the page fills in from a recorded run, as text. Numbers that were published stand here with their source;
numbers that were measured never do.
"""

from . import accept, alone, busy, draft, engines, guess, residual, rounds, speed, verify, ways, whole

CHAPTERS = tuple(
    one.CHAPTER for one in (guess, alone, draft, verify, accept, residual, rounds, whole, speed, ways, busy, engines)
)
