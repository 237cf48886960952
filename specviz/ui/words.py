"""Every sentence shown to the visitor. `{name}` marks what the run fills in; the page fills it in as text, never as markup."""

TITLE = "specviz"
TAGLINE = "Speculative decoding, token by token: a small draft model guesses ahead, the target checks its guesses in one pass."

PROMPT = "Prompt"
PROMPT_PLACEHOLDER = "The beginning of a story. Ctrl + Enter runs it."
EXAMPLES = (
    "Once upon a time, there was a little dog named",
    "Lily and Tom went to the park.",
    "One day, a big bear found a",
    '"Look, Mom!" said',
)
RUN, STOP = "Run", "Stop"
PAIR = "Models: {pair}"

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

PROMPT_EMPTY = "The prompt is empty: write the beginning of a story."
FAILED = "The run failed: {error}"
PORT_IN_USE = "Port {port} is in use. Choose another: python app.py --port {other}, or set GRADIO_SERVER_PORT."

# What the run is doing, painted by assets/status.js.
STATUS = {
    "waiting": "Waiting for its turn: one timed run at a time.",
    "starting": "Starting…",
    "running": "{lane}: {tokens} of {of} tokens",
    "stopping": "Stopping after this round…",
    "stopped": "Stopped. What had been decoded is drawn below.",
    "never": "Stopped before anything was decoded.",
}

# Painted by assets/player/*.js.
BROWSER = {
    # the head of the race
    "empty": "Press Run: the target model alone and the speculative pair continue your prompt, one after the other, timed alike. "
    "Then both are replayed here side by side, as measured.",
    "faster": "as fast as the target alone",
    "slower": "as fast as the target alone: slower here",
    "level": "as fast as the target alone",
    "no_speedup": "No speedup to give: one lane did not decode.",
    "decoding_only": "Decoding only, {vanilla} → {speculative} tokens/s. With prefill {end_to_end}.",
    "passes": "{speculative} passes of the target instead of {vanilla}.",
    "passes_partial": "{speculative} passes of the target for {tokens} tokens.",
    "same": "Both lanes wrote the same {count} tokens.",
    "greedy_differs": "The texts part at token {at}. Greedy lanes should agree: a near-tie flipped between the one-token and the block pass.",
    "sampled_differs": "The texts part at token {at}: two samples of the same distribution are two different texts.",
    "prefix": "The texts agree as far as both go ({count} tokens).",
    "partial": "A lane was stopped: its numbers are of what it had done.",
    # lanes
    "vanilla": "Vanilla",
    "vanilla_note": "target alone, one token a pass",
    "speculative": "Speculative",
    "speculative_note": "draft {K} tokens, one target pass checks them all",
    "speculative_note_zero": "K = 0: nothing is drafted",
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
    "takes": "{ms} ms shown in {seconds} s",
    "keys": "Space plays, ← → step a round",
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
    "unexamined": "{x} was never examined. {y}, before it, was rejected, and everything drafted after a rejection is thrown away. "
    "The same pass had already worked out p(x) = {p}.",
    "unexamined_ended": "{x} was never examined: the run ended on a token before it.",
    "corrected": "{x} replaces the rejected {y}. It was drawn from the residual: what p has and q has not, scaled up to 1.",
    "corrected_match": "{x} is what the verifier drew from p where the draft had said {y}.",
    "corrected_greedy": "{x} is the target's own pick where the draft had said {y}.",
    "bonus": "{x} came free: every draft token was kept, and the same pass of the target held p for one position more. u = {u} drew it.",
    "bonus_match": "{x} came free: every draft token was kept, and the verifier had drawn one more from p.",
    "bonus_greedy": "{x} came free: every draft token was kept, and the same pass gave the target's pick for one position more.",
    "plain": "{x} was drawn from p with u = {u}. One whole pass of the target, one token.",
    "plain_greedy": "{x} is the target's pick: p is one-hot. One whole pass of the target, one token.",
    "not_observed": "p and q were not recorded at this position.",
    "bars_title": "p and q at this position",
    "bars_title_p": "p at this position",
    "p": "p, target",
    "q": "q, draft",
    "shared": "min(p, q)",
    "beta": "β = Σ min(p, q) = {beta}: the shared part, the chance to stay.",
    "rest": "the rest",
    "scale_note": "bars end at {top}",
    "u_title": "u against p/q",
    "u_keep": "keep",
    "u_reject": "reject",
    "u_any": "p/q = {ratio}, at least 1: any u keeps it",
    "u_line": "p/q = {ratio}",
    "u_mark": "u = {u}",
    "residual_title": "Residual: norm(max(p − q, 0))",
    "residual_note": "What p has and q has not: {mass} of p, scaled up to 1.",
    "landed": "drawn",
    "landed_elsewhere": "{x}, among all other tokens, was drawn.",
    "round_times": "This round: draft {draft} · target pass {verify} · decide {decide} · rest {rest} ms.",
    "round_cache": "Target cache: {before} positions, {peak} after the pass, {after} after the rollback.",
    "round_cache_draft": "Draft cache: {before}, {peak}, {after}.",
    "entropies": "Entropy of p {p}, of q {q} nats.",
    "entropy": "Entropy of p {p} nats.",
    # numbers
    "numbers": "Numbers of this run",
    "n_tokens": "tokens",
    "n_decode": "decoding, ms",
    "n_rate": "tokens/s, decoding",
    "n_rate_all": "tokens/s, with prefill",
    "n_prefill": "prefill, ms",
    "n_forwards": "target passes",
    "n_draft_forwards": "draft passes",
    "n_per_forward": "tokens a target pass",
    "n_per_round": "tokens a round, mean",
    "acceptance": "Acceptance, three definitions",
    "a_drafted": "accepted / drafted",
    "a_tested": "accepted / tested",
    "a_alpha": "α, mean of β",
    "a_of": "{part} of {whole}",
    "a_positions": "over {n} positions",
    "split": "Where the time went",
    "s_draft": "draft",
    "s_verify": "target pass",
    "s_decide": "decide",
    "s_rest": "rest",
    "ms": "{ms} ms",
    "observed": "Recording p and q took {ms} ms more, outside the timed part.",
    "machine": "{device}, {threads} threads · torch {torch}",
    "models": "target {target} ({target_m} M) · draft {draft} ({draft_m} M) · {dtype}",
    "models_alone": "target {target} ({target_m} M) · {dtype}",
    # names of what cannot be seen
    "newline": "new line",
    "space": "space",
    "spaces": "{n} spaces",
    "none": "–",
}
