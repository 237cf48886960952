"""Every sentence of the page itself: settings, files, links, what a run is doing. What a picture says is in picture/words.py.

`{name}` marks what the run fills in; the page fills it in as text, never as markup.
"""

from .. import drafters
from ..config import SETTINGS

WATCH, LEARN, LAB = "Watch", "Learn", "Lab"

PROMPT = "Prompt"
PROMPT_PLACEHOLDER = "The beginning of a story. Ctrl + Enter runs it."
EXAMPLES = (
    "Once upon a time, there was a little dog named",
    "Lily had a red kite. One windy day, she",
    "The capital of France is",
    "User: I want to listen to some music.\nAssistant:",
    'if __name__ == "__main__":',
    "3 + 4 = 7\n12 - 5 = 7\n6 + 6 =",
    "import math\nimport random\n" * 8 + "import",
)
EXAMPLE_NAMES = ("A dog", "A kite", "A fact", "A dialogue", "Python", "Sums", "Repetition")
QUESTION_PLACEHOLDER = "A question, or a text to write. Ctrl + Enter runs it."
QUESTIONS = {  # what a model with a chat template is asked, by the names of the buttons
    "A root": "What's the square root of 7?",
    "A capital": "What is the capital of Norway, and what is it known for?",
    "Python": "Write a Python function that checks whether a number is prime.",
    "A list": "List ten animals that live in the sea.",
    "Rewriting": "Correct the spelling of this paragraph:\n\nThe old lighthouse stands at the end of the harbour. Every evening the keeper "
    "climbs the stairs, lights the lamp and writes the names of the ships into a book. In the morning the keeper puts out the lamp, walks "
    "down the stairs and sleeps until noon.",
    "A story": "Tell a short story about a fox who finds a key in the snow.",
}
EXAMPLES_MENU, SHARE = "Examples", "Share"
RUN, STOP = "Run", "Stop"
SAVE, OPEN = "Save run", "Open run"
SAVE_ROUNDS, SAVE_HANDOUT = "Rounds as CSV", "Hand-out"
FILE_OPENED = "The run of the file is shown. Prompt and settings above are still yours; a link carries those."
FILE_REFUSED = "The file was not opened. {error}"
FILE_UNKNOWN = "The file was not opened. Read as a run: {error}. Read as a record of another engine: {other}."
FILE_OTHER = "The file was not opened. Read as a run: {error}. Of other engines {other}. Type them in Share, Five numbers."
COUNTS = "Five numbers"
COUNTS_REFUSED = "The five numbers were not taken: {error}."
FILE_STOPPED = "The file was not opened: reading it was stopped, or took more time or memory than a file may take here."
FILE_LARGE = "The file was not opened: a browser would get {found} MB of it, and at most {most} MB are sent."
FILES_WAIT = "The file was not opened: other files are being read. Try again in a minute."
RUN_UNSAVED = "The run is shown, but it cannot be saved: the disk of this server is full."
RECORD_OPENED = "The record of {engine} is shown. Runs, prompt and settings here did not change."
DROP = {"cue": "Drop a saved run, or what another engine recorded"}
DROPPED = "Nothing was opened: drop one file, a run that was saved here or what another engine recorded."

SAVE_PICTURE = "Timeline as PNG"
PICTURED = "The timeline is saved as a picture."
ROUNDS_SAVED = "The rounds are saved as a table."
SAVE_LOST = "The server did not answer, so no file is made. Try again."
NOTHING_TO_SAVE = "There is no run to save yet."

# The runs of this visit, painted by assets/keep/history.js.
RUN_SHOWN = "A run of this visit is shown again. Prompt and settings above are still yours."
RUN_UNREADABLE = "That run cannot be shown: what the browser kept of it is no run."
HISTORY = {
    "title": "Runs of this visit",
    "empty": "Your runs are listed here, and each can be shown again.",
    "note": "The page keeps at most the last {limit} runs, with your prompt, settings and answers. They stay in this browser.",
    "time": "time",
    "run": "run here",
    "file": "file",
    "recorded": "recorded",
    "prompt": "prompt",
    "draft": "drafter",
    "K": "K",
    "temperature": "temperature",
    "speedup": "speedup",
    "alpha": "α, average of β",
    "tokens_per_forward": "tokens per target pass",
    "show": "Show",
    "show_this": "Show the run of {time} again",
    "clear": "Forget all",
    "clear_ask": "Forget these runs, your prompt and settings, and your answers in Learn? There is no way back.",
    "clear_yes": "Forget all of it",
    "clear_no": "Keep it",
    "nothing": "–",
    "busy": "machine busy",
    "processor": "{speedup} by processor time",
}

