"""What a class does with each chapter of Learn, on paper or beside the page: a task, its key, and what everybody should be able to
do then. With it what a teacher prints: definitions on one sheet, and a plan of 50 minutes. Numbers in keys can be worked out
(tests/page/learn/test_pack.py); those of a machine are left to the class.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exercise:
    """`task` and `key` in the same order."""

    task: tuple[str, ...]
    key: tuple[str, ...]
    able: tuple[str, ...]


# By the chapter's key, in lessons.py.
EXERCISES = {
    "alone": Exercise(
        (
            "A model has 8 billion weights of 2 bytes each, and its memory gives 1,000 GB a second. How many tokens a second can it "
            "write at most, one by one?",
            "Why does a text of 100 tokens take about 100 passes?",
        ),
        (
            "A pass reads 16 GB and takes at least 16 ms: 62.5 tokens a second.",
            "The next token is part of what the pass after it reads: they cannot be computed side by side.",
        ),
        ("say what a pass spends its time on", "work out a bound for tokens a second from weights and memory"),
    ),
    "guess": Exercise(
        (
            "Name what corresponds: branch, prediction, flush.",
            "A processor's wrong guess costs time. What else does a wrong draft cost?",
        ),
        (
            "The next token; the draft; throwing away what stands behind the rejected token.",
            "Arithmetic and energy, and in a full server the time of others. Never the text.",
        ),
        ("say why a bad draft cannot spoil the text",),
    ),
    "draft": Exercise(
        (
            "p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05). Which share of the drafts stays with q known, by Σ min(p, q)? Which "
            "without it, by Σ p·q?",
            "At which temperature is q not needed?",
        ),
        (
            ".4 + .15 + .1 + .05 = .70 with q; .28 + .045 + .02 + .005 = .35 without it.",
            "At 0: q is 1 for the token that was drafted, so to know the token is to know q.",
        ),
        ("say what q is and why it travels with the tokens", "say why draft and target need one tokenizer"),
    ),
    "verify": Exercise(
        (
            "K = 3. What goes into the pass, and how many p come out?",
            "Draft 1 is rejected. Which p were used, and for what?",
        ),
        (
            "The last token of the text and three drafts: four positions, four p.",
            "Only the first: it tested draft 1 and gives its replacement. The other three hold for a text that does not exist.",
        ),
        ("say why p at a later place is valid before the earlier drafts are accepted", "count the positions of a pass"),
    ),
    "accept": Exercise(
        (
            "q(x) = .5. Give the chance that a drafted x stays for p(x) = .5, .25 and 0.",
            "Three positions have β = 1, .5 and .6. What is α?",
        ),
        (
            "1, .5 and 0: min(1, p/q).",
            "Their mean, .7.",
        ),
        ("decide a drafted token from p, q and u", "tell β, a position's overlap, from α, its mean"),
    ),
    "residual": Exercise(
        (
            "p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05). Work out the residual.",
            "How often does the first token come out if replacements are drawn from p instead?",
        ),
        (
            "max(p − q, 0) = (0, .15, .1, .05), which sums to .3: (0, 1/2, 1/3, 1/6).",
            "min(.4, .7) + (1 − .70)·.4 = .52 instead of .40.",
        ),
        ("work out a residual", "show that accepted and replaced tokens together come out by p"),
    ),
    "rounds": Exercise(
        (
            "K = 4 and the third draft is rejected. How many tokens does the round give? Which drafts does the target's cache keep?",
            "All four stay. What does the next round feed to each cache?",
        ),
        (
            "Three: two drafts and the correction. It keeps the first two; the correction is fed by the next round.",
            "The target's: the bonus. The draft's: its own fourth token, which was never fed to it, and the bonus.",
        ),
        ("say how many tokens a round can give", "say what each cache holds after a rejection and after full acceptance"),
    ),
    "whole": Exercise(
        (
            "K = 1. In how many ways can rounds write a text of two tokens? Name each by how its tokens came.",
            "Add up their chances for one text xy.",
        ),
        (
            "Three: kept and bonus; corrected, then kept; corrected, then corrected.",
            "With m = min(p, q) and r = max(p − q, 0): m(x)·p(y) + r(x)·m(y) + r(x)·r(y) = m(x)·p(y) + r(x)·p(y) = p(x)·p(y), each "
            "of y given x.",
        ),
        ("say why the law of one token makes the law of the text", "say why one seed does not make two equal texts"),
    ),
    "speed": Exercise(
        (
            "α = .8, K = 4, c = .1, v = 1. How many tokens does a round give by the formula, and what is the speedup?",
            "The run gave 3 tokens a round and was 2 times as fast. What became of the rest?",
        ),
        (
            "(1 − .8⁵) / .2 = 3.36 tokens; 3.36 / 1.4 = 2.40×.",
            "With its own tokens 3 / 1.4 = 2.14×: from 2.40 to 2.14 is dependence and luck, from there to 2.00 overhead.",
        ),
        ("work out a speedup from α, K, c and v", "say what the formula takes for granted"),
    ),
    "ways": Exercise(
        (
            "Order by the cost of a step: small model, EAGLE head, prompt lookup.",
            "Which drafters read what the target has computed? What do they need of it that a small model does not?",
        ),
        (
            "Prompt lookup, EAGLE head, small model, as a rule: no pass, one layer, a model.",
            "Early exit, multi-token heads, the EAGLE head: its layers or hidden states, so they fit one target only.",
        ),
        ("choose a drafter for a kind of text", "tell multi-token heads from an EAGLE head"),
    ),
    "busy": Exercise(
        (
            "In the second view: 1 text, then 512 texts of 512 positions. What changes, α, c or v?",
            "64 texts, α = .7: move the positions from 128 to 8,192. What becomes of the best K, and why?",
        ),
        (
            "α stays. A check of two tokens a text goes from v = 1 to 2, since computing takes longer than reading; c from .11 to .20.",
            "It falls from 3 to 2: the longer the caches, the dearer a draft step is beside a pass, while the check stays free.",
        ),
        ("name three reasons to leave drafting off", "tell the latency of a user from the throughput of a server"),
    ),
    "engines": Exercise(
        (
            "An engine keeps a draft token always at temperature 0 and 40 % of the time at 1. It is one and the same draft, with "
            "p = (.4, .3, .2, .1) and q = (.7, .15, .1, .05) at temperature 1. Is that a bug?",
            "p = (.9, .05, .05) and q = (.4, .3, .3). Work out the chance to stay when x is drawn and tested by p/q, drawn and matched, and "
            "taken as argmax.",
        ),
        (
            "No. It drafts the argmax: at 0 that is the target's argmax too, so it always stays; at 1 it stays with chance p(x) = .40. "
            "Drawn from q and tested by p/q, .70 of the drafts would stay, drawn and matched .35.",
            "Σ min(p, q) = .50, Σ p·q = .39, p(argmax q) = .90.",
        ),
        ("say what an acceptance rate depends on beside the draft", "tell a rule that is exact from one that is not"),
    ),
}

# One sheet: a symbol or word, and one sentence.
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

# Minutes, chapters by their keys, what is done.
PLAN = (
    (5, ("alone", "guess"), "Collect guesses for chapter 1, measure, name the idle arithmetic."),
    (
        8,
        ("draft", "verify"),
        "The class drafts: it says the next words, you are the target. Ask which p are used after a rejection.",
    ),
    (10, ("accept", "residual"), "Move u by hand; then draw 200 by both rules, until the wrong one is seen."),
    (6, ("rounds", "whole"), "What the caches hold; one way of one text by hand, then all of them."),
    (7, ("speed",), "One run in Watch, each table with another K. Then the map, then what the formula takes for granted."),
    (6, ("ways", "busy"), "Which drafter for which text; a full server."),
    (3, ("engines",), "Three tokens by hand: which rule keeps most where."),
    (5, (), "One exercise each, on paper; the keys are in these notes."),
)
