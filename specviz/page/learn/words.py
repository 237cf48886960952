"""What the tab Learn says around its chapters, in several of their pictures, and in print. A chapter's own words: chapters/.

`{name}` marks what the page fills in, as text.
"""

from .. import words
from ..classroom import words as classroom_words

# What the teacher's pack says around the chapters (pack.py).
PRINTED = {
    "title": "specviz: speculative decoding in 50 minutes",
    "for_whom": "For the class: the glossary, and a work sheet for each chapter. For the teacher, at the end: a plan, notes, answers and keys.",
    "definitions": "Glossary",
    "predict": "Predict",
    "exercise": "Exercise",
    "able": "You should now be able to",
    "sources": "Sources",
    "plan": "For the teacher: {minutes} minutes",
    "minutes": "minute",
    "chapter": "chapter",
    "what": "what you do",
    "room": "the room",
    "homework": "Homework: chapters {chapters}.",
    "sheet": "The student's sheet has two pages and follows this plan. Its tasks are those of the work sheets, so the keys are in these notes.",
    "notes": "Notes",
    "answer": "Answer to the question",
    "key": "Key to the exercise",
    "engines": "What engines run",
    "engine": "engine",
    "known": "known from",
    "default": "by default",
    "inexact": "not exact",
}

# A student's sheet.
SHEET = {
    "title": "Speculative decoding: one lesson",
    "name": "Name",
    "date": "Date",
    "guess": "My guess:",
    "alone": "The outline is as long as if each token needed its own pass. Shade what the class measured.",
    "verify": "Cross out the p that are not used.",
    "accept": "The line shows all values of u.",
    "residual": "Shade min(p, q). Then mark where p is larger than q.",
    "room": "The room: you are the draft",
    "room_is": "Guess the next words. The target scores them. Write down what happened to your guess.",
    "room_1": "my guess",
    "room_2": "accepted?",
    "room_3": "what came instead",
    "speed": "speedup = tokens per round ÷ cost of a round = (1 − αᴷ⁺¹) / (1 − α) ÷ (K·c + v)",
    "reasons": "Three reasons not to draft:",
    "symbols": "Symbols",
}

# Everything else that assets/learn/*.js writes.
PAGE = {
    "loading": "Opening the recorded runs…",
    "lost": "The recorded runs could not be read. Reload the page, or look into the server's log.",
    "chapters": "Chapters",
    "chapter_of": "Chapter {n} of {of}",
    "previous": "Previous",
    "next": "Next",
    "projector": "Projector",
    "leave_projector": "Leave projector",
    "notes": "Notes",
    "notes_where": "Notes for the teacher, in a window of their own",
    "notes_title": "Notes for the teacher",
    "notes_blocked": "The browser did not let the window of the notes open.",
    "notes_now": "Now",
    "notes_say": "To say",
    "notes_answer": "Answer to the question",
    "exercise": "Exercise",
    "show_answers": "Show the answers",
    "notes_key": "Key",
    "notes_able": "Now everybody should be able to",
    "notes_alone": "The page of the lesson is closed, or it is loading. These notes wait for it.",
    "notes_keys": "← → turn the chapter here and on the projector.",
    "pack": "To print",
    "pack_blocked": "The browser did not let the tab to print from open.",
    "pack_what": "The teacher's pack: glossary, work sheets, keys, notes and a plan of 50 minutes",
    "teach": "Teach",
    "lesson": "Lesson",
    "lesson_what": "A lesson of fifty minutes: six chapters and the room",
    "room": "The room",
    "stop": "Minutes {from} to {until}: {what}",
    "copy": words.COPY_LINK,
    "copied": "The link is in the clipboard.",
    "link": "The link:",
    "glossary": "Glossary",
    "sheet": "Student's sheet",
    "sheet_what": "Two pages to print, with figures to fill in",
    "keys": "← → chapter · Space play · , . step · P projector · N notes",
    "play": "Play",
    "pause": "Pause",
    "again": "Play again",
    "back": "Step back",
    "on": "Step on",
    "by_hand": "You moved this yourself. Play, ‹ and › bring back the chapter's own values.",
    "time": "Time in this picture",
    "predict": "Predict",
    "predict_first": "Choose first: the answer and the reason follow.",
    "guess_first": "Say a number first, then it is measured.",
    "guess_unit": "times as long",
    "guess_measure": "Measure it",
    "guess_compare": "Compare",
    "guess_bounds": "A number above 0, and at most {most}.",
    "guess_measured": "You said {estimate}, measured here: {measured}.",
    "guess_recorded": "You said {estimate}, recorded: {measured}.",
    "guess_elsewhere": "You said {estimate}. Recorded on other machines: {elsewhere}.",
    "guess_device": "{times} ({device})",
    "right": "Right.",
    "wrong": "No.",
    **classroom_words.POLL,
    "try": "Try it in Watch",
    "more": "More",
    "sources": "Sources",
    "nothing": "No recorded run shows this yet.",
    "blocks_ms": "{ms} ms",
    "measuring": "Measuring, as soon as no other run is timed…",
    "p": "p, target",
    "q": "q, draft",
    "shared": "min(p, q)",
    "pq": "p {p} · q {q}",
    "position": "Recorded position",
    "rest": "all others",
    "map": "Speedup by α and K",
    "map_K": "K",
    "map_slower": "hatched: slower than without a draft",
}

MEASURE_FAILED = "The measurement failed: {error}"
MEASURE_BUSY = "The machine was busy, so no times are shown. Measure again when other programs rest."

# Below the chapters: how to get a record of a server, as Markdown.
SERVER_TITLE = "Your server"
SERVER = """
specviz also draws what an engine records of its own speculative decoding. Here is how to get a record, and what it shows.

**vLLM, round by round.** You need an environment with vLLM 0.32 on a GPU, several GPUs, or a CPU.
```
specviz record-vllm --vllm-python vllm-env/bin/python \\
    --target my-model --draft my-draft --prompt "…" --out run.jsonl
```
vLLM's rounds become a trace like those of our own engine: drafted tokens, p, q, u, verdict, residual, times. The same engine without its
drafter runs beside it. Not recorded: cache sizes, and the u of tokens that no draft decided. Open the file in Watch. *Served by vLLM*
among its recorded runs was made this way.

**vLLM in production.** Start it with `--per-request-spec-decode-metrics detailed` and save responses, or `curl …/metrics`. You see the drafted
and accepted tokens of each step, or their sums by position. Not recorded: which tokens, p, q, u.

**SGLang.** Save its log, or `curl …/metrics` of a server with `--enable-metrics` while requests run. You see the mean length
and the load. Not recorded: counts.

**llama.cpp.** Save responses with their `timings`, or the log of `llama-server`. You see tokens drafted and accepted, and
tokens per second. A log also has the steps.

**Any other engine.** Read off five numbers: steps, drafted, accepted, K, accepted by position. Type them in *Share*,
*Five numbers*.

Drop the file on Watch, or use `specviz import FILE`. A speedup is drawn only if a run without drafts was timed too.
"""
