"""Every symbol and term, explained once: on the page where a term stands, in Learn, on the pack's first sheet, and in docs/glossary.md.

    TERMS["alpha"].says
    python -m scripts.made_docs      # writes docs/glossary.md again

Those of a rule stand in its own file (rules/), those of a way to draft in drafters.py.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ..drafters import DRAFTERS
from ..rules import RULES


class Term(NamedTuple):
    """`name`: how an entry is headed. `says`: what it is, in plain sentences. `forms`: how it stands in a sentence, where that is not its name;
    a form of one letter is a symbol. `printed`: it stands on the pack's first sheet too."""

    name: str
    says: str
    forms: tuple[str, ...] = ()
    printed: bool = False


DRAFTER_FORMS = {
    "early-exit": ("early exit", "self-speculation", "LayerSkip"),
    "mtp": ("multi-token heads", "multi-token prediction", "MTP"),
    "eagle": ("EAGLE head", "EAGLE"),
    "block": ("block head",),
    "lookup": ("prompt lookup",),
}

# fmt: off
GROUPS: Mapping[str, Mapping[str, Term]] = {
    "Models and text": {
        "token": Term("token", "A piece of text that a model reads and writes: a word, a part of a word, or a sign.", ("token", "tokens"), True),
        "target": Term("target", "The large model, whose text is wanted. It is slow.", printed=True),
        "draft": Term(
            "draft",
            "What quickly guesses the next tokens: a small model, a head, a table, or a copy of earlier text.",
            ("draft", "drafter", "draft model"),
            True,
        ),
        "weights": Term("weights", "The numbers that a model has learned. Each pass of a dense model reads all of them.", ("weights",)),
        "dense": Term("dense", "A dense model uses all of its weights for each token. A mixture of experts uses a part of them.", ("dense",)),
        "quantisation": Term("quantisation", "Storing each weight in fewer bits, so that a pass reads fewer bytes.", ("quantisation", "quantised")),
        "vocabulary": Term("vocabulary", "All tokens that a model knows."),
        "tokenizer": Term("tokenizer", "The program that cuts text into tokens. Target and draft need the same one here. Some engines can translate between two."),
        "distribution": Term(
            "distribution", "A probability for each possible next token. They add up to 1.", ("distribution", "distributions"), True
        ),
        "p": Term("p", "The target's distribution for the next token, after temperature, top-k and top-p. p(x) is the probability of token x.", printed=True),
        "q": Term("q", "The distribution that the drafted token was drawn from. q(x) is the probability of token x.", printed=True),
        "softmax": Term("softmax", "What turns a model's scores into probabilities. Watch calls the draft's softmax s where q is one-hot."),
        "logit": Term("logit", "A model's score for a token, before softmax makes a probability of it.", ("logit", "logits")),
    },
    "One round": {
        "K": Term("K", "The number of tokens drafted in a round. Of a tree it is the depth: how many drafted tokens follow one another.", printed=True),
        "round": Term("round", "Draft K tokens, verify them in one target pass, decide, and add one more token. A reader gets all tokens of a round at once.", ("round", "rounds"), True),
        "block": Term("block", "The tokens drafted in one round.", ("block", "blocks")),
        "chain": Term("chain", "A block without alternatives: each drafted token follows the one before it.", ("chain", "chains")),
        "tree": Term("tree", "A block with alternatives: several drafted tokens may follow one. The target checks all of them in one pass.", ("tree", "trees")),
        "head": Term("head", "A small part that is added to the target and drafts from what the target has just computed.", ("head", "heads")),
        "hidden": Term("hidden state", "The numbers that a layer of a model passes on to the next layer. Also called features.", ("hidden state", "hidden states", "feature", "features")),
        "pass": Term("pass", "One run of a model over its input. It gives a distribution after each new token.", ("pass", "passes", "target pass", "target passes"), True),
        "verify": Term("verify", "To check a block: one target pass over the last token and the K drafted tokens. It gives K + 1 distributions p.", ("verify", "verifies", "verified", "verifying", "checks", "the check", "a check"), True),
        "u": Term("u", "A random number: 0 or more, and less than 1. A new one is drawn for each drafted token. It is below 0.3 with probability 0.3.", printed=True),
        "accepted": Term("accepted", "A drafted token x that passes the test. It becomes part of the text. By the rejection rule x passes if u < p(x)/q(x).", ("accept", "accepted"), True),
        "rejected": Term("rejected", "A drafted token that fails the test. It is removed, with all tokens that follow it.", ("reject", "rejected", "rejection"), True),
        "grammar": Term("grammar", "A regular expression that the whole text must match. It says which tokens may follow the text so far; p of all others is 0.", ("grammar", "grammars")),
        "void": Term("void", "A drafted token that the grammar forbids. It is always rejected.", ("void",)),
        "residual": Term("residual", "max(p − q, 0), scaled so that it adds up to 1. By the rejection rule, a rejected token is replaced by a draw from it.", printed=True),
        "corrected": Term("correction", "The token that replaces a rejected token. By the rejection rule it is drawn from the residual.", ("correction", "corrected"), True),
        "bonus": Term("bonus", "One more token from the same pass. In a chain it comes if all K drafted tokens are accepted. It is drawn from the last p.", ("bonus", "bonus token"), True),
        "plain": Term("plain token", "A token from a pass without any drafted token."),
        "cache": Term("KV cache", "What a model keeps for each token that it has read, so that it need not read the token again.", ("cache", "caches", "KV cache"), True),
        "rollback": Term("rollback", "Removing rejected tokens from a cache. An attention cache only becomes shorter.", ("rollback", "rolled back", "rolls back"), True),
        "expert": Term("expert", "One of many small networks in a layer of a mixture. A token uses a few of them, and a pass reads those that its tokens use.", ("expert", "experts")),
        "prefill": Term("prefill", "Reading the prompt in one pass, before the first round. Drafts do not make it faster, so the first token comes no sooner.", printed=True),
    },
    "Ways to draft": {key: Term(DRAFTERS[key].label, DRAFTERS[key].sentence, forms) for key, forms in DRAFTER_FORMS.items()} | {
        "medusa": Term("Medusa", "Heads on the target, one for each of the next places. All guess at the same time, so no head sees another's guess (Cai et al. 2024)."),
    },
    "Chances": {
        "beta": Term("β", "Σ min(p, q), the overlap at one position. By the rejection rule it is the chance, before x is drawn, that x will be accepted.", printed=True),
        "alpha": Term("α", "The acceptance rate: the average of β over the positions that were tested.", ("α", "acceptance rate"), True),
        "overlap": Term("overlap", "Σ min(p, q): add up, over all tokens, the smaller of p and q.", ("overlap", "Σ min(p, q)")),
        "temperature": Term("temperature", "How much chance decides. At 0 the most probable token is taken. At 1 tokens are drawn from the model's own probabilities.", printed=True),
        "greedy": Term("greedy", "Temperature 0: always the most probable token. No random number is needed. A drafted token is accepted if it is this token."),
        "onehot": Term("one-hot", "A distribution with probability 1 for one token and 0 for all others."),
        "argmax": Term("argmax", "The most probable token of a distribution."),
        "topk": Term("top-k", "A filter: only the k most probable tokens may be drawn."),
        "topp": Term("top-p", "A filter: only the most probable tokens may be drawn, up to a total probability of p."),
        "seed": Term("seed", "The number that starts the random generator. The same seed repeats the same draws.", ("seed", "seeds")),
        "exact": Term(
            "exact",
            "A rule is exact, or lossless, if every text is as likely as without a draft. Two exact runs may still write different texts.",
            ("exact", "lossless"),
            True,
        ),
        "variation": Term("total variation", "The distance between two distributions: 0 if they are the same, 1 if they share no token."),
        "entropy": Term("entropy", "How uncertain a distribution is. It is 0 if one token has probability 1."),
        "nats": Term("nats", "The unit of entropy with the natural logarithm. One nat is about 1.44 bits.", ("nats", "nat")),
        "chi": Term("χ²", "A test number: how far counts are from what a distribution expects."),
    },
    "Rules": {name: Term(name, says, tuple(forms)) for rule in RULES.values() for name, says, *forms in rule.terms},
    "Speed": {
        "speedup": Term("speedup", "Tokens per second with a draft ÷ tokens per second without a draft.", printed=True),
        "c": Term("c", "The time of one draft step, in target passes over one token.", printed=True),
        "v": Term("v", "The time of a verifying pass over K + 1 tokens, in target passes over one token.", printed=True),
        "overhead": Term("overhead", "Time in a round that is neither drafting nor the target's pass."),
        "vanilla": Term("vanilla", "The field's word for decoding without a draft: the target alone, one token per pass."),
        "latency": Term("latency", "How long one user waits for a token."),
        "throughput": Term("throughput", "How many tokens per second a server writes for all users together."),
        "batch": Term("batch", "The texts that a server decodes at once. Each pass reads the weights once for all of them.", ("batch", "batches", "batching")),
        "branch": Term("branch", "A place where there is more than one way to go on, in a program or in a tree of guesses.", ("branch", "branches")),
        "disturbed": Term("disturbed", "Other programs used the processor during the run. Its speedup is by processor time where that is known."),
        "median": Term("median", "The middle value: half of all values are below it.", ("median", "medians")),
        "quartiles": Term("quartiles", "The values below which a quarter and three quarters of all values lie.", ("quartiles", "quartile")),
        "interval": Term("interval", "A range in which the true value should lie. “95 %” beside it means: in 95 of 100 such measurements it does."),
    },
}
# fmt: on

TERMS: dict[str, Term] = {key: term for terms in GROUPS.values() for key, term in terms.items()}


def for_browser() -> list[dict]:
    """The terms as the page has them (assets/shared/glossary.js). `forms`: where they are not the name; `group`: with the first term of one."""
    return [
        {"name": term.name, "says": term.says} | ({"forms": term.forms} if term.forms else {}) | ({} if i else {"group": group})
        for group, terms in GROUPS.items()
        for i, term in enumerate(terms.values())
    ]
