"""One JSON line → one of our dataclasses, or `Refused`, which names the field and says what belongs there.

pydantic checks the types, strictly and without NaN; it is imported at the first line that is read and nothing else here
needs it. What is refused is quoted in a few characters only.
"""

import json
import reprlib
from collections import Counter
from dataclasses import field, fields, make_dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union

from ..config import ConfigError
from .grammar import out_of_range


class FieldError(ValueError):
    def __init__(self, field: str, problem: str):
        super().__init__(f"{field}: {problem}" if field else problem)
        self.field, self.problem = field, problem


def parse(line: bytes, kinds: dict[str, type], **tags: type):
    """The object that `line` holds: a dataclass of `kinds`, picked by the line's `event`, with the fields `tags` beside its own.

    Returns the value and the tags. Refused unless every field is known, there once, of its type and in its range."""
    from pydantic import ValidationError

    try:
        parsed = _line_adapter(tuple(kinds.items()), tuple(tags.items())).validate_json(line)
        json.loads(line.decode(), object_pairs_hook=unique_fields)
    except ValidationError as error:
        raise _field_error(error, list(kinds)) from None
    cls = kinds[parsed.event]
    value = cls(*(getattr(parsed, f.name) for f in fields(cls)))
    if problem := out_of_range(value):
        raise FieldError(*problem)
    return value, *(getattr(parsed, name) for name in tags)


@cache
def _line_adapter(kinds, tags):
    from pydantic import ConfigDict, Discriminator, TypeAdapter

    config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)  # the dataclasses inside inherit it
    lines = []
    for name, cls in kinds:
        own = [(f.name, f.type, field(default=f.default)) for f in fields(cls)]
        line = [("event", Literal[name]), *tags, *own]
        lines.append(make_dataclass(cls.__name__, line, namespace={"__pydantic_config__": config}))
    kind: Any = Annotated[Union[*lines], Discriminator("event")] if len(lines) > 1 else lines[0]  # made here: no checker knows it
    return TypeAdapter(kind)


def unique_fields(pairs: list) -> dict:
    """For json: the object, or Refused if a name is in it twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):  # looked for only then: a file may have a million objects
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise FieldError(short(twice), "is there twice")
    return fields


def _field_error(error, kinds: list[str]) -> FieldError:
    """The first of the errors that pydantic found."""
    if error.error_count() > 1000:  # naming one of a million takes seconds
        return FieldError("", "more than 1000 fields are wrong")
    first = error.errors(include_url=False)[0]
    kind, context, path = first["type"], first.get("ctx", {}), list(first["loc"])
    if path and path[0] in kinds and len(kinds) > 1:
        path.pop(0)  # pydantic puts the kind before the field
    if isinstance(context.get("error"), ConfigError):
        path, problem = [*path, context["error"].field], str(context["error"])
    elif kind == "json_invalid":
        problem = f"this is not JSON: {context['error'].split(' at line ')[0]}"
    elif kind.startswith("union_tag"):
        path, problem = ["event"], f"must be {', '.join(kinds)}"
    elif kind in ("missing", "unexpected_keyword_argument"):
        problem = "is missing" if kind == "missing" else "is no field of this line"
    else:
        problem = f"{first['msg'].replace('Input should', 'must')}, found {short(first['input'])}"
    return FieldError("".join(f"[{p}]" if isinstance(p, int) else "." + short(p) for p in path).removeprefix("."), problem)


_REPR = reprlib.Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother = 1, 40, 40


def short(value) -> str:
    """A few characters of `value`: its repr, or the plain name if it is one."""
    return value if isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) < 30 else _REPR.repr(value)
