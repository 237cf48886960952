"""The one palette: each role a colour and a glyph, and its word from words/; tokens, charts and text all read them here.

The hues are Okabe & Ito's, which stay apart for colour-blind eyes. What is drawn from a hue (text, background, line) is mixed
towards the theme's own ink or page until it reads: 4.5:1 for text and 3:1 for lines, as WCAG 2.2 AA asks.
"""

from dataclasses import dataclass

from ..words import picture


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    glyph: str
    hue: str


@dataclass(frozen=True, slots=True)
class Theme:
    """The neutral colours of a theme. `surface` lies on `page`; `rule` separates; `ink` is text and `muted` is lesser text."""

    name: str
    page: str
    surface: str
    rule: str
    ink: str
    muted: str
    wash: float  # how much of a hue goes into a token's background


BLUE, SKY, GREEN, ORANGE, VERMILLION, PURPLE, GREY = "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#808890"

ROLES = (
    Role("prompt", "›", GREY),
    Role("drafted", "◌", ORANGE),
    Role("accepted", "✓", GREEN),
    Role("rejected", "✗", VERMILLION),
    Role("unexamined", "–", GREY),
    Role("corrected", "↻", PURPLE),
    Role("bonus", "+", SKY),
    Role("plain", "·", BLUE),
)
# The two models and the parts of a round: blue is the target wherever it works, orange the draft.
SERIES = {"target": BLUE, "draft": ORANGE, "rest": GREY}  # rest: deciding too

LIGHT = Theme("light", "#ffffff", "#f6f7f8", "#dfe3e7", "#171c22", "#56606b", 0.14)
DARK = Theme("dark", "#0f1419", "#171e25", "#2c3640", "#e9edf1", "#a4b0bc", 0.2)


def _channels(colour: str) -> bytes:
    return bytes.fromhex(colour[1:])


def mix(a: str, b: str, share: float) -> str:
    """`share` of `a` in `b`."""
    return "#" + "".join(f"{round(share * x + (1 - share) * y):02x}" for x, y in zip(_channels(a), _channels(b), strict=True))


def contrast(a: str, b: str) -> float:
    """The ratio of relative luminances, 1 to 21 (WCAG 2.2, 1.4.3)."""
    dark, light = sorted(_luminance(c) for c in (a, b))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (x / 255 for x in _channels(colour))]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def readable(hue: str, ground: str, towards: str, ratio: float) -> str:
    """`hue` itself if it stands out from `ground` by `ratio`, else the least mixture with `towards` that does."""
    return next(c for c in (mix(towards, hue, step / 20) for step in range(21)) if contrast(c, ground) >= ratio)


def fill(hue: str, theme: Theme) -> str:
    """The background behind a token."""
    return mix(hue, theme.page, theme.wash)


def ink(hue: str, theme: Theme) -> str:
    """Text in a hue, on its own background, on the page or on a surface. (6:1, since a projector washes out)."""
    grounds = (fill(hue, theme), theme.page, theme.surface)
    return next(c for c in (mix(theme.ink, hue, s / 20) for s in range(21)) if all(contrast(c, g) >= 6 for g in grounds))


def line(hue: str, theme: Theme) -> str:
    """Bars, underlines and outlines in a hue, on the page or on a surface. Mixed with pure black or white, which keeps it vivid."""
    pole = "#000000" if theme is LIGHT else "#ffffff"
    return readable(readable(hue, theme.page, pole, 3.1), theme.surface, pole, 3.1)


def field(theme: Theme) -> str:
    """The edge of a field to type in."""
    return mix(theme.muted, theme.page, 0.75)


def css() -> str:
    """The palette as CSS variables: for the light theme, under Gradio's `.dark` for the dark one, and by `data-role`."""
    themes = {":root": LIGHT, ".dark, :root:has(> body.dark)": DARK}
    rules = [f"{selector} {{\n{_variables(theme)}\n}}" for selector, theme in themes.items()]
    return "\n".join([*rules, *(_own(role.name) for role in ROLES)])


def _own(role: str) -> str:
    """What has a role has its colours as `--role-ink`, `--role-fill` and `--role-line`."""
    variables = " ".join(f"--role-{each}: var(--sv-{role}-{each});" for each in ("ink", "fill", "line"))
    return f'[data-role="{role}"] {{ {variables} }}'


def _variables(theme: Theme) -> str:
    names = ("page", "surface", "rule", "ink", "muted")
    values = {f"--sv-{name}": getattr(theme, name) for name in names}
    for role in ROLES:
        values[f"--sv-{role.name}-fill"] = fill(role.hue, theme)
        values[f"--sv-{role.name}-ink"] = ink(role.hue, theme)
        values[f"--sv-{role.name}-line"] = line(role.hue, theme)
    values["--sv-on-target"] = LIGHT.page  # what is written on the target's own colour, which is the same in both
    values["--sv-field"] = field(theme)
    values["--sv-shared"] = mix(GREEN, theme.page, 0.3)  # under min(p, q), behind thin bars: stronger than a token's wash
    for name, hue in SERIES.items():
        values[f"--sv-{name}"] = line(hue, theme)
        values[f"--sv-{name}-ink"] = ink(hue, theme)
    return "\n".join(f"{name}:{value};" for name, value in values.items())


def for_browser() -> dict:
    """Glyph and word of each role, for the page's own script."""
    return {role.name: {"glyph": role.glyph, "word": picture.ROLES[role.name]} for role in ROLES}
