"""What the panel in which a class is the draft says: to those who type there, and on the phones of a room."""

from .. import words as page_words

SHORT = "You are the draft"
TITLE = "You are the draft"
ANSWERS = "How many of your guessed words would the target accept, and do you guess better than its drafters?"

LOCAL = "Only this machine reaches this link. For phones, start specviz with --host 0.0.0.0 and open a room again."

# What the Lab and a question both say of a room.
ROOM = {
    "phones_end": "End the question",
    "room_qr": "A QR code of the room's link",
    "room_local": LOCAL,
    "room_code_open": "Show the code (Q)",
    "room_code_close": "Close the code (Q)",
}

PANEL = {
    **ROOM,
    "prompt": "The text begins",
    "again": "Begin again",
    "temperature": "Temperature",
    "seed": "Seed",
    "seed_bound": "The seed must be a whole number from {least} to {most}.",
    "who": "Who drafts",
    "alone": "One keyboard",
    "turns": "Two in turn",
    "room": "A room of phones",
    "class": "Your guesses",
    "players": ["Player A", "Player B"],
    "text": "The text so far",
    "guess": "What comes next?",
    "guess_of": "{player}: what comes next?",
    "verify": "Verify",
    "verifying": "The target reads the block in one pass…",
    "inside": "continues the last word, without a space",
    "cut": "Cut into tokens:",
    "cut_empty": "Type a few words to see their tokens. Each token is tested by itself.",
    "too_many": "{n} tokens: a block takes at most {most}.",
    "back_to_lesson": "Back to the lesson",
    "cut_long": "A guess has at most {most} characters: what goes beyond is not taken.",
    "rule": "You typed one guess, so your q is 1 for it. The rule u < p/q then accepts a token with chance p. A replacement is drawn from the "
    "residual.",
    "rule_greedy": "At temperature 0 nothing is drawn: a token is accepted if it is the one that the target would write.",
    "rule_room_greedy": "At temperature 0 nothing is drawn. The most frequent guess is drafted, and accepted if the target would write it.",
    "rule_room": "The guesses of a room are q: the draft is drawn from them. A token is accepted with chance p/q, at most 1. β, the overlap Σ "
    "min(p, q), is the chance for a guess drawn here.",
    "round": "Round {n}",
    "round_of": "Round {n}, {player}",
    "accepted": "{token} is accepted: u = {u} is below p = {p}",
    "rejected": "{token} is rejected: u = {u} is not below p = {p}",
    "accepted_q": "{token} is accepted: u = {u} is below p/q = {p} / {q}",
    "rejected_q": "{token} is rejected: u = {u} is not below p/q = {p} / {q}",
    "accepted_greedy": "{token} is accepted: the target would write it too",
    "rejected_greedy": "{token} is rejected: the target would write another token",
    "unexamined": "{token} is not examined: it stands after the rejected token (p = {p})",
    "corrected": "Correction {token}: drawn from the residual, with probability {chance}",
    "corrected_greedy": "Correction {token}: what the target writes",
    "bonus": "Bonus {token}: all were accepted, so the same pass gives one more token, drawn from p with probability {chance}",
    "bonus_greedy": "Bonus {token}: all were accepted, so the same pass gives one more token",
    "expected": "The target gave most to",
    "rest": "all others",
    "beta": "β = Σ min(p, q) = {beta}",
    "p": "p, the target",
    "q": "q, the guesses",
    "u": "u, drawn",
    "nothing": "Begin a text. Then type what you think comes next: the target scores it in one pass.",
    "nothing_room": "Open a room. Phones join it and guess. Then verify all guesses as one draft.",
    "nothing_open": "Nothing is verified yet. When all have guessed, verify the guesses as one draft.",
    "tally": "α so far, on the same text",
    "tally_note": "In each round every drafter drafts as many tokens from the same place, and is verified in the same way. α is the average of β "
    "over the examined tokens. You have {n} of them: with few, a difference is mostly luck.",
    "who_column": "draft",
    "drafted_column": "drafted",
    "tested_column": "examined",
    "accepted_column": "accepted",
    "alpha_column": "α",
    "ended": {
        "eos": "The target ended the text. Begin again to play on.",
        "context": "The text fills the target's context. Begin again to play on.",
    },
    "handout": "Hand-out",
    "handout_note": "Played on the page of specviz: people drafted, a language model verified.",
    "own": "What do you notice?",
    "lost": "The server did not answer. Try again.",
    "answers_csv": ["kind", "asked", "answer", "phones", "right"],
    "csv": ["round", "draft", "token", "verdict", "p", "q", "u", "drafted", "examined", "accepted", "sum of β"],
    "open": "Open a room",
    "close": "End the room",
    "close_ask": "It ends on all phones, {here} are in.",
    "close_yes": "End it for all",
    "close_no": "Go on",
    "asked": "The phones are at a question of the lesson. They guess when it has ended.",
    "save_answers": "Save votes and guesses",
    "answers_none": "Nobody has answered or guessed yet.",
    "join": "Join with a phone on the same network:",
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

# The game: one word, three times. It speaks as the story does, without symbols.
GAME = {
    "title": "You are the draft",
    "target": "The target (large model) here is fable. It learned mostly from children's stories, and writes its likeliest word.",
    "texts": [
        "The bird can fly high in the",
        "The dog likes to run and",
        "Tim fell and hurt his",
        "They lived happily ever",
        "The little girl was very tired, so she went to",
        "Mia was sad. She began to",
    ],
    "place": "Sentence {n} of {of}",
    "ask": "Which word comes next? Type it.",
    "field": "The next word",
    "check": "Check it",
    "looks": "The target looks…",
    "kept": "Kept. The same look adds what follows.",
    "kept_last": "Kept.",
    "struck": "Struck. The target writes its own word instead.",
    "part": "It keeps the beginning, strikes the rest, and writes its own word.",
    "chances": "What the target found likely",
    "yours": "your word",
    "next": "Next sentence",
    "score": "You: {own} · Small model: {small}",
    "sum": "See the result",
    "result": "You: {own} of {of} kept. The small model as draft: {small} of {of}.",
    "why": "A kept word comes with the next one from the same look: two for one. A struck word is replaced. So the text is always the "
    "target's own, and good guesses make it faster.",
    "again": "Three other sentences",
    "lab": "Guess longer texts in the Lab",
    "lost": "The page got no answer. Try again.",
}

# A question on the phones, of a chapter or of a rule: assets/poll/.
POLL = {
    "phones_ask": "Ask the phones",
    "phones_answer": "Show the answer",
    "phones_voted": "{voted} of {here} have answered.",
    **ROOM,
    "room_text": page_words.EXAMPLES[0],
    "room_lost": "The server did not answer. Try again.",
    "room_over": "The room has ended.",
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
TOO_MANY = "{rooms} rooms are open, and this is the most. One of them ends by itself within two hours."
TOO_MANY_HERE = "{rooms} rooms are open from your address, and this is the most. End one of them first."
TRIED = "Too many wrong codes came from your network address. Try again in a few seconds."
ROOM_OVER = "There is no such room: it has ended, or the code is wrong."
SEAT_GONE = "Your seat is free again: the teacher took the name off, or the phone was silent. Please join again."
VOTE_CLOSED = "This question is closed."
NO_CHOICE = "That is not an answer to this question."
TOO_LATE = "This round is closed: guess for the next one."
AT_WORK = "The round is being verified already."
NOBODY_GUESSED = "Nobody has guessed yet: there is nothing to verify."
TEXT_OVER = "The text is over: the teacher can begin another."
NAME_TOO_LONG = "A name takes at most {characters} characters."
TOO_BIG = "This message is too long."
NOT_READ = "This was not understood."

# The page that a phone opens; assets/join/join.js writes it.
PHONE = {
    "title": "You are the draft",
    "name": "Your name, if you like",
    "join": "Join",
    "text": "The text so far",
    "guess": "What comes next?",
    "inside": "continues the last word, without a space",
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
    "vote_wait": "Wait here: the lesson goes on.",
    "asked": "The lesson",
    "own": "Your guess",
    "own_keep": "{token} was drafted and accepted: u = {u} is below p/q = {p} / {q}.",
    "own_reject": "{token} was drafted and rejected: u = {u} is not below p/q = {p} / {q}.",
    "own_would_keep": "{token} was not drafted. It would have been accepted: u = {u} is below p/q = {p} / {q}.",
    "own_would_reject": "{token} was not drafted. It would have been rejected: u = {u} is not below p/q = {p} / {q}.",
    "own_keep_greedy": "{token}: the target writes it too.",
    "own_reject_greedy": "{token}: the target writes another token.",
    "own_rare": "{token} was not drafted. Its p is too small to be shown here.",
    "last": "The last round",
    "drawn": "Drafted from all guesses:",
    "went": "The text went on:",
    "accepted": "accepted",
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
    "Play five rounds at temperature 0.8, with three or four words each. Write down p, u and the verdict of each token. Which tokens had the "
    "largest p, and where in a word or sentence were they?",
    "Your q is 1 for what you typed. A token has p = 0.3: how often is it accepted? If it is rejected, with which chance does a token with p = 0.2 "
    "replace it?",
    "A room of 20 guesses the next token: 10 say a, 5 say b, 5 say c. The target has p(a) = 0.6, p(b) = 0.3, p(d) = 0.1. Calculate q and β. What "
    "would the chance be if only the guess a had been drafted?",
    "The class is wrong all the time. Is the text worse for it?",
)
KEY = (
    "Inside a word and after the first words of a phrase p is near 1. The first token of a new word or sentence is less certain.",
    "With chance 0.3. The residual is max(p − q, 0), scaled up: p without the token, divided by 0.7. So 0.2 becomes 0.2 / 0.7 = 0.29.",
    "q = (0.5, 0.25, 0.25, 0) for a, b, c, d. β = min(0.6, 0.5) + min(0.3, 0.25) + 0 + 0 = 0.75. For a alone q is 1, so the chance is 0.6.",
    "No. A rejected token is replaced from the residual, so the text follows the target's distribution. The class costs only time.",
)