# Runs that come with the app (scripts/traces.py records them): a short name, and a sentence on what to look at.
RECORDED_LIST = "Recorded runs"
RECORDED_NONE = "Recorded runs…"
RECORDED_SHOWN = "Recorded run “{title}”. {sentence}"
RECORDED_FIRST = "A recorded run."
BEGIN = "Begin with Learn"
BACK_TO_CHAPTER = "Back to chapter {n}"
SETTINGS_KEPT = "Prompt and settings are as you left them in this browser. Press Run."
RECORDED_BACK = "Back to my prompt and settings"
RECORDED_PUT_BACK = "Your prompt and settings are back."
SETTINGS_FORGOTTEN = "Your earlier prompt and settings are no longer kept: many have visited since."
RECORDED = {
    # by the assistant
    "answer-capital": (
        "Assistant: a capital",
        "At temperature 0 both lanes write the same answer. The draft guesses common words such as “the” and “of”. The names Norway and Oslo come from the target.",
    ),
    "question": (
        "Assistant: a question",
        "What is the square root of 7? The words around the number are easy to guess. The digits are hard. The answer is wrong, as it often is.",
    ),
    "answer-code": (
        "Assistant: a function",
        "The assistant writes Python. About four of five drafts that are tested are accepted.",
    ),
    "answer-sums": (
        "Assistant: a sum",
        "The assistant explains a sum. Its head copies numbers from the question, and the target keeps each of them.",
    ),
    "rewriting": (
        "Assistant: rewriting",
        "The assistant rewrites a paragraph. Prompt lookup copies from the paragraph, and whole phrases are accepted at once.",
    ),
    "answer-tree": (
        "Assistant: a tree",
        "A head drafts a tree of guesses. Where the first guess fails, a second one is often right.",
    ),
    "answer-hot": (
        "Assistant: temperature 1.2",
        "At a high temperature many tokens are possible, and the text goes astray. Target and draft find other tokens possible, so most guesses are rejected.",
    ),
    "answer-json": (
        "Assistant: a fixed shape",
        "A grammar forces JSON with five keys. The draft does not know the grammar, so many drafts are void.",
    ),
    "opening": (
        "A story",
        "A small model drafts a story. Some tokens are accepted, some are rejected, and now and then a bonus token comes free.",
    ),
    "predictable": (
        "A predictable text",
        "At temperature 0 both lanes write the same text. Draft and target pick the same token most of the time.",
    ),
    "creative": (
        "Temperature 1",
        "Both lanes draw from p: two samples of one distribution, so two different stories.",
    ),
    "hot": (
        "Temperature 1.5",
        "The same prompt, hotter. p and q are flatter and odd words appear, as often as p says. This run is faster by luck: its α "
        "is lower, but more drafts were accepted than α promises.",
    ),
    "code": (
        "Code",
        "A small model drafts code. Some blocks are accepted whole, others fail at the first token.",
    ),
    "all-accepted": (
        "Accepted whole",
        "Most blocks are accepted whole. Each of them brings a bonus token from the same pass.",
    ),
    "rejected-first": (
        "Rejected at once",
        "The first drafted token is rejected. The rest of its block is thrown away, and the residual gives the replacement.",
    ),
    "poor-draft": (
        "A poor draft",
        "A bigram table reads only one token back. Most blocks are cut short, but the text follows the same distribution.",
    ),
    "lookup": (
        "Prompt lookup",
        "Nothing guesses: the drafter copies what followed the same words earlier. Copies are checked like any draft.",
    ),
    "tree": (
        "A tree that gains tokens",
        "A small model drafts 16 guesses as a tree. In half of the rounds a second choice is accepted, where a chain would have ended.",
    ),
    "wide-tree": (
        "A tree that costs too much",
        "A bigram table drafts 52 guesses per round, and little more than one of them is accepted. On a CPU each guess makes the pass longer.",
    ),
    "hybrid": (
        "A state that cannot be cut",
        "One of the target's two layers keeps a state. After a rejection it goes back to its copy and reads the kept tokens again. Choose a token to see the caches.",
    ),
    "block": (
        "A block in one pass",
        "A block head drafts up to six tokens in one pass. The later a place in the block, the fewer of its guesses are accepted.",
    ),
    "experts": (
        "A mixture of experts",
        "Each layer of the target has 16 experts, and each token uses 4 of them. Chapter 11 shows which experts a block reads. transformers makes "
        "these passes: their times are mostly overhead, not reading.",
    ),
    "vllm": (
        "Served by vLLM",
        "vLLM 0.32 decoded the bundled pair on a CPU. What vLLM does not record is named under the numbers.",
    ),
    # on an H100
    "gpu-predictable": (
        "On a GPU, temperature 0",
        "The bundled pair on a GPU. Passes are so short that the time between them matters.",
    ),
    "gpu-creative": (
        "On a GPU, temperature 1",
        "The bundled pair on a GPU, sampled. The same seed gives another text there than on a CPU.",
    ),
    "gpu-synthetic": (
        "8 billion weights (synthetic)",
        "A large public shape with random weights. A script decides how often the draft is right. The times are real, the text is "
        "not.",
    ),
}

