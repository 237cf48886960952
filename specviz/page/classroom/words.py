"""What the panel in which a class is the draft says, to whoever types there and on the phones of a room."""

SHORT = "You are the draft"
TITLE = "You are the draft"
ANSWERS = "How many of the words that you guess would the target keep, and do you guess better than its drafters?"

PANEL = {
    "prompt": "The text begins",
    "again": "Begin again",
    "temperature": "Temperature",
    "seed": "Seed",
    "seed_bound": "The seed must be a whole number from {least} to {most}.",
    "who": "Who drafts",
    "alone": "One keyboard",
    "turns": "Two by turns",
    "room": "A room of phones",
    "class": "The class",
    "players": ["Player A", "Player B"],
    "text": "The text so far",
    "guess": "What comes next?",
    "guess_of": "{player}: what comes next?",
    "verify": "Verify",
    "verifying": "The target reads the block in one pass…",
    "inside": "goes on inside the last word",
    "cut": "Cut into tokens:",
    "cut_empty": "Type a few words, and see the tokens that they are cut into: each is tested by itself.",
    "too_many": "{n} tokens: a block takes at most {most}.",
    "rule": "You said one thing, so your q is 1 for it. The rule u < p/q then keeps a token with chance p, and what replaces it is drawn from the rest of p.",
    "rule_greedy": "At temperature 0 nothing is drawn: a token is kept if it is the one that the target would write.",
    "rule_room_greedy": "At temperature 0 nothing is drawn: what most of the room guessed is drafted, and kept if the target would write it.",
    "rule_room": "A room is a q: its guesses are the distribution that the draft is drawn from. A token is kept with chance min(1, p/q), and β, the chance that a guess drawn here is kept, is the overlap Σ min(p, q).",
    "round": "Round {n}",
    "round_of": "Round {n}, {player}",
    "accepted": "{token} kept: u = {u} is below p = {p}",
    "rejected": "{token} rejected: u = {u} is not below p = {p}",
    "accepted_q": "{token} kept: u = {u} is below p/q = {p} / {q}",
    "rejected_q": "{token} rejected: u = {u} is not below p/q = {p} / {q}",
    "accepted_greedy": "{token} kept: the target would write it",
    "rejected_greedy": "{token} rejected: the target would write another",
    "unexamined": "{token} not examined: it stands behind the rejected one (p = {p})",
    "corrected": "Correction {token}: drawn from what is left of p, where it has {chance}",
    "corrected_greedy": "Correction {token}: what the target writes",
    "bonus": "Bonus {token}: all were kept, so the same pass gives one more, drawn from p, where it has {chance}",
    "bonus_greedy": "Bonus {token}: all were kept, so the same pass gives one more",
    "expected": "The target expected",
    "rest": "all others",
    "beta": "β = Σ min(p, q) = {beta}",
    "p": "p, the target",
    "q": "q, the guesses",
    "u": "u, drawn",
    "nothing": "Begin a text. Then type what you think comes next: the target scores all of it in one pass.",
    "nothing_room": "Open a room. Phones join it and guess; then verify what they guessed, as one draft.",
    "nothing_open": "Nothing is verified yet: when all have guessed, verify what they guessed, as one draft.",
    "tally": "α so far, on the same text",
    "tally_note": "Each round every drafter drafts as many tokens from the same place of the text, and is verified alike. α is the mean of β, the chance to be kept, over the tokens that were examined. The fewer they are, here {n} of yours, the more of a difference is luck.",
    "who_column": "draft",
    "drafted_column": "drafted",
    "tested_column": "examined",
    "accepted_column": "kept",
    "alpha_column": "α",
    "ended": {
        "eos": "The target ended the text. Begin again to play on.",
        "context": "The text fills the target's context. Begin again to play on.",
    },
    "handout": "Hand-out",
    "handout_note": "Played on the page of specviz: people drafted, a language model verified.",
    "own": "What is remarkable about it?",
    "lost": "The server did not answer. Try again.",
    "csv": ["round", "draft", "token", "verdict", "p", "q", "u", "drafted", "examined", "kept", "sum of β"],
    "open": "Open a room",
    "close": "End the room",
    "join": "Join with a phone on the same network:",
    "qr": "A QR code of the room's link",
    "local": "This page was opened by an address that only this machine knows. For phones, serve it with --host 0.0.0.0.",
    "lan": "The link has the machine's own address in it.",
    "waiting": "Waiting for phones…",
    "here": "{guessed} of {here} have guessed.",
    "left": "The room ends by itself in {minutes} min.",
    "play": "Verify the room's draft",
    "room_over": "The room is over.",
    "room_gone": "The room has ended: open another one.",
    "nameless": "somebody",
    "guessed": "has guessed",
    "remove": "Take {name} off the list",
}

