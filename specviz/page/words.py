"""Every sentence shown to the visitor. `{name}` marks what the run fills in; the page fills it in as text, never as markup."""

TITLE = "specviz"
TAGLINE = "Speculative decoding, token by token: something quick guesses ahead, the target model checks its guesses in one pass."

WATCH, LEARN = "Watch", "Learn"

PROMPT = "Prompt"
PROMPT_PLACEHOLDER = "The beginning of a story. Ctrl + Enter runs it."
EXAMPLES = (
    "Once upon a time, there was a little dog named",
    "Lily had a red kite. One windy day, she",
    "The capital of France is",
    "User: I want to listen to some music.\nAssistant:",
    "def add(a: int, b: int) -> int:\n    ",
    "3 + 4 = 7\n12 - 5 = 7\n6 + 6 =",
    "Tim has a ball. Tim has a hat. Tim has a dog. Tim has a ball. Tim has a hat. Tim has a",
)
RUN, STOP = "Run", "Stop"
SAVE, OPEN = "Save run", "Open run"
SAVE_ROUNDS, SAVE_HANDOUT = "Rounds as CSV", "Hand-out"
HANDOUT_TITLE = "specviz: {prompt}"
HANDOUT_NOTE = "One recorded run, measured {when}. This file needs no network and asks for none. Press Play, choose any token."
HANDOUT_NO_SCRIPT = "The run is drawn by a script that stands in this file: allow scripts to see it."
HANDOUT = {
    "draft": "draft",
    "verify": "target pass",
    "rest": "decide and the rest",
    "unit": "milliseconds of decoding",
    "label": "What each round spent on drafting, on the target's pass and on the rest",
    "bar": "round {round}: {part} {ms} ms",
}
FILE_OPENED = "The run of the file is shown. Prompt and settings above are still yours; a link carries those."
FILE_REFUSED = "The file was not opened. {error}"
DROP = {"cue": "Drop a saved run to open it"}
DROPPED = "Nothing was opened: drop one file, a run that was saved here."

# The timeline as a picture file.
PICTURES = {"png": "Timeline as PNG", "svg": "Timeline as SVG"}
PICTURED = "The timeline is saved as a picture."
NO_PICTURE = "There is no timeline to save yet."

# The runs of this visit, painted by assets/keep/history.js.
RUN_SHOWN = "A run of this visit is shown again. Prompt and settings above are still yours."
RUN_FORGOTTEN = "That run is no longer kept: only the last ones of this visit are."
HISTORY = {
    "title": "Runs of this visit",
    "empty": "Your runs are listed here while this page is open: show one again, or choose two to compare them.",
    "note": "The last {limit} at most, kept for this visit only.",
    "compare": "compare",
    "compare_this": "Compare the run of {time}",
    "time": "time",
    "source": "from",
    "run": "run here",
    "file": "file",
    "recorded": "recorded",
    "prompt": "prompt",
    "target": "target",
    "draft": "drafter",
    "K": "K",
    "temperature": "temperature",
    "top_p": "top-p",
    "top_k": "top-k",
    "max_new_tokens": "length limit",
    "seed": "seed",
    "verifier": "verifier",
    "confidence": "confidence",
    "adaptive": "adaptive K",
    "ignore_eos": "past the end",
    "stop": "stop strings",
    "device": "machine",
    "threads": "threads",
    "speedup": "speedup",
    "alpha": "α, mean of β",
    "accepted_of_tested": "accepted / tested",
    "tokens_per_forward": "tokens a target pass",
    "tokens_per_round": "tokens a round",
    "tokens_per_second": "tokens/s, decoding",
    "tokens": "tokens",
    "target_forwards": "target passes",
    "draft_forwards": "draft passes",
    "show": "Show",
    "show_this": "Show the run of {time} again",
    "clear": "Forget these runs",
    "choose_two": "Choose two runs to compare them.",
    "choose_one": "Choose one more to compare.",
    "first": "First, {time}",
    "second": "Second, {time}",
    "difference": "Second against first",
    "same": "same",
    "differs": "differs",
    "same_in_both": "Same in both:",
    "times": "{ratio} × the first",
    "yes": "yes",
    "no": "no",
    "nothing": "–",
    "machines": "The two were measured on different machines: compare counts and ratios, not times.",
    "other_prompt": "The prompts differ: so may the acceptance.",
}

