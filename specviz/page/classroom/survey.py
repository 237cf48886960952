"""The same questions before and after a lesson, on each phone at its own pace. What was answered has no name.

survey.begin("before", questions)        # … and "after"; None: no more answers
survey.answer(seat, "before", 0, 2)
survey.rows()                           # for each phone its answers before and after
"""

from dataclasses import dataclass, field

from . import words

TIMES = ("before", "after")


@dataclass(slots=True)
class Survey:
    """`questions`: each with its choices. `now`: one of TIMES, None while nothing is asked. `sheets`: by seat and time the choice of each
    question, None where none was made. `answer_count`: how often an answer came, so that a page knows when to look again."""

    questions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    now: str | None = None
    sheets: dict[str, dict[str, list[int | None]]] = field(default_factory=dict)
    answer_count: int = 0

    def begin(self, now: object, questions: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
        self.now, self.questions = next((time for time in TIMES if time == now), None), questions

    def answer(self, seat: str, now: object, question: object, choice: object) -> None:
        """Answer, or answer anew. Raises ValueError for what is not asked now, and for what is no choice of it."""
        if self.now is None or now != self.now:
            raise ValueError(words.VOTE_CLOSED)
        if type(question) is not int or not 0 <= question < len(self.questions):
            raise ValueError(words.NO_CHOICE)
        if type(choice) is not int or not 0 <= choice < len(self.questions[question][1]):
            raise ValueError(words.NO_CHOICE)
        self.sheets.setdefault(seat, {}).setdefault(self.now, [None] * len(self.questions))[question] = choice
        self.answer_count += 1

    def questions_for(self, seat: str) -> dict | None:
        if self.now is None:
            return None
        own = self.sheets.get(seat, {}).get(self.now) or [None] * len(self.questions)
        return {"now": self.now, "questions": [{"ask": ask, "choices": choices} for ask, choices in self.questions], "own": own}

    def progress(self) -> dict:
        """How many phones have answered all that is asked now."""
        sheets = [sheet[self.now] for sheet in self.sheets.values() if self.now in sheet] if self.now else []
        return {"now": self.now, "done": sum(None not in sheet for sheet in sheets), "given": self.answer_count}

    def rows(self) -> list[dict]:
        """By phone, None for a time at which it gave no answer. Their order is that of the answers and says nothing of who came when."""
        return sorted(({time: sheet.get(time) for time in TIMES} for sheet in self.sheets.values()), key=str)