# Links: /?prompt=…&K=4 fills in the page.
COPY_LINK = "Copy link"
DECODE_HERE = "Decode fable in this browser"
LINK = {
    "copied": "The link is copied. It opens this page with this prompt and these settings.",
    "refused": "The browser did not let the page copy. Here is the link:",
    "field": "Link to this prompt and these settings",
    "long": "The prompt is too long for a link. Save the run and send the file.",
}
LINK_READ = {
    "prompt": "The link filled in the prompt.",
    "settings": "The link filled in the settings.",
    "both": "The link filled in the prompt and the settings.",
    "press": "Press Run.",
}
CHAPTER_READ = "Chapter {n} filled in the prompt and the settings."
LINK_PARTLY = "Not all of the link was used: {problems}."
LINK_VALUE = "“{field}” is {value}; it must be {bound}"
LINK_UNKNOWN = "there is no setting “{name}”"
LINK_ONE_OF = "one of {names}"
LINK_PROMPT = "a text of at most {most} characters"
LINK_MORE = "and {count} more"

# Ways to draft: a short name, and a sentence on what it is and where it comes from. A key without words is shown as itself.
DRAFTER = "How to draft"
DRAFTERS = {key: (one.label, one.sentence) for key, one in drafters.DRAFTERS.items()}

MODELS = "Models"
# keys of models that have words of their own
BUNDLED, HYBRID, MIXTURE, ASSISTANT = "fable", "fable-hybrid", "fable-experts", "smollm2"
# what a trace calls them
TARGETS = {BUNDLED: "fable", HYBRID: "fable-hybrid", MIXTURE: "fable-experts", ASSISTANT: "SmolLM2-135M-Instruct"}
TARGET_LABELS = {
    BUNDLED: "fable, in the repository",
    HYBRID: "fable-hybrid, with convolutions",
    MIXTURE: "fable-experts, a mixture of experts",
    ASSISTANT: "SmolLM2-135M-Instruct, an assistant",
}
TARGET_IS = {
    BUNDLED: "",
    HYBRID: "A small hybrid: the first of its two layers is a short convolution. It keeps a state that cannot be cut, so a rejection costs more. It writes "
    "worse than fable.",
    MIXTURE: "Each layer has 16 experts, and each token uses 4 of them. transformers makes the passes, so a run is slow.",
    ASSISTANT: "A small assistant by Hugging Face (Apache-2.0), often wrong.",
}
OPENINGS = {BUNDLED: "opening", ASSISTANT: "answer-capital"}  # the recorded run that a page begins with
OWN_IS = "A model that the owner of this page offers."
NEEDS = "Run fetches it from the hub: {gigabytes} GB of {dtype} weights, licence {licence}."
NEEDS_LOGIN = " Gated: accept the licence on the hub and log in on the machine that runs this page."

