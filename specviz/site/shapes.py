"""The contract of traces as plain values, for the reader in a browser (assets/trace): made from the dataclasses and the settings themselves."""

from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..config import SETTINGS, DecodeConfig
from ..trace import file
from ..trace.events import Finished, Prefill, Round
from ..trace.grammar import LONG_TEXTS, MAX_CHARS, RANGE, WHOLE
from ..trace.header import Header

Shapes = dict[str, list]


def contract() -> dict:
    """What `readTrace` is given."""
    shapes: Shapes = {}
    for kind in (Header, Prefill, Round, Finished):
        _record(kind, shapes)
    limits = {"file": file.FILE_LIMIT, "line": file.LINE_LIMIT, "lines": file.LINES_LIMIT}
    return {"shapes": shapes, "limits": limits}


def _record(kind: Any, shapes: Shapes) -> str:
    name = kind.__name__
    if name not in shapes:
        shapes[name] = shape_fields = []
        hints = get_type_hints(kind)
        for f in fields(kind):
            info = SETTINGS.get(f.name) if kind is DecodeConfig else None
            bound = RANGE.get(kind, {}).get(f.name, (0, WHOLE))
            shape = _type(hints[f.name], bound, LONG_TEXTS.get(kind, {}).get(f.name, MAX_CHARS), shapes)
            if info and info.kind in (int, float):
                shape |= {"low": info.low, "high": info.high, "zero": info.or_zero}
            elif info and info.choices:
                shape = {"is": "one", "of": [*info.choices, *info.saved]}
            shape_fields.append([f.name, shape, *([] if f.default is MISSING else [f.default])])
    return name


def _type(hint: Any, bound: tuple[float, float], most: float, shapes: Shapes) -> dict:
    kind, inside = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return _type(inside[0], bound, most, shapes) | {"null": True}
    if kind is Literal:
        return {"is": "one", "of": list(inside)}
    if kind is tuple:
        return {"is": "list", "of": _type(inside[0], bound, most, shapes)}
    if is_dataclass(hint):
        return {"is": "record", "name": _record(hint, shapes)}
    if hint is bool:
        return {"is": "bool"}
    if hint is str:
        return {"is": "text", "most": _finite(most)}
    low, high = bound
    return {"is": {int: "int", float: "float"}[hint], "low": low, "high": _finite(high)}


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None
