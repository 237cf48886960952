"""Values as JSON and a screen can have them: few digits, nothing infinite, no markup. Standard library only."""

import json
import re
from math import isfinite

MARKUP = re.compile(r"<(?=[a-zA-Z/!?])")  # what an HTML reader takes for a tag, a comment or the end of a script


def json_text(value: dict | list | str) -> str:
    """One JSON string; `<` is escaped where markup could begin, so that no reader on the way can take it for that."""
    return MARKUP.sub(r"\\u003c", json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def six_digits(value: float | None) -> float | None:
    """Six significant digits are more than a screen shows and halve what is sent; JSON has no infinity. Of twelve, as other numbers are sent:
    a script that rounds those again and one that reads a file show the same."""
    return float(f"{float(f'{value:.12g}'):.6g}") if value is not None and isfinite(value) else None


def ratio(part: float | None, whole: float | None) -> float | None:
    return six_digits(part / whole) if part is not None and whole else None
