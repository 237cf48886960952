"""Numbers as JSON and a screen can have them: few digits, nothing infinite. Standard library only."""

from math import isfinite


def short(value: float | None) -> float | None:
    """Six significant digits are more than a screen shows and halve what is sent; JSON has no infinity."""
    return float(f"{value:.6g}") if value is not None and isfinite(value) else None


def shortened(value):
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    return short(value) if isinstance(value, float) else value


def ratio(part: float | None, whole: float | None) -> float | None:
    return short(part / whole) if part is not None and whole else None


def moment(ms: float) -> float:
    """A moment on a lane's clock, to a tenth of a microsecond at any length of run: moments may not change their order."""
    return round(ms, 4) if isfinite(ms) else 0.0
