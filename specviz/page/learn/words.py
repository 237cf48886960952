"""What the tab Learn says around its chapters, in several of their pictures, and in print. A chapter's own words: chapters/.

`{name}` marks what the page fills in, as text.
"""

from .. import words as page_words

# What the teacher's pack says around the chapters (pack.py).
PRINTED = {
    "title": "specviz: speculative decoding in 50 minutes",
    "for_whom": "For the class: definitions and a work sheet a chapter. For the teacher, on the last pages: a plan, notes, answers and keys.",
    "definitions": "Definitions",
    "predict": "Predict",
    "exercise": "Exercise",
    "able": "You should now be able to",
    "sources": "Sources",
    "plan": "For the teacher: {minutes} minutes",
    "minutes": "minute",
    "chapters": "chapters",
    "what": "what is done",
    "no_chapter": "none",
    "notes": "Notes",
    "answer": "Answer to the question",
    "key": "Key to the exercise",
    "unknown": "–",
    "exercises": "One exercise each, on paper; the keys are in these notes.",
}

# One sheet of the pack: a symbol or word, and one sentence.
DEFINITIONS = (
    ("target", "The model whose text is wanted."),
    ("draft", "Whatever quickly guesses the next tokens: a small model, a head, a table, a copy of earlier text."),
    ("p, q", "The distributions of target and draft for the next token, after temperature, top-k and top-p."),
    ("K", "How many tokens are drafted in a round."),
    ("round", "Draft K tokens, verify them in one pass of the target, decide, write down what stays and one token more."),
    ("verify", "One pass of the target over the last token and the K drafts; it gives K + 1 distributions p."),
    ("u", "A number drawn evenly from 0 to 1, which decides one drafted token."),
    ("accept", "A drafted x stays if u < p(x)/q(x)."),
    ("reject", "Else x goes, and with it all that was drafted after it."),
    ("residual", "max(p − q, 0), scaled up to 1: what a rejected token is replaced from."),
    ("correction", "The token that replaces the rejected one."),
    ("bonus", "The token after a block that stayed whole, drawn from the last p."),
    ("β", "Σ min(p, q), the overlap at one position: the chance, before x is drawn, that it will stay."),
    ("α", "The mean of β over positions: the acceptance rate."),
    ("c", "The time of one draft step in passes of the target over one token."),
    ("v", "The time of a verifying pass in passes over one token."),
    ("cache", "Keys and values of the tokens that a model has read, so that it need not read them again."),
    ("rollback", "Taking from a cache what did not stay, by making it shorter."),
    ("prefill", "Reading the prompt, in one pass, before the first round."),
    ("lossless", "Every text is as likely as from the target alone. Not: the same text."),
)

# Everything else that assets/learn/*.js writes.
PAGE = {
    "loading": "Opening the recorded runs…",
    "lost": "The recorded runs could not be read. Reload the page, or see the log of the server.",
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
    "notes_say": "To say",
    "notes_answer": "Answer to the question",
    "notes_exercise": "Exercise",
    "notes_key": "Key",
    "notes_able": "Now everybody should be able to",
    "notes_alone": "The page of the lesson is closed, or it is loading. These notes wait for it.",
    "notes_keys": "← → turn the chapter here and on the projector.",
    "pack": "To print",
    "pack_blocked": "The browser did not let the tab to print from open.",
    "pack_what": "The teacher's pack: definitions, work sheets, keys, notes and a plan of 50 minutes",
    "keys": "← → chapter · Space play · , . step · P projector · N notes",
    "play": "Play",
    "pause": "Pause",
    "again": "Play again",
    "back": "Step back",
    "on": "Step on",
    "time": "Time in this picture",
    "predict": "Predict",
    "predict_first": "Choose first: the answer and the reason follow.",
    "guess_first": "Say a number first, then it is measured.",
    "guess_unit": "times as long",
    "guess_measure": "Measure it",
    "guess_compare": "Compare",
    "guess_bounds": "A number above 0, and at most {most}.",
    "guess_measured": "You said {said}, measured here: {measured}.",
    "guess_recorded": "You said {said}, recorded: {measured}.",
    "right": "Right.",
    "wrong": "Not so.",
    "phones_ask": "Ask the phones",
    "phones_answer": "Show the answer",
    "phones_end": "End the question",
    "phones_voted": "{voted} of {here} have answered.",
    "phones_qr": "A QR code of the room's link",
    "room_text": page_words.EXAMPLES[0],
    "room_lost": "The server did not answer. Try again.",
    "room_over": "The room has ended.",
    "try": "Try it in Watch",
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
    "map_slower": "hatched: slower than the target alone",
}

# Below the chapters: how to get a record of a server, as Markdown.
SERVER_TITLE = "Your server"
SERVER = """
What an engine tells of its own speculative decoding is drawn here too. How to get it, and what it will show.

**vLLM, round by round.** In an environment that has vLLM 0.32; a GPU, several, or a CPU:
```
specviz record-vllm --vllm-python vllm-env/bin/python \\
    --target my-model --draft my-draft --prompt "…" --out run.jsonl
```
Shows tokens, p, q, u, verdicts, the residual, times, and the same engine without its drafter beside it. Does not: cache sizes, and the u of
tokens that no draft decided. Open the file in Watch; *Served by vLLM* among its recorded runs was made so. With
`specviz app --vllm-python vllm-env/bin/python` Watch runs it itself.

**vLLM in production.** Start it with `--per-request-spec-decode-metrics detailed` and save responses, or `curl …/metrics`. Shows every step's
drafted and accepted, or their sums by position. Does not: which tokens, p, q, u.

**SGLang.** Save responses with their `meta_info`. Shows steps and a histogram a request. Does not: single steps.

**llama.cpp.** Save responses with their `timings`, or `curl …/metrics` of `llama-server --metrics`. Shows tokens drafted and accepted, and
tokens a second. Does not: steps.

**TensorRT-LLM, LM Studio.** Save `/perf_metrics`, responses with `stats`. Show tokens drafted and accepted. Do not: steps.

**AIPerf.** `aiperf profile --export-level records`, its `profile_export.jsonl`. Shows a histogram a request over a whole load.

Drop the file on Watch, or `specviz import FILE`. A speedup is drawn only where a run without drafts was timed too.
"""
