"""A draft writes K tokens and keeps their q."""

from ..chapter import STORY, Chapter, Exercise, Question, Run, Runs, is_accepted_whole, models, q_entropy, scene

ANSWER = "question"  # of the assistant, above temperature 0: at 0 no p has an entropy


def excerpt(runs: Runs) -> dict | None:
    view = scene({name: run for name, run in runs.items() if name != ANSWER}, is_accepted_whole, "opening", best=_spread)
    return view and {**view, "answer": _answer(runs[ANSWER])}


def _answer(run: Run) -> dict:
    """A run's rounds with what its tokens are shaded by: entropies and verdicts."""

    def entropies(position: dict | None) -> dict | None:
        return position and {name: position[name] for name in ("p_entropy", "q_entropy")}

    rounds = [
        {
            "drafted": [{"verdict": d["verdict"], "position": entropies(d["position"])} for d in round_["drafted"]],
            "emitted": [{"position": entropies(e["position"])} for e in round_["emitted"]],
            "shown": [{name: s[name] for name in ("text", "role", "drafted", "emitted")} for s in round_["shown"]],
        }
        for round_ in run["lanes"]["speculative"]["rounds"]
    ]
    return {**models(run), "asked": run["header"]["prompt"], "rounds": rounds}


def _spread(round_: dict) -> float:
    """How much a draft had to choose from: the entropy of its most certain position."""
    return min(q_entropy(d["position"]) or 0.0 for d in round_["drafted"])


CHAPTER = Chapter(
    key="draft",
    short="Draft",
    title="Drafting",
    text=(
        "A draft is often a smaller model of the same family, or trained on the target's answers (distillation). It writes K tokens, with one small pass for each. Each token is drawn from the draft's own distribution q. We keep q, "
        "because the target's check needs it.",
        "In this run one draft step takes c = {c} of a target pass. The tokens are guesses. Nothing is decided yet.",
    ),
    question=Question(
        "One draft step takes c = 0.1 of a target pass, and K = 4. How long does drafting the block take?",
        ("0.1 of a target pass", "0.4 of a target pass", "4 target passes"),
        1,
        "Each drafted token needs its own step, since a step reads the token before it: 4 × 0.1.",
    ),
    go="Watch long blocks: K = 8. See how many drafted tokens are thrown away.",
    settings={"prompt": STORY, "drafter": "small", "K": "8", "temperature": "0.8", "length": "96"},
    notes=(
        "p and q are always meant after temperature, top-k and top-p. At temperature 0 both are one-hot.",
        "The test divides p(x) by q(x) for the same token x. So target and draft share one tokenizer here. Their vocabularies may differ in "
        "size: Qwen has 151,936 and 152,064 ids with one tokenizer. Some engines translate between two tokenizers.",
        "Let the class guess the next word before each step. They are a draft too.",
    ),
    sources=("leviathan", "here"),
    exercise=Exercise(
        (
            "q gives four tokens the probabilities 0.7, 0.15, 0.1 and 0.05. The draft model draws 1,000 times. How often does each token come, "
            "on average?",
            "K = 8 and c = 0.12. How many target passes does drafting take?",
        ),
        ("700, 150, 100 and 50 times.", "8 × 0.12 = 0.96: almost one target pass."),
        ("say what q is and where a drafted token comes from", "calculate the time of drafting from K and c"),
    ),
    excerpt=excerpt,
    runs=(ANSWER,),
    words={
        "draft_view": "A block",
        "hard_view": "Easy and hard tokens",
        "q_here": "q, the draft's distribution for the next token",
        "drawn": "drawn",
        "draft_look": "Draft step {i} of {K}: the draft gives q for the next token.",
        "draft_draw": "{x} is drawn from q, with q(x) = {q}. It joins the block as a guess.",
        "draft_done": "The block is full: {K} guesses. Drafting took {ms} ms. The target's next pass will take {verify} ms.",
        "hard_asked": "“{asked}”",
        "hard_p": "{target} answers. The shade is the entropy of p: how many tokens the target found likely at each place.",
        "hard_easy": "Pale places are easy: often grammar or the words before leave one choice (entropy below 0.1 nats). Of {of} guesses tested there, {accepted} were accepted.",
        "hard_hard": "Hatched places are hard: several tokens were likely (entropy of 1 nat or more). Of {of} guesses tested there, {accepted} were accepted.",
        "hard_q": "Now the shade is the entropy of q: how unsure {draft} was. It is small, so it is also unsure at places that are easy for the target.",
        "hard_where": "Recorded: {target} with {draft} at temperature {temperature} on {device}. A struck token was rejected. The answer is wrong: the model is small.",
    },
)