# Runs that come with the app (scripts/traces.py records them): a short name, and a sentence on what to look at.
RECORDED_LIST = "Recorded runs"
RECORDED_NONE = "Recorded runs…"
RECORDED_SHOWN = "Recorded run “{title}”. {sentence}"
RECORDED_FIRST = "A recorded run, made on {device}. Press Run for one of your own."
RECORDED_BACK = "Back to my prompt and settings"
RECORDED_PUT_BACK = "Your prompt and settings are back."
RECORDED = {
    "opening": ("A story", "A small model drafts a story: some tokens stay, some go, and now and then one comes free."),
    "predictable": (
        "A predictable text",
        "At temperature 0 both lanes write the same text, and draft and target pick the same token most of the time.",
    ),
    "creative": ("Temperature 1", "Both lanes draw from p as it is: two samples of one distribution, so two different stories."),
    "hot": (
        "Temperature 1.5",
        "The same prompt, hotter: p and q are flatter and odd words appear, still exactly as often as p says.",
    ),
    "code": ("Code", "A small model drafts code: blanks and brackets are easy to guess, names are not."),
    "all-accepted": ("Accepted whole", "Most blocks stay whole, and each of those brings a bonus token from the same pass."),
    "rejected-first": (
        "Rejected at once",
        "The first draft token is rejected: the rest of its block is thrown away, and the residual gives the token that replaces it.",
    ),
    "poor-draft": (
        "A poor draft",
        "A bigram table knows one token back only: most blocks are cut short, and the text keeps its law.",
    ),
    "lookup": ("Prompt lookup", "Nothing guesses: what followed the same words earlier is copied, and checked like any draft."),
    # by `make bench-gpu`, where somebody has run it
    "gpu-predictable": (
        "On a GPU, temperature 0",
        "The bundled pair on a GPU: passes are so short that what lies between them counts.",
    ),
    "gpu-creative": (
        "On a GPU, temperature 1",
        "The bundled pair on a GPU, sampled: the same seed gives another text there than on a CPU.",
    ),
    "gpu-synthetic": (
        "8 billion weights (synthetic)",
        "A large public shape with random weights, and a draft that is right as often as a script says: the times are real, the text is not.",
    ),
}

# Links: /?prompt=…&K=4 fills in the page.
COPY_LINK = "Copy link"
LINK = {
    "copied": "The link is copied. Whoever opens it finds this prompt and these settings.",
    "refused": "The browser did not let the page copy. Here is the link:",
    "field": "Link to this prompt and these settings",
    "long": "The prompt is too long for a link: save the run and send the file.",
}
CHAPTER_READ = "Chapter {n} filled in the prompt and the settings. Run starts it; what is shown was made with others."
LINK_READ = "The link filled in the prompt and the settings. Run starts it; a run that stands here already was made with others."
LINK_PARTLY = "Not all of the link was used: {problems}."
LINK_VALUE = "“{field}” is {value}; it must be {bound}"
LINK_UNKNOWN = "there is no setting “{name}”"
LINK_ONE_OF = "one of {names}"
LINK_PROMPT = "a text of at most {most} characters"
LINK_MORE = "and {count} more"

# Ways to draft: a short name, and a sentence on what it is and where it comes from. A key without words is shown as itself.
DRAFTER = "How to draft"
DRAFTERS = {
    "small": (
        "Small model",
        "An independent model, a fraction of the target's size, guesses token by token (Leviathan et al. 2022, Chen et al. 2023).",
    ),
    "large": (
        "Large model",
        "A larger independent model, still smaller than the target: better guesses, each at a higher price "
        "(Leviathan et al. 2022, Chen et al. 2023).",
    ),
    "lookup": (
        "Prompt lookup",
        "No model: it copies what followed the same last tokens earlier in the text, and drafts nothing where there were none (Saxena 2023).",
    ),
    "bigram": (
        "Bigram table",
        "No model: counts of which token followed which in the training text (Leviathan et al. 2022, §4).",
    ),
    "early-exit": (
        "Early exit",
        "The target itself, left after its first layers and read with its own head (LayerSkip, Elhoushi et al. 2024).",
    ),
    "mtp": (
        "Multi-token heads",
        "Small modules on the target's hidden state, each guessing one token further, the last one again for longer blocks "
        "(DeepSeek-V3 report, §2.2).",
    ),
    "eagle": (
        "EAGLE head",
        "One layer over the target's own features guesses token by token (Li et al. 2024, 2025).",
    ),
    "oracle": (
        "Oracle",
        "The target drafts for itself: every guess is accepted and nothing is gained, since a guess costs as much as the answer.",
    ),
    "random": (
        "Random tokens",
        "Any token, each as likely as the next: hardly any is accepted, and the text is the target's all the same.",
    ),
}