# Settings: what each is called, and its choices, stand at its field in config.py.
VERIFIERS, DRAFTINGS = ([(label, value) for value, label in SETTINGS[name].choices.items()] for name in ("verifier", "drafting"))
MORE, FURTHER = "Settings", "More"
INFOS = {
    "K": "Tokens drafted before each check",
    "temperature": "0 is certain, higher is freer",
    "max_new_tokens": "Tokens to write at most",
}
OUT_OF_BOUNDS = "“{field}” is {value}; it must be {bound}."
EMPTY = "empty"
SEVERAL, ONE_TO = "a list of {count}", "a list of 1 to {most}"
PROMPT_NO_TEXT = "The prompt must be a text, found {kind}."
PROMPT_EMPTY = "The prompt is empty: write a question, or the beginning of a text."
PROMPT_LONG = "The prompt has {length} characters: at most {most} are taken."
PROMPT_HALF = "The prompt holds half a character, as of an emoji that was cut in two: delete it."
FAILED = "The run failed: {error}"
QUEUE_FULL_OF = {
    "all": "The queue is full: {waiting} runs wait. Press Run again in a minute. Recorded runs and Learn need no turn.",
    "address": "{waiting} runs of your network address wait. This is the most. Press Run again when one of them is done.",
    "session": "A run of yours waits or decodes already. Stop it, or press again when it is done.",
}
BODY_LIMIT = "This is more than {most} MiB, the most that is taken at once."
MARKS_LIMIT = "This request has more than {most} values, the most that are taken at once."
BODY_KIB_LIMIT = "This is more than {most} KiB, the most that this function takes."
NUMBERS_LIMIT = "This request has numbers of hundreds of digits. No setting takes one."
FILES_LIMIT = "This request names more than {most} files."
NAME_LIMIT = "This request has a name of more than {most} characters."
MEMORY_LIMIT = "Too much is being sent at once. Try again in a moment."
GAVE_WAY = "The file arrived too slowly while others waited, so the upload was stopped. Send it again."
RUN_NOT_TAKEN = "The server did not take this run. Press Run again."
STREAMS_LIMIT = "Too many pages of your network address are open here. Close some of them."
WORK_LIMIT = "Too much is asked for from your network address at once. Try again in a moment."
STALLED = "The request stopped on its way. Send it again."
DISK_FULL = "The disk of this server is full, so nothing was kept. Its owner can free some space."
NO_ROUTE = "This server has no such page."
BODY_TEXT = "This request is not JSON in UTF-8."
FILE_ADDRESS = "A file is sent from your own machine. This server fetches nothing from an address."
PAGE_FOREIGN = (
    "This page was opened as {host}, a name that its server does not know, so its scripts were refused. "
    "Start the server with GRADIO_ROOT_PATH={origin} and with the option --hostname {host}."
)
PAGE_HIDDEN = (
    'This page is in a sandboxed frame, where it may load nothing. The frame needs: sandbox="allow-scripts allow-same-origin".'
)
FOREIGN_HOST = "This page is not served as “{host}”. Its owner can allow it: --hostname {host}."
FOREIGN_ORIGIN = "A page of {origin} asked for this. Only this server's own pages may."
HOST_MISSING = "This request does not name the host that it asks."
CALL_WRONG = "This call names no function of this page, or other values than it takes. GET /gradio_api/info lists them."
NO_MCP = "--mcp needs gradio's mcp extra: pip install -r requirements-mcp.txt."
RUNNING = "Running on {address}. Ctrl+C stops it."
RUNNING_LAN = "Other machines of this network open {address}."
PORT_IN_USE = 'Port {port} is in use. Choose another: --port {other} (make run ARGS="--port {other}"), or set GRADIO_SERVER_PORT.'

# What the run is doing, painted by assets/status.js.
STATUS = {
    "decode": "",
    "waiting": "",
    "place": "Waiting for its turn: {before} before yours",
    "place_wait": ", about {seconds} s",
    "meanwhile": "Meanwhile:",
    "meanwhile_recorded": "recorded runs",
    "meanwhile_learn": "Learn",
    "meanwhile_browser": "decode in my browser instead",
    "fetching": "Loading the models. If they are not here yet, they are fetched first: this can take minutes.",
    "lane_vanilla": "Without a draft",
    "lane_speculative": "With a draft",
    "running": "{lane}: {tokens} of {of} tokens.",
    "left": " About {left} s left.",
    "running_short": "{lane}: {tokens} of {of} tokens. {asked} were asked for; the context has room for no more.",
    "again": "Both lanes run once more, to see how sure their times are: {times} runs so far.",
    "opening": "Reading the file…",
    "linked": "",
    "stopping": "Stopping after this round…",
    "stopped": "Stopped. What was decoded is drawn below.",
    "stopped_long": "Stopped after {seconds} s, the longest run allowed here, since others wait. What was decoded is drawn below.",
    "closing": "This page is closing down, so the run ended early. Save it; nothing else is lost.",
    "never": "Stopped before anything was decoded.",
    "lost": "This page was loaded again during a run, so the run is lost. Press Run: the same seed writes the same tokens.",
}

# On a Space with ZeroGPU (specviz/zero.py): what a visitor reads where no GPU is to be had, and what to do
ZERO = {
    "not_here": "{models} is not loaded on this Space: choose {offered}. The owner of the Space names a pair with SPECVIZ_PAIR.",
    "too_long": "This run may take {asked} s of a GPU. At most {most} s are requested here: take fewer tokens, or a smaller K.",
    "illegal": "The platform does not give {asked} s of a GPU to one run: take fewer tokens, then press Run again.",
    "pending": "Other runs of yours hold the GPU time that you have left: wait until they have ended, then press Run again.",
    "quota": "Your GPU time for today is used up ({detail}). With a Hugging Face login you get more. Or come back tomorrow.",
    "queue": "No GPU became free within a minute. Press Run again later. With a Hugging Face login you wait less.",
    "late": "No GPU became free within a minute. Press Run again later.",
    "none": "No GPU is free now. Press Run again in a minute.",
    "token": "The page was open too long, and the platform no longer knows you. Reload it, then press Run again.",
    "killed": "The GPU was taken away during the run. Press Run again, with fewer tokens if it happens twice.",
    "exceeded": "The run took longer than the {asked} s requested, and was stopped. Take fewer tokens, then press Run again.",
    "failed": "There was no GPU, or it failed ({detail}). Press Run again in a minute.",
    "without": "Recorded runs and Learn need no GPU.",
}
