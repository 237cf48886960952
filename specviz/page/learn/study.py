"""A study that a class can run: eight questions, the same before and after the lesson. Learn asks them on the phones and counts; or they
are printed: a sheet before the lesson, the same after it, and the teacher's with the key and a table to fill in.

Path("study.html").write_text(study_sheets())      # specviz print --study --out study.html

The lesson's six stops answer each of them, in other words than a chapter's own question. Nobody's name is asked for.
"""

from html import escape

from .chapter import Question
from .printed import file, html_list, paragraphs, table

UNSURE = "I do not know"  # the last choice of each: who guesses hides what a lesson changed

QUESTIONS = (
    Question(
        "A large model reads 5 tokens in one pass. This takes almost as long as a pass over 1 token. Why?",
        (
            "Most of the time goes into reading the weights, once for all five tokens",
            "The model skips most of its layers",
            "Only one of the five tokens is computed",
        ),
        0,
        "A pass of a dense model reads all weights, for one token or for five. Chapter 2.",
    ),
    Question(
        "3 tokens are drafted. The target reads them in one pass. How many distributions for a next token come out?",
        ("1", "3", "4"),
        2,
        "One after the last token of the text and one after each drafted token: K + 1. Chapter 4.",
    ),
    Question(
        "4 tokens are drafted and the second is rejected. What happens to the third and the fourth?",
        ("They are tested next", "They are thrown away", "They are accepted if the target gives them a large probability"),
        1,
        "They stand after a token that is gone. Chapter 4.",
    ),
    Question(
        "The draft gave token x the probability q(x) = 0.8. The target gives it p(x) = 0.2. How often is x accepted once it is drafted?",
        ("1 time in 4", "2 times in 10", "8 times in 10"),
        0,
        "p/q = 0.2 / 0.8 = 0.25. Chapter 5.",
    ),
    Question(
        "p is the target's distribution, q the draft's. A drafted token is rejected. From what is its replacement drawn?",
        ("From p", "From q", "From max(p − q, 0), scaled to a sum of 1"),
        2,
        "Drawn from p, some tokens would come out too often. Chapter 6.",
    ),
    Question(
        "The draft guesses badly. What does this change, if the rule is exact?",
        ("The text is worse", "The text takes longer", "The text is worse and takes longer"),
        1,
        "A rejected token is replaced so that the text follows the target. Chapter 6 and the room.",
    ),
    Question(
        "Draft A: 7 of 10 tokens are accepted, and a step costs 0.02 of a target pass. Draft B: 9 of 10, and a step costs 0.5. Each drafts 4 tokens "
        "per round. Which is faster?",
        ("Draft A", "Draft B", "Both are equally fast"),
        0,
        "With v = 1 the formula gives 2.57× for A and 1.37× for B. Chapter 9.",
    ),
    Question(
        "Where does drafting gain least?",
        (
            "One user of a large model",
            "One user, and a text that repeats itself",
            "A server that decodes hundreds of texts at once",
        ),
        2,
        "A full server has no idle arithmetic left. Chapter 11.",
    ),
)

# The dialog in Learn (assets/learn/study.js).
WORDS = {
    "title": "A study with your class",
    "what": "Ask the same eight questions before and after the lesson, on phones or on paper. No name is asked for. This page counts the answers.",
    "before": "Ask before the lesson",
    "after": "Ask after the lesson",
    "end": "End the questions",
    "done": "Phones that have answered all: {done} of {here}.",
    "idle": "No questions are on the phones.",
    "paper": "From paper, a line for each student: the word, the answers before, the answers after",
    "paper_how": "Write a letter for each question, as in river DDDDADDB ACBACBAC. Write - for a question without an answer, or for a sheet that is "
    "missing.",
    "paper_wrong": "This line cannot be read: {line}",
    "print": "Sheets to print",
    "save": "Save the answers",
    "none": "No answers yet.",
    "question": "question",
    "right_before": "right before",
    "right_after": "right after",
    "gained": "wrong, then right",
    "lost": "right, then wrong",
    "share": "{right} of {of}",
    "range": "{least}–{most} %",
    "pairs": "Students who answered at both times: {n}. Right answers on average: {before} before, {after} after. More right after the lesson: {more}. "
    "Fewer: {fewer}. As many: {same}.",
    "chance": "Suppose more and fewer were equally likely. A result at least this one-sided would have the chance {p}.",
    "intervals": "In small type: the exact interval for the share, 95 %. A question without an answer counts as not right.",
    "limits": "There is no class to compare with. The numbers say what changed, not why: being asked twice also teaches.",
}

# What is printed.
PRINTED = {
    "title": "Eight questions",
    "before": "Before the lesson",
    "after": "After the lesson",
    "word": "A word that only you know:",
    "how": "Do not write your name. Write the same word on both sheets. Choose one answer for each question. If you do not know, say so.",
    "teacher": "For the teacher: the study",
    "steps": (
        "Hand out the first sheet before the lesson, and collect it. Hand out the second sheet after the lesson.",
        "On phones: press Lesson and Study in Learn, then Ask before the lesson. Keep the room open until the questions after the lesson are answered.",
        "To count: type the answers into Study in Learn, a line for each student. It shows counts, exact intervals and an exact test.",
        "To count by hand: lay the two sheets with the same word side by side, and fill in the table.",
        "One class without a class to compare with shows what changed, not why.",
    ),
    "key": "Key",
    "score": "Score",
    "columns": ("question", "right before", "right after", "wrong, then right", "right, then wrong"),
    "all": "all",
}


def study_sheets() -> str:
    return file(PRINTED["title"], [*(_students(PRINTED[time]) for time in ("before", "after")), _teachers()])


def _students(time: str) -> str:
    head = f"<h2>{escape(PRINTED['title'])}: {escape(time.lower())}</h2>{paragraphs((PRINTED['how'],))}"
    word = f'<div class="name"><p>{escape(PRINTED["word"])} <span></span></p></div>'
    questions = "".join(f"<li>{escape(one.ask)}{_choices((*one.choices, UNSURE))}</li>" for one in QUESTIONS)
    return f'<section class="study">{head}{word}<ol>{questions}</ol></section>'


def _choices(choices: tuple[str, ...]) -> str:
    return f'<ol class="letters">{"".join(f"<li>{escape(choice)}</li>" for choice in choices)}</ol>'


def _teachers() -> str:
    key = "".join(f"<li>{'ABC'[one.right]}. {escape(one.why)}</li>" for one in QUESTIONS)
    rows = [(name, "", "", "", "") for name in (*map(str, range(1, len(QUESTIONS) + 1)), PRINTED["all"])]
    return (
        f'<section class="teacher study"><h2>{escape(PRINTED["teacher"])}</h2>{html_list(PRINTED["steps"])}'
        f"<h3>{escape(PRINTED['key'])}</h3><ol>{key}</ol>"
        f"<h3>{escape(PRINTED['score'])}</h3>{table(PRINTED['columns'], rows, 'empty')}</section>"
    )
