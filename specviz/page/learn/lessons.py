"""The chapters of Learn: texts, questions, answers, notes for the teacher, sources. What stands around them: words.py.

`{name}` marks what the page fills in from a recorded run, as text. Numbers that were published stand here with their source;
numbers that were measured never do. Another chapter is one more entry here and in exercises.py, and a picture under its key.
"""

from dataclasses import asdict

from .chapter import SOURCES, Chapter, Estimate, Question
from .exercises import EXERCISES
from .words import ENGINES, INEXACT, PAGE, WAYS

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
        question=Estimate(
            "A pass over 8 tokens does 8 times the arithmetic of a pass over one. How many times as long does it take here?",
            8,
            "The weights are read once for all eight. How much that saves depends on the model and the machine.",
        ),
        go="Watch the target work alone in both lanes: K = 0.",
        settings={"prompt": STORY, "drafter": "small", "K": "0", "temperature": "0", "length": "48"},
        notes=(
            "Collect the class's numbers before you measure. The gap between bar and outline is the room that speculative decoding "
            "lives in.",
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
            "The tokens arrive, but q is lost on the way. What does the check lose?",
            ("Nothing: p decides alone", "The exact law: no rule can save it", "Drafts: fewer of them stay"),
            2,
            "Without q the target can still draw y from p and keep x where y = x. That is exact, but it keeps Σ p·q of the drafts, not "
            "Σ min(p, q): .35 instead of .70 with p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05).",
        ),
        go="Watch long blocks: K = 8. Look at how many drafts are thrown away.",
        settings={"prompt": STORY, "drafter": "small", "K": "8", "temperature": "0.8", "length": "96"},
        notes=(
            "p and q are meant after temperature, top-k and top-p. At temperature 0 both are one-hot.",
            "Why one tokenizer: the check divides p(x) by q(x) for the same token x. Vocabularies may differ in size: Qwen has 151,936 "
            "and 152,064 ids with one tokenizer. With two tokenizers another check is needed, which goes by way of the text.",
            "Let the class guess the next word before each step: they are a draft model too.",
        ),
        sources=("leviathan", "here"),
    ),
    Chapter(
        key="verify",
        short="Verify",
        title="One pass verifies all",
        text=(
            "The target reads the block at once: the last token of the text and all K drafts, in one pass. After each it gives p for "
            "the next token: K + 1 distributions together.",
            "Each p holds if the drafts before it stay. That need not be known yet: a position sees only what stands before it, and "
            "whatever comes after a rejected draft is thrown away unread.",
        ),
        question=Question(
            "K = 4, and the second draft is rejected. Which of the five p are used?",
            ("All five", "The first two", "None: the pass is run again"),
            1,
            "The first tested draft 1, the second tested draft 2 and gives what replaces it. The other three were computed after a "
            "token that is gone.",
        ),
        go="Watch K = 4, and the lengths of the passes on the timeline.",
        settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "0.8", "length": "96"},
        notes=(
            "This is how a prompt is read too: all positions in one pass, each seeing only what stands before it.",
            "v is the length of this pass over a one-token pass. The papers take v = 1; here it is measured.",
            "The whole round is drafting and this pass: that is what must be shorter than the passes it replaces, token for token.",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="accept",
        short="Accept",
        title="Accept or reject",
        text=(
            "Each draft x is tested with a coin: draw u between 0 and 1, keep x if u < p(x)/q(x). Where the target gives x no "
            "less than the draft did, x always stays. The first rejection ends the block.",
            "Before x is drawn, its chance to stay is the overlap β = Σ min(p, q). β is of one position; its mean over positions is α, "
            "the acceptance rate.",
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
            "Two chances, two questions: β before x is drawn, min(1, p/q) once x is known.",
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
            "A token can come out in two ways: accepted, min(p, q), or from the residual. Together they are p, exactly, whatever q is.",
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
            "The 200 draws are a simulation in the page, from recorded p and q, with a fixed seed. Press again to go on drawing: the gap "
            "of the right rule closes, that of the wrong one stays.",
            "Both rules are drawn with the same drafts and coins, so what differs is the replacement alone.",
            "Published code has got this wrong: resampling from p, or a softmax over the residual (.47 instead of .40).",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="rounds",
        short="Bonus",
        title="All accepted: the bonus",
        text=(
            "If all K drafts stay, the pass holds one p more, and a bonus token is drawn from it: K + 1 tokens from one "
            "pass. At worst the first draft is rejected, and the correction is still a token.",
            "After a rejection both caches give back what did not stay and end with the last draft that did. The correction is in "
            "neither: the next round feeds it.",
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
            "After full acceptance the draft's cache lacks its own last token too: it was drawn and never fed. The next round feeds both.",
            "Rolling back is cheap: the cache is told a smaller length, nothing is computed again.",
        ),
        sources=("leviathan", "chen", "here"),
    ),
    Chapter(
        key="whole",
        short="Text",
        title="From a token to the text",
        text=(
            "Whatever the text so far, the next token comes out by p: tested ones by chapter 6, the bonus since it is drawn from p. So "
            "chances multiply as they do when the target writes alone, wherever rounds begin and end.",
            "Here every text of three tokens is worked out: nothing is drawn, no luck.",
        ),
        question=Question(
            "Temperature 1, the same seed in both lanes. Do they write the same text?",
            ("Yes: decoding is lossless", "No: two samples of one law", "Only if every draft stays"),
            1,
            "Each text is as likely as from the target alone. But the lanes spend their random numbers on different things (a draft, a "
            "coin, a replacement), so one seed gives two samples.",
        ),
        go="Watch both lanes at temperature 1 with one seed: two texts of one law.",
        settings={"prompt": STORY, "drafter": "small", "K": "2", "temperature": "1", "length": "48"},
        notes=(
            "“Lossless, yet the text differs” is the question most often asked: the same distribution is not the same sample.",
            "Let the class work out one way by hand: two drafts kept and a bonus is min(p, q)·min(p, q)·p, each given what stands before.",
            "At temperature 0 the law is one text, so there both lanes write it; in half precision near-ties may still flip.",
        ),
        sources=("leviathan", "chen", "toy"),
    ),
    Chapter(
        key="speed",
        short="How fast",
        title="How fast?",
        text=(
            "A round costs K draft steps and one checking pass: K·c + v, counted in one-token passes. It gives "
            "(1 − αᴷ⁺¹) / (1 − α) tokens on average, if each draft stays with chance α.",
            "That takes drafts as independent. They are not: easy and hard places come in a row. With the tokens a round that a run "
            "really gave, what is left is overhead.",
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
            "The same draft gave Vicuna-7B 1.79× on an RTX 3090 and 1.52× on an A100, with the same 2.28 tokens a target pass: "
            "the hardware decides (Spec-Bench).",
        ),
        sources=("leviathan", "specbench", "here"),
    ),
    Chapter(
        key="ways",
        short="Ways",
        title="Ways to draft",
        text=(
            "A draft need not be a second model. All that the check asks for is tokens, and the q they were drawn from. What differs is "
            "what a drafter reads, and what a step costs.",
            "A good one agrees with the target (α) and is cheap (c): a small model of the same family, or a part that reads what the "
            "target has just computed.",
        ),
        question=Question(
            "Code is edited: most of the answer stands in the prompt. Which drafter is hard to beat?",
            ("A larger draft model", "Prompt lookup", "A bigram table"),
            1,
            "It copies what followed the same words before, without any pass, so c is next to nothing, and long blocks stay. Where "
            "nothing repeats it drafts nothing.",
        ),
        go="Watch prompt lookup on a text that repeats itself.",
        settings={"prompt": COPY, "drafter": "lookup", "K": "6", "temperature": "0", "length": "64"},
        notes=(
            "Figures of different papers come from different models and machines: compare orders, not decimals.",
            "Multi-token heads are several modules, one a step ahead; an EAGLE head is one layer that runs again on its own feature.",
            "Medusa's heads all read the target's last hidden state alone, and its typical acceptance does not keep the law.",
        ),
        sources=("leviathan", "layerskip", "deepseek", "medusa", "eagle", "lookup"),
    ),
    Chapter(
        key="busy",
        short="When not",
        title="When not to",
        text=(
            "Drafting spends arithmetic to save waiting. One text leaves arithmetic idle, so its tokens come sooner: latency. A full "
            "server has none idle: each rejected draft takes the place of somebody's token, which is throughput.",
            "Leave it off where α is below c, where v eats the gain, or where its memory would hold more texts. Expect less at high "
            "temperatures.",
        ),
        question=Question(
            "A server decodes hundreds of texts at once. Why does drafting gain less?",
            ("The draft guesses worse", "No arithmetic is idle", "The texts would change"),
            1,
            "α is what it was; the check is no longer nearly free. vLLM measured 1.5–2.8× at low load and 1.4–1.8× slower at high load. "
            "The better the draft, the longer it pays.",
        ),
        go="Watch a bigram table draft: compare its α with what a check costs.",
        settings={"prompt": STORY, "drafter": "bigram", "K": "4", "temperature": "0.8", "length": "96"},
        notes=(
            "EAGLE-3 still gave 1.38× throughput at batch 64. Measured here, on an H100 and 8 billion weights in bf16 after 1,024 tokens: α = .9 gives "
            "2.2× for one text and 1.6× for 64, and 64 do not fill that card.",
            "High temperature: T5-XXL fell from α = .75 at temperature 0 to .62 at 1 with the same draft (Leviathan 2022). Of our recorded runs "
            "the one at 1.5 is faster than the one at 1: its α is lower, its draws were lucky.",
            "Long texts: caches are read at every pass, so a check stays cheap, but a small model's step grows dear, since its cache "
            "shrinks less than its weights do.",
            "The second view is arithmetic, not a measurement: an upper bound without overhead or communication.",
        ),
        sources=("leviathan", "vllm", "eagle", "llama", "h100"),
    ),
    Chapter(
        key="engines",
        short="Engines",
        title="What engines run",
        text=(
            "The papers draw x from q and keep it with chance p/q: in all Σ min(p, q). vLLM, SGLang and llama.cpp draft the argmax, unless "
            "told otherwise; it stays with chance p(x). mlx-lm draws x from q and y from p, and keeps x where both are one: Σ p·q.",
            "All of them are exact. How much stays depends on the rule as much as on the draft.",
        ),
        question=Question(
            "p = (.9, .05, .05) and q = (.4, .3, .3). What keeps more?",
            ("Drawing x from q, testing it by p/q", "Drafting the argmax of q", "Both keep the same"),
            1,
            ".90 against Σ min(p, q) = .50: where the target is sure, what is drawn beside its favourite is lost. With p = (.4, .3, .2, .1) "
            "and q = (.7, .15, .1, .05) it is the other way round, .40 against .70.",
        ),
        go="Watch drafting by argmax at temperature 1: click a token to see what each rule would keep there.",
        settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "1", "length": "96", "drafting": "argmax"},
        notes=(
            "Acceptance rates of two engines compare drafts only if both draft and test alike, at one temperature.",
            "Σ p·q is never above Σ min(p, q), token by token: match gives up drafts for not needing q.",
            "Block verification tests a block as one. In the mean it keeps no fewer tokens than p/q token by token; the paper measured "
            "5–8 % more speed. For a block of one token the two are the same.",
            "Typical acceptance with ε = .09 keeps whatever has a p(x) above a bound of .09 at most, as often as it is drafted: the draft's "
            "favourites come out too often.",
        ),
        sources=("leviathan", "medusa", "sun", "engines", "here"),
    ),
)


def for_browser() -> dict:
    """What the page is given: the chapters and the words around them."""
    chapters = [asdict(chapter) | {"exercise": asdict(EXERCISES[chapter.key])} for chapter in CHAPTERS]
    return {"chapters": chapters, "sources": SOURCES, "ways": WAYS, "engines": ENGINES, "inexact": INEXACT, "page": PAGE}
