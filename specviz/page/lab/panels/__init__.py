"""The panels of the Lab, a file each: its question, exercise and words, and what Python does for it.

To add one, say Luck:
1. luck.py here, a noun, holds PANEL = Panel("luck", …): its title, the question that it answers, its exercise, its words (../panel.py).
   The list below says where it stands.
2. assets/lab/luck.js, listed in assets/lab/tab.js: `luck(context)` returns its view (`PanelContext`, `PanelView` in types.d.ts).
   It is called when the panel is first seen: nothing is drawn or computed before. Its rules in lab.css begin with #lab-luck.
3. What takes seconds in Python is PANEL.runs(context, request), a generator of PanelSteps. ../tab.py gives it its turn among the
   timed runs and sends each step on, with the time left; Stop sets request.stop, and what was found stays. The script begins it by
   `context.startRun(settings)` and reads what is found in `view.showResult(…)`. What needs the engine is asked of it by a method
   that page/engine.py names; an engine without it is refused in a sentence (ValueError).
4. What Python answers at once is a function of PANEL.serves(context), called as `context.server.name(request)`.
The frame (assets/lab/frame.js) gives every panel: heading and question, Run and Stop with progress and time left, CSV and PNG of
`view.table()` and `view.chart()`, a link with the settings of `context.updateLink(settings)`, and the exercise with its key.
"""

from . import classroom, load, luck, mistakes, sweep

PANELS = tuple(one.PANEL for one in (mistakes, luck, sweep, load, classroom))