# What is refused, in one sentence each.
NO_PEOPLE = "Nobody can draft here: this engine has no way to score what people say."
NOTHING_GUESSED = "Type at least one word: an empty guess is no draft."
TOO_MANY_TOKENS = "Your words are {tokens} tokens; a block takes at most {most}."
EMPTY = {
    "prompt": "The text needs a beginning: type a word at least.",
    "words": NOTHING_GUESSED,
    "link": "There is no link to draw.",
}
TOO_LONG = {
    "prompt": "The beginning has {characters} characters; at most {most} are taken.",
    "words": "Your words have {characters} characters; at most {most} are taken.",
    "link": "The link has {characters} characters; at most {most} can be drawn.",
}
NO_TEXT = "There is no text yet: begin one first."
NO_LINK = "Only the link of a room can be drawn."

FULL = "This room is full: it has {seats} seats, and all are taken."
TOO_MANY = "There are {rooms} rooms open, as many as there may be: one ends by itself within two hours."
TOO_MANY_HERE = "{rooms} rooms are open from your address, as many as may be. End one of them first."
FULL_HERE = "{seats} seats of this room are taken from your address, as many as may be. The others are for other addresses."
TRIED = "Too many wrong codes came from your address. Try again in ten minutes."
GONE = "There is no such room: it has ended, or its code is another."
SEAT_GONE = "Your seat is free again: the teacher took the name off, or the phone was silent. Please join again."
VOTE_CLOSED = "This question is closed."
NO_CHOICE = "That is no answer of this question."
TOO_LATE = "This round is closed: guess for the next one."
AT_WORK = "The round is being verified already."
NOBODY_GUESSED = "Nobody has guessed yet: there is nothing to verify."
TEXT_OVER = "The text is over: the teacher can begin another."
NAME_TOO_LONG = "A name takes at most {characters} characters."
TOO_BIG = "That is more than a phone has to say."
NOT_READ = "This was not understood."

# The page that a phone opens; assets/join/join.js writes it.
PHONE = {
    "title": "You are the draft",
    "name": "Your name, if you like",
    "join": "Join",
    "text": "The text so far",
    "guess": "What comes next?",
    "inside": "goes on inside the last word",
    "send": "Send my guess",
    "again": "Change my guess",
    "cut": "Your guess, cut into tokens:",
    "wait": "{guessed} of {here} have guessed. The teacher verifies when all are ready.",
    "playing": "The target is reading the block…",
    "called": "You are {name} here.",
    "vote": "Choose one.",
    "voted": "Your answer is in. You can change it until the answer is shown.",
    "vote_right": "You were right.",
    "vote_wrong": "That was not it.",
    "own": "Your guess",
    "own_none": "Another guess was drawn this time.",
    "own_kept": "The target kept {tokens}.",
    "own_rejected": "The target rejected {tokens}.",
    "last": "The last round",
    "drawn": "Drafted from all guesses:",
    "went": "The text went on:",
    "accepted": "kept",
    "rejected": "rejected",
    "unexamined": "not examined",
    "corrected": "correction",
    "bonus": "bonus",
    "ended": "The text is over.",
    "left": "The room ends by itself in {minutes} min; nothing is kept.",
    "lost": "The room does not answer. Trying again…",
    "over": "This room is over.",
}

# The exercise of the panel.
TASK = (
    "Play five rounds at temperature 0.8, three or four words each. Write down for every token p, u and the verdict. Which of your "
    "tokens had the largest p, and where in a word or sentence did it stand?",
    "Your q is 1 for what you typed. Work out from the rule u < p/q and from the residual what happens to a token with p = .3: how often it is "
    "kept, and which chance a token with p = .2 then has to replace it.",
    "A room of 20 guesses the next token: 10 say a, 5 say b, 5 say c. The target has p(a) = .6, p(b) = .3, p(d) = .1. Give q, β, and the chance "
    "that one of the 10 would have been kept if only their guess had been drafted.",
    "The class is wrong all the time. Is the text worse for it?",
)
KEY = (
    "Inside a word and after its first words a phrase is nearly certain (p near 1); the first token of a new word or sentence is not.",
    "Kept with chance .3. The residual is max(p − q, 0) normalised: p without the token, divided by .7. So .2 becomes .2 / .7 = .29.",
    "q = (.5, .25, .25, 0) for a, b, c, d. β = min(.6, .5) + min(.3, .25) + 0 + 0 = .75. If a alone were drafted, its q would be 1: kept with chance "
    ".6.",
    "No. What is rejected is replaced from the residual, so the text is distributed as the target alone writes it. The class costs time only.",
)
