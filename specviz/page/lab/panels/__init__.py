"""The panels of the Lab, a file each: its question, exercise and words, and what Python does for it.

To add one, say Luck:
1. luck.py here, a noun, holds PANEL = Panel("luck", …): its title, the question that it answers, its exercise, its words (../panel.py).
2. assets/lab/luck/panel.js calls addPanel("luck", luck); `luck(bench)` returns what is drawn (`Bench` and `Drawn` in assets/lab/types.d.ts). It is
   called when the panel is first seen: nothing is drawn or computed before. style.css beside it begins its rules with #lab-luck.
3. What takes seconds in Python is PANEL.runs(place, asked), a generator of PanelSteps. ../run.py gives it its turn among the timed runs and
   sends each step on, with the time left; Stop sets asked.stop, and what was found stays. The script begins it by `bench.run(settings)`
   and reads what is found in `drawn.found(…)`. What needs the engine is asked of it by a method that page/engine.py names; an engine
   without it is refused in a sentence (ValueError).
4. What Python answers at once is a function of PANEL.serves(place), called as `bench.server.name(sent)`.
The frame (assets/lab/frame.js) gives every panel: heading and question, Run and Stop with progress and time left, CSV, PNG and SVG of
`drawn.table()` and `drawn.chart()`, a link with the settings that `bench.keep(settings)` was told, and the exercise with its key.
"""

from ...homes import in_order
from ..panel import Panel

PANELS: tuple[Panel, ...] = in_order(__name__, "PANEL")