MODELS = "Models"
MODELS_INFO = "Public pairs are fetched from the hub when you run them; everything else here needs no network."
BUNDLED = "{name}, in the repository"
NEEDS_NOTHING = "A small family trained for this page: one target, and every way to draft for it."
NEEDS = "{gigabytes} GB of {dtype} weights, licence {licence}."
NEEDS_LOGIN = " Gated: accept the licence on the hub and log in on the machine that runs this page."

K = "Drafted a round, K"
TEMPERATURE = "Temperature"
TOP_P = "Top-p"
LENGTH = "Length in tokens"
SEED = "Seed"
MORE = "More settings"
TOP_K = "Top-k, 0 is off"
STOP_STRINGS = "Stop strings, one a line"
VERIFIER = "Verifier"
VERIFIERS = [("rejection: keep x if u < p(x) / q(x)", "rejection"), ("match: keep x if the target draws x too", "match")]
IGNORE_EOS = "Run on past the end of the story"
CONFIDENCE = "Confidence needed to go on, 0 is off"
CONFIDENCE_INFO = "End a block after a token that the drafter gave less than this; that token stays."
ADAPTIVE = "Choose each round's K, up to K, by what was measured"

# A setting by its name in config.py → what its field is called on the page.
FIELDS = {
    "K": K,
    "temperature": TEMPERATURE,
    "top_p": TOP_P,
    "max_new_tokens": LENGTH,
    "seed": SEED,
    "top_k": TOP_K,
    "stop": STOP_STRINGS,
    "verifier": VERIFIER,
    "confidence": CONFIDENCE,
}
OUT_OF_BOUNDS = "“{field}” is {value}; it must be {bound}."
EMPTY = "empty"
PROMPT_EMPTY = "The prompt is empty: write the beginning of a story."
PROMPT_HALF = "The prompt holds half a character, as of an emoji that was cut in two: delete it."
FAILED = "The run failed: {error}"
PORT_IN_USE = 'Port {port} is in use. Choose another: make run ARGS="--port {other}", or set GRADIO_SERVER_PORT.'

# What the run is doing, painted by assets/status.js.
STATUS = {
    "waiting": "Waiting for its turn: one timed run at a time.",
    "starting": "Starting…",
    "fetching": "Loading the models, and fetching them first if they are not here yet: this can take minutes.",
    "running": "{lane}: {tokens} of {of} tokens",
    "opening": "Reading the file…",
    "linked": "",
    "stopping": "Stopping after this round…",
    "stopped": "Stopped. What had been decoded is drawn below.",
    "never": "Stopped before anything was decoded.",
}

# How a token is drawn that no draft token decided: its u is another one than the u that tests a draft token.
INVERSE = "A u of its own, {u}, drew it: p is summed up in the order of the vocabulary, and this token is where the sum passes u."

