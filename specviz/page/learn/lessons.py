"""The chapters of Learn: texts, questions, answers, notes for the teacher, sources. What stands around them: words.py.

`{name}` marks what the page fills in from a recorded run, as text. Numbers that were published stand here with their source;
numbers that were measured never do.
"""

from dataclasses import asdict, dataclass

from .words import PAGE, WAYS


@dataclass(frozen=True, slots=True)
class Question:
    """Predict, then reveal. `right` counts from 0."""

    ask: str
    choices: tuple[str, ...]
    right: int
    why: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One idea, one screen. `settings`: what "Try it in Watch" sets there, by the names of specviz/page/keep/links.py."""

    key: str  # of its picture, in excerpts.py and assets/learn
    short: str
    title: str
    text: tuple[str, ...]
    question: Question
    go: str
    settings: dict[str, str]
    notes: tuple[str, ...]
    sources: tuple[str, ...]


SOURCES = {
    "leviathan": "Leviathan, Kalman, Matias 2022, arXiv 2211.17192",
    "chen": "Chen et al. 2023, arXiv 2302.01318",
    "medusa": "Medusa, Cai et al. 2024",
    "eagle": "EAGLE, EAGLE-2, EAGLE-3, Li et al. 2024–2025",
    "layerskip": "LayerSkip, Elhoushi et al. 2024",
    "deepseek": "DeepSeek-V3 report, 2024",
    "lookup": "Prompt lookup decoding, Saxena 2023",
    "specbench": "Spec-Bench, Xia et al. 2024",
    "vllm": "vLLM project, 2024",
    "here": "recorded with {target} and {draft} on {device}",
    "alone": "recorded with {target} on {device}",
}

STORY = "Once upon a time, there was a little dog named"
COPY = "Tim has a ball. Tim has a hat. Tim has a dog. Tim has a ball. Tim has a hat. Tim has a"

CHAPTERS = (
    Chapter(
        key="alone",
        short="Alone",
        title="One token at a time",
        text=(
            "A language model writes one token per pass, and each pass reads all its weights: {megabytes} MB for {target}, for two "
            "operations with each weight.",
            "A large model spends most of that time waiting for memory. A pass over several tokens reads the weights once for all of "
            "them: more arithmetic, little more time. That idle arithmetic is what speculative decoding uses.",
        ),
        question=Question(
            "A pass over 8 tokens does 8 times the arithmetic of a pass over one. How long does it take on this machine?",
            ("8 times as long", "Less than 8 times as long", "Exactly as long"),
            1,
            "The weights are read once for all eight. How much that saves depends on the model and the machine: measure it.",
        ),
        go="Watch the target work alone in both lanes: K = 0.",
        settings={"prompt": STORY, "drafter": "small", "K": "0", "temperature": "0", "length": "48"},
        notes=(
            "Ask first: what does the machine do between two tokens? Then press Measure. The gap between bar and outline is the room "
            "that speculative decoding lives in.",
            "On a large GPU t(16) is close to t(1). On a CPU with a small model the bars grow: v is above 1, and the gain is less.",
        ),
        sources=("leviathan", "alone"),
    ),
    Chapter(
        key="guess",
        short="Guess",
        title="Guess, then check",
        text=(
            "A processor that waited at every branch would stand idle. So it guesses the way, runs ahead, and keeps the work if the "
            "guess was right. If not, it throws that work away: time lost, nothing wrong.",
            "Speculative decoding does this with text. A quick draft guesses the next tokens, the target checks them, and what fails "
            "is thrown away.",
        ),
        question=Question(
            "The draft guesses badly all the time. What suffers?",
            ("The text", "The speed", "Both"),
            1,
            "No token stays unless the target's check lets it. Bad guesses cost time, arithmetic and energy; the text they cannot touch.",
        ),
        go="Watch random tokens as a draft: slow, and the text is the target's all the same.",
        settings={"prompt": STORY, "drafter": "random", "K": "4", "temperature": "0", "length": "48"},
        notes=(
            "The paper names speculative execution in processors as its model (section 1).",
            "The likeness ends in one place: a branch is right or wrong, while a draft token may be kept by chance. Chapter 5 says how.",
        ),
        sources=("leviathan", "here"),
    ),
    Chapter(
        key="draft",
        short="Draft",
        title="Drafting",
        text=(
            "The draft model writes K tokens, one small pass each. Every token is drawn from the draft's own distribution q, and q is "
            "kept: the check will need it.",
            "In this run one draft step costs c = {c} of a target pass. The tokens are guesses; nothing is decided yet.",
        ),
        question=Question(
            "This check asks for a draft and a target with one tokenizer. Why?",
            ("The draft would be too slow otherwise", "So that p and q speak of the same tokens", "To save memory"),
            1,
            "The check divides p(x) by q(x) for one and the same token x. Models of one family share a tokenizer, even where the sizes "
            "of their vocabularies differ: Qwen has 151,936 and 152,064 ids with one tokenizer. With two tokenizers another check is needed, "
            "which goes by way of the text.",
        ),
        go="Watch long blocks: K = 8. Look at how many drafts are thrown away.",
        settings={"prompt": STORY, "drafter": "small", "K": "8", "temperature": "0.8", "length": "96"},
        notes=(
            "p and q are meant after temperature, top-k and top-p. At temperature 0 both are one-hot.",
            "Let the class guess the next word before each step: they are a draft model too.",
        ),
        sources=("leviathan", "here"),
    ),
    Chapter(
        key="verify",
        short="Verify",
        title="One pass verifies all",
        text=(
            "The target reads the block at once: the last token of the text and all K drafts, in one pass. After each of them it gives "
            "p for the next token, so K + 1 distributions come out together.",
            "Alone, K + 1 tokens take K + 1 passes. The lengths below are to scale: the times of this recorded run.",
        ),
        question=Question(
            "K = 4. How many distributions p come out of the verifying pass?",
            ("1", "4", "5"),
            2,
            "One to test each draft token, and one for the position after the last: chapter 7 shows what that one is for.",
        ),
        go="Watch K = 4, and the lengths of the passes on the timeline.",
        settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "0.8", "length": "96"},
        notes=(
            "This is how a prompt is read too: all positions in one pass, each seeing only what stands before it.",
            "v is the length of this pass over a one-token pass. The papers take v = 1; here it is measured.",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="accept",
        short="Accept",
        title="Accept or reject",
        text=(
            "Each draft token x is tested with a coin: draw u between 0 and 1, keep x if u < p(x)/q(x). Where the target gives x no "
            "less than the draft did, x always stays.",
            "Before x is drawn, the chance that it will stay is the overlap β = Σ min(p, q). The first rejection ends the block.",
        ),
        question=Question(
            "p(x) = 0.3 and q(x) = 0.6. How often is a drafted x kept?",
            ("Never", "3 times in 10", "Half of the time", "Always"),
            2,
            "p/q = 0.5, and u falls below 0.5 half of the time. The draft says x twice as often as it should, so half of them stay.",
        ),
        go="Watch at temperature 1 and click tokens: p, q, the overlap and u of each.",
        settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96"},
        notes=(
            "Move u yourself: the verdict changes exactly at p/q.",
            "Below, not at: with u ≤ p/q a token with p(x) = 0 would pass when u is exactly 0.",
            "At temperature 0 there is no coin: x stays if it is the target's own pick.",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="residual",
        short="Residual",
        title="The residual makes it exact",
        text=(
            "A rejected token is replaced at once, drawn from the residual: what p has and q has not, max(p − q, 0), scaled up to 1.",
            "A token can come out in two ways: accepted, min(p, q), or from the residual. Together they are p, exactly, whatever q is. "
            "The law of the text is the target's; the sample is another one.",
        ),
        question=Question(
            "Why not simply draw the replacement from p?",
            ("It would be slower", "The draft's favourites would come out too often", "It makes no difference"),
            1,
            "They had their chance when they were drafted. With p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05) the first token would "
            "come out with probability .52 instead of .40.",
        ),
        go="Watch at temperature 1, look for ↻: click it to see its residual.",
        settings={"prompt": STORY, "drafter": "small", "K": "3", "temperature": "1", "length": "96"},
        notes=(
            "The 200 draws are a simulation in the page, from recorded p and q, with a fixed seed. Press again to go on drawing.",
            "“Lossless, yet the text differs”: the same distribution is not the same sample, and the same seed does not make it one.",
            "Published code has got this wrong: resampling from p, or a softmax over the residual (.47 instead of .40).",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="rounds",
        short="Bonus",
        title="All accepted: the bonus",
        text=(
            "If all K drafts stay, the pass holds p for one position more, and a bonus token is drawn from it: K + 1 tokens from one "
            "pass of the target.",
            "At worst the first draft is rejected, and its correction is still a token. So a round gives 1 to K + 1 tokens, and never "
            "needs more passes of the target than decoding alone.",
        ),
        question=Question(
            "K = 1, and drafting costs next to nothing. Can it help?",
            ("No: one guess, one pass", "Yes: up to two tokens a pass", "Only at temperature 0"),
            1,
            "If the one guess stays, the same pass gives a bonus token too: two tokens for one pass.",
        ),
        go="Watch K = 1 and look for +.",
        settings={"prompt": STORY, "drafter": "small", "K": "1", "temperature": "0.8", "length": "96"},
        notes=(
            "Every square is a round of one recorded run. Ask where the mean will be before the last round falls.",
            "After full acceptance the draft's cache lacks its own last token; it is fed in the next round.",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="speed",
        short="How fast",
        title="How fast?",
        text=(
            "A round costs K draft steps and one checking pass: K·c + v, counted in one-token passes. It gives "
            "(1 − αᴷ⁺¹) / (1 − α) tokens on average, if each draft stays with chance α.",
            "A good draft agrees with the target (α) and is cheap (c): mostly a small model of the same family.",
        ),
        question=Question(
            "T5-XXL (11B) translates at temperature 0. Which draft is fastest?",
            ("77M, α = .75", "250M, α = .80", "800M, α = .82"),
            0,
            "3.4×, 2.8× and 1.7×: the best draft is the least accurate of the three, since it is by far the cheapest (Leviathan 2022).",
        ),
        go="Watch the large draft: a better α at a higher c.",
        settings={"prompt": STORY, "drafter": "large", "K": "3", "temperature": "0.8", "length": "96"},
        notes=(
            "Some K helps only if α > c (with v = 1). “K = 3 or 4” is a special case: at c = .02 and α = .8 the best K is 11.",
            "The formula takes acceptances as independent, which they are not, and a run has its luck. Put the tokens a round that this run "
            "really gave in its place: what is left between that and the measured speedup is overhead.",
            "The same draft gave Vicuna-7B 1.79× on an RTX 3090 and 1.52× on an A100, with the same 2.28 tokens a target pass: "
            "the hardware decides (Spec-Bench).",
        ),
        sources=("leviathan", "specbench", "here"),
    ),
    Chapter(
        key="others",
        short="Others",
        title="How else, and when not",
        text=(
            "A draft need not be a second model. All that the check asks for is tokens, and the q they were drawn from. What differs is "
            "what a drafter reads, and what a step costs.",
            "Leave speculation off where no arithmetic is idle (large batches), where α stays below c, or where v eats the gain. "
            "Expect less at high temperatures and from short outputs.",
        ),
        question=Question(
            "A server runs at full load, in large batches. What does speculation do there?",
            ("It makes it faster still", "It makes it slower", "Nothing"),
            1,
            "vLLM measured 1.5–2.8× at low load and 1.4–1.8× slower at high load: a busy GPU has no idle arithmetic to give. "
            "The better the draft, the longer it holds out.",
        ),
        go="Watch prompt lookup on a text that repeats itself.",
        settings={"prompt": COPY, "drafter": "lookup", "K": "6", "temperature": "0", "length": "64"},
        notes=(
            "Figures of different papers come from different models and machines: compare orders, not decimals.",
            "High temperature: T5-XXL fell from α = .75 at temperature 0 to .62 at 1 with the same draft (Leviathan 2022).",
            "EAGLE-3 still gave 1.38× throughput at batch 64.",
        ),
        sources=("leviathan", "layerskip", "deepseek", "medusa", "eagle", "lookup", "vllm"),
    ),
)


def for_browser() -> dict:
    """What the page is given: the chapters and the words around them."""
    return {"chapters": [asdict(chapter) for chapter in CHAPTERS], "sources": SOURCES, "ways": WAYS, "page": PAGE}