# Painted by assets/watch/*.js.
BROWSER = {
    # the head of the race
    "race": "The race",
    "empty": "Press Run: the target model alone, then the target with a drafter continue your prompt, one after the other, timed alike. "
    "Then both are replayed here side by side, as measured.",
    "under_way": "Decoding: the target alone, then the target with a drafter. Both are replayed here as soon as they are done.",
    "earlier": "Below is an earlier run, not the one that was just asked for.",
    "awaited": "The result stands here at the end of the replay.",
    "kind_faster": "as fast as the target alone",
    "kind_slower": "as fast as the target alone: slower here",
    "kind_level": "as fast: no clear difference",
    "kind_alike": "same work: only noise",
    "no_speedup": "No speedup to give: one lane did not decode.",
    "decoding_only": "Decoding only, {vanilla} → {speculative} tokens/s. With prefill {end_to_end}.",
    "passes": "{speculative} passes of the target instead of {vanilla}.",
    "passes_partial": "{speculative} passes of the target for {tokens} tokens.",
    "same": "Both lanes wrote the same {count} tokens.",
    "greedy_differs": "The texts part at token {at}, {x} against {y}. Greedy lanes should agree: a near-tie flipped between the one-token and the block pass.",
    "greedy_logits": "The texts part at token {at}, {x} against {y}. A pass over one token gives them the logits {alone_vanilla} and {alone_speculative}, "
    "the pass over the block {block_vanilla} and {block_speculative}: it runs other kernels, which sum in another order, and a near-tie flips.",
    "sampled_differs": "The texts part at token {at}, {x} against {y}: two samples of one distribution.",
    "prefix": "The texts agree as far as both go ({count} tokens).",
    "partial": "A lane was stopped: its numbers are of what it had done.",
    "context_full": "The target's context was full after {tokens} tokens, before the {asked} that were asked for.",
    "undrafted": "In {part} of {whole} rounds nothing was drafted: one pass, one token.",
    "undrafted_all": "The drafter never had anything to propose: one pass, one token, all along.",
    # lanes
    "vanilla": "Vanilla",
    "vanilla_note": "target alone, one token a pass",
    "speculative": "Speculative",
    "note_zero": "K = 0: nothing is drafted",
    "note_model": "{draft} drafts {block}, {check}",
    "note_table": "{draft} drafts {block}, {check}",
    "note_target": "the target itself drafts {block}, {check}",
    "note_layers": "the {draft} draft {block}, {check}",
    "note_heads": "heads on the target draft {block}, {check}",
    "note_eagle": "an EAGLE head drafts {block}, {check}",
    "note_lookup": "{block} copied from the text, {check}",
    "note_bigram": "a bigram table drafts {block}, {check}",
    "note_random": "{block} drawn at random, {check}",
    "block": "{K} tokens",
    "block_one": "one token",
    "block_most": "up to {K} tokens",
    "check": "one target pass checks them all",
    "check_one": "one target pass checks it",
    "rate": "tokens/s",
    "counter": "tokens {tokens} · target passes {passes}",
    "clock": "{now} of {whole} ms",
    "never_began": "This lane did not begin.",
    "token_label": "{text}, {word}, round {round}",
    "prompt_label": "{text}, prompt",
    "ended_eos": "ended: end of text",
    "ended_length": "ended: length limit",
    "ended_context": "ended: context full",
    "ended_stop": "ended: stop string",
    "ended_cancelled": "stopped by you",
    "ended_error": "ended by an error: {detail}",
    # player
    "play": "Play",
    "pause": "Pause",
    "restart": "Restart",
    "scrub": "Time in the replay",
    "speed": "Replay speed",
    "speed_1": "real time",
    "speed_2": "1/2",
    "speed_4": "1/4",
    "speed_10": "1/10",
    "speed_step": "step by step",
    "takes": "{ms} ms shown in {seconds} s",
    "takes_step": "not to scale: {seconds} s for each moment",
    "keys": "Space plays, ← → a round, Shift ← → a phase",
    "keys_token": "Space plays, ← → choose a token, Esc goes back to rounds",
    "hide": "hide what was rejected",
    # where the replay stands
    "steps": "Rounds and phases",
    "round_of": "round {round} of {rounds}",
    "round_back": "one round back",
    "round_on": "one round on",
    "phase_back": "one phase back",
    "phase_on": "one phase on",
    "with_key": "{what} ({key})",
    "phase_draft": "draft",
    "phase_verify": "verify",
    "phase_decide": "decide",
    "phase_emit": "emit",
    "at": "round {round} · {phase}: {what}",
    "at_over": "all {rounds} rounds are done",
    "at_draft": "{i} of {n} tokens drafted",
    "at_verify": "one target pass checks {n} tokens",
    "at_verify_one": "one target pass checks 1 token",
    "at_pass": "nothing drafted, one token a pass",
    "at_decide": "from left to right, u against p/q",
    "at_decide_greedy": "is each the target's own pick?",
    "at_decide_match": "did the verifier draw the same?",
    "at_emit_corrected": "{kept} kept, one corrected: {out} out",
    "at_emit_bonus": "all {kept} kept and a bonus: {out} out",
    "at_emit_plain": "one token out",
    "at_emit_ended": "{out} out, then the run ends",
    # the caches
    "cache_title": "KV caches in round {round}",
    "cache_target": "target",
    "cache_draft": "draft",
    "cache_more": "… {n} more",
    "cache_cell": "position {at}: {text}",
    "cache_row": "{model} cache, positions held: {steps}",
    "cache_held": "held",
    "cache_appended": "appended",
    "cache_rolled": "rolled back",
    "cache_missing": "not read yet",
    "cache_drafting": "The draft's cache grows by what it reads to draft; the target's waits for the pass.",
    "cache_waits": "The target's cache waits for the pass; the drafter keeps none.",
    "cache_pass": "The pass appended {n} positions: the last token of the text, then the block.",
    "cache_pass_one": "The pass appended 1 position: the last token of the text.",
    "cache_gone": "{n} positions are rolled back: what was worked out for tokens that did not stay is forgotten.",
    "cache_gone_one": "1 position is rolled back: what was worked out for a token that did not stay is forgotten.",
    "cache_kept": "The target rolls nothing back: all of the block stayed.",
    "cache_plain": "One position is added, nothing is rolled back.",
    "cache_lacks": "The draft lags {n} tokens behind: the last it never read, and what it read of the block without the target's features it forgets. It reads them first when it drafts again.",
    "cache_lacks_one": "The draft lacks the last accepted token: it proposed it but never read it. It reads it first when it drafts again.",
    "cache_behind": "The draft lags behind the text, since it drafted nothing here. It reads what it lacks first when it drafts again.",
    # inspector
    "details": "p and q ↓",
    "inspector": "Inspector",
    "choose": "Choose a token in either lane to see how it was decided.",
    "where_draft": "round {round}, draft token {i} of {K}",
    "where_after": "round {round}",
    "in_prompt": "{x} is part of the prompt: both lanes begin after it.",
    "kept_sure": "{x} stays. The target gives it no less than the draft does, so whatever u is, it is kept.",
    "kept_lucky": "{x} stays. The target gives it less than the draft does, so it is kept with chance p/q = {ratio}; u = {u} fell below that.",
    "kept_match": "{x} stays. The verifier drew a token of its own from p, and it was the same one.",
    "kept_greedy": "{x} stays: draft and target pick the same token. At temperature 0, p and q are one-hot and no uniform is drawn.",
    "rejected": "{x} goes. It would be kept with chance p/q = {ratio}, but u = {u} is not below that. {y} takes its place, drawn from the residual.",
    "rejected_match": "{x} goes. The verifier drew a token of its own from p, and it was {y}.",
    "rejected_greedy": "{x} goes: the target picks {y}. At temperature 0, p and q are one-hot and no uniform is drawn.",
    "rejected_last": "{x} goes, and the run ended there.",
    "unexamined": "{x} was never examined. The rejected {y} stood before it, and everything drafted after a rejection is thrown away. "
    "The same pass had already worked out p(x) = {p}, but as the next token after text that ends in the rejected one: of no use now.",
    "unexamined_ended": "{x} was never examined: the run ended on a token before it.",
    "corrected": "{x} replaces the rejected {y}. It was drawn from the residual: what p has and q has not, scaled up to 1.",
    "corrected_match": "{x} is what the verifier drew from p where the draft had said {y}.",
    "corrected_greedy": "{x} is the target's own pick where the draft had said {y}.",
    "bonus": "{x} came free: every draft token was kept, and the same pass of the target held p for one position more. "
    + INVERSE,
    "bonus_match": "{x} came free: every draft token was kept, and the verifier had drawn one more from p.",
    "bonus_greedy": "{x} came free: every draft token was kept, and the same pass gave the target's pick for one position more.",
    "plain": "{x} was drawn from p: one whole pass of the target, one token. " + INVERSE,
    "plain_undrafted": "{x} was drawn from p. Nothing was drafted in this round, so a whole pass of the target gave one token. "
    + INVERSE,
    "plain_undrafted_greedy": "{x} is the target's pick. Nothing was drafted in this round, so a whole pass of the target gave one token.",
    "plain_greedy": "{x} is the target's pick: p is one-hot. One whole pass of the target, one token.",
    "not_observed": "p and q were not recorded at this position.",
    "bars_title": "p and q at this position",
    "save_bars": "Save as picture",
    "bars_title_p": "p at this position",
    "p": "p, target",
    "q": "q, draft",
    "shared": "min(p, q)",
    "beta": "β = Σ min(p, q) = {beta}: the shared part, the chance to stay.",
    "beta_match": "β = Σ min(p, q) = {beta} is what the rejection rule would keep here. Under match a drafted x stays with chance p(x), all in all with Σ p·q: {overlap} over the tokens recorded here.",
    "rest": "the rest",
    "u_title": "u against p/q",
    "u_keep": "keep",
    "u_reject": "reject",
    "u_any": "p/q = {ratio}, at least 1: any u keeps it",
    "u_line": "p/q = {ratio}",
    "u_mark": "u = {u}",
    "try_u": "Try another u",
    "try_value": "u = {u}: {verdict}",
    "try_hint": "What if u had been another one? Move the handle.",
    "try_back": "back to the real u",
    "try_same_sure": "u = {u}: kept all the same. p/q is at least 1, so no u can reject {x}.",
    "try_same_kept": "u = {u}: kept all the same, it is below p/q = {ratio}.",
    "try_same_rejected": "u = {u}: rejected all the same, it is not below p/q = {ratio}.",
    "try_kept": "u = {u}: the verdict changes, {x} would stay, since u is below p/q = {ratio}. Nobody knows what would have come next: it was never decoded.",
    "try_rejected": "u = {u}: the verdict changes, {x} would go, and with it the {n} drafted after it. The residual would give another token; which one was never decoded.",
    "try_rejected_end": "u = {u}: the verdict changes, {x} would go. The residual would give another token; which one was never decoded.",
    "rest_title": "Thrown away after it",
    "rest_pq": "p {p} · q {q}",
    "rest_note": "p comes from the same pass, but is p after a text that ends in the rejected token: no longer of use.",
    "residual_title": "Residual: norm(max(p − q, 0))",
    "residual_note": "What p has and q has not: {mass} of p, scaled up to 1.",
    "landed": "drawn",
    "landed_elsewhere": "What was drawn is among the rest: {x}",
    "round_times": "This round: draft {draft} · target pass {verify} · decide {decide} · rest {rest} ms.",
    "round_cache": "Target cache: {before} before the pass, {peak} after it, {after} after the rollback.",
    "round_cache_draft": "Draft cache: {before}, {peak}, {after}.",
    "round_cache_why": "Positions in a cache: it keeps what a model has worked out for each token; the rollback forgets those of tokens that did not stay.",
    "entropies": "Entropy of p {p}, of q {q} nats.",
    "entropy": "Entropy of p {p} nats.",
    # numbers
    "numbers": "Numbers of this run",
    "set_draft": "drafter {draft}",
    "set_K": "K = {K}",
    "set_temperature": "temperature {temperature}",
    "set_top_p": "top-p {top_p}",
    "set_top_k": "top-k {top_k}",
    "set_seed": "seed {seed}",
    "set_length": "at most {max_new_tokens} tokens",
    "set_match": "match verifier",
    "set_confidence": "confidence {confidence}",
    "set_adaptive": "adaptive K",
    "set_ignore_eos": "past the end of the text",
    "set_stop": "stop strings {stop}",
    "set_created": "measured {created}",
    "n_tokens": "tokens",
    "n_decode": "decoding, ms",
    "n_rate": "tokens/s, decoding",
    "n_rate_all": "tokens/s, with prefill",
    "n_prefill": "prefill, ms",
    "n_forwards": "target passes",
    "n_draft_forwards": "draft passes",
    "n_per_round": "tokens a round, mean",
    "n_drafted": "drafted a round, mean",
    "f_speedup": "measured speedup",
    "f_speedup_is": "Tokens a second of the speculative lane ÷ those of the target alone: decoding only, both measured in this run.",
    "f_per_forward": "tokens a target pass",
    "f_per_forward_is": "Tokens written ÷ passes of the target. It counts work, not time: the machine does not change it.",
    "a_drafted": "accepted / drafted",
    "a_drafted_is": "Of all tokens drafted, the share that stayed. Those behind a rejection count as lost.",
    "a_tested": "accepted / tested",
    "a_tested_is": "Of the draft tokens that were examined, the share that stayed. A round is examined up to its first rejection.",
    "a_alpha": "α, mean of β",
    "a_alpha_is": "The mean of β = Σ min(p, q) where a draft token was examined: its chance to stay, before u is drawn. This is the papers' α.",
    "a_match": "Verified by match, which keeps Σ p·q of a draft: α is what the rejection rule would have kept.",
    "a_of": "{part} of {whole}",
    "a_positions": "over {n} positions",
    "f_c": "c, price of a draft token",
    "f_c_is": "Median time to draft one token ÷ median target pass over one token (vanilla lane). No K pays unless c is below α.",
    "f_v": "v, price of the check",
    "f_v_note": "for {n} tokens",
    "f_v_is": "Median target pass over a full block of {n} tokens ÷ median pass over one. At 1 checking a whole block costs no more than one token.",
    "f_predicted": "predicted speedup",
    "f_predicted_note": "{part} reached",
    "f_predicted_is": "{tokens} tokens a round ÷ ({drafted} drafted · c + a pass of that length, between 1 and v). It leaves out overhead, deciding and bookkeeping: here {rest} of the {cost} steps that a round costs.",
    "f_best": "best K, by α",
    "f_best_is": "The K for which α = {alpha}, c and v of this run promise most, {speedup}, if each draft token stays with chance α whatever the others did.",
    "f_best_zero": "At α = {alpha}, c and v of this run no K promises a speedup: better not to draft.",
    "f_best_none": "No draft token was examined: there is no α to reckon with.",
    "f_texts": "the two texts",
    "f_same": "identical",
    "f_parts": "part at token {at}",
    "f_prefix": "agree so far",
    # why it was fast or slow; a step is one token of the vanilla lane, overhead included
    "why_faster": "Faster, because a round brings {tokens} tokens and costs only {cost} steps of the target alone: {draft} to draft, {verify} to verify, {rest} for the rest.",
    "why_level": "No gain: a round brings {tokens} tokens, and costs as much, {cost} steps of the target alone: {draft} to draft, {verify} to verify, {rest} for the rest.",
    "why_slower": "Slower, because a round brings {tokens} tokens but costs {cost} steps of the target alone: {draft} to draft, {verify} to verify, {rest} for the rest.",
    "limit_alpha": "What holds it back most is acceptance: of {drafted} tokens drafted a round {kept} stay.",
    "limit_undrafted": "What holds it back most is that little is drafted: {drafted} tokens a round where {most} are allowed, none at all in {empty} of {rounds} rounds.",
    "limit_c": "What holds it back most is c: a draft token costs {c} of a target pass, and a round drafts {drafted}.",
    "limit_v": "What holds it back most is v: checking {n} tokens at once costs {v} passes over one.",
    "limit_rest": "What holds it back most is overhead: deciding and bookkeeping take {rest} steps a round.",
    "missing_zero": "K = 0: nothing is drafted, so there is no c, no v and nothing to predict.",
    "missing_lane": "One lane did not decode: there is nothing to compare it with.",
    "missing_undrafted": "The drafter proposed nothing in this run, so there is no c, no v and nothing to predict.",
    "missing_clock": "The times of this run are zero: there is nothing to divide by.",
    "split": "Where the time went",
    "split_is": "Both lanes on one scale, all rounds summed; prefill and recording are not in it.",
    "s_draft": "draft",
    "s_verify": "target pass",
    "s_decide": "decide",
    "s_rest": "rest",
    "ms": "{ms} ms",
    "observed": "Recording p and q took {ms} ms more, outside the timed part.",
    "captured": "Recording CUDA graphs, once for a shape, took {ms} ms, apart from all other times.",
    "eager": "Slower than this device allows: {why}.",
    "machine": "{device}, {threads} threads · torch {torch}",
    "machine_one": "{device}, one thread · torch {torch}",
    "models_alone": "target {target} ({target_m} M) · {dtype}",
    "models_model": "target {target} ({target_m} M) · draft {draft} ({draft_m} M) · {dtype}",
    "models_target": "target {target} ({target_m} M), which drafts too · {dtype}",
    "models_layers": "target {target} ({target_m} M), whose {draft} draft · {dtype}",
    "models_heads": "target {target} ({target_m} M) · heads {draft} ({draft_m} M more) · {dtype}",
    "models_eagle": "target {target} ({target_m} M) · EAGLE head {draft} ({draft_m} M more) · {dtype}",
    "models_lookup": "target {target} ({target_m} M) · drafts copied from the text, no model · {dtype}",
    "models_bigram": "target {target} ({target_m} M) · bigram table {draft} ({entries} counts), no model · {dtype}",
    "models_table": "target {target} ({target_m} M) · drafts from {draft}, no model · {dtype}",
    "models_random": "target {target} ({target_m} M) · drafts drawn at random, no model · {dtype}",
    # names of what cannot be seen
    "newline": "new line",
    "space": "space",
    "spaces": "{n} spaces",
    "none": "–",
}
