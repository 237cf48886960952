"""The palette can be read by everyone in both themes, and the charts say what the trace says."""

from itertools import combinations, product

import pytest

from specviz.config import ASSETS
from specviz.picture import palette
from specviz.picture.charts import PARTS, timeline
from specviz.picture.palette import DARK, LIGHT, ROLES, SERIES

from ..fake_trace import fake_trace, rounds


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_can_be_read_and_lines_stand_out_on_their_grounds(theme):
    grounds, lines = (theme.page, theme.surface), [(palette.line(hue, theme), theme.page) for hue in SERIES.values()]
    roles = [(palette.ink(role.hue, theme), palette.fill(role.hue, theme), palette.line(role.hue, theme)) for role in ROLES]
    least = {
        7: [(theme.ink, ground) for ground in grounds],
        4.5: [
            *((theme.muted, ground) for ground in grounds),
            *((ink, ground) for ink, fill, _ in roles for ground in (fill, *grounds)),
            *((theme.ink, fill) for _, fill, _ in roles),
        ],
        # a chart that was drawn in the light theme stands on the dark page too
        3: [
            *lines, *((line, ground) for *_, line in roles for ground in grounds), (palette.field(theme), theme.page),
            *((palette.line(hue, LIGHT), DARK.page) for hue in SERIES.values()),
        ],
    }  # fmt: skip
    for ratio, pairs in least.items():
        assert [pair for pair in pairs if palette.contrast(*pair) < ratio] == [], ratio


def test_every_role_has_its_own_glyph_and_word():
    for a, b in combinations(ROLES, 2):
        assert a.glyph != b.glyph and a.word != b.word


def test_contrast_is_that_of_wcag():
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_stylesheet_names_every_role_in_both_themes_and_gives_what_has_it_its_colours():
    css = palette.css()
    for role, part in product(ROLES, ("ink", "fill", "line")):
        assert css.count(f"--sv-{role.name}-{part}:") == 2
        assert f"--role-{part}: var(--sv-{role.name}-{part})" in css.split(f'[data-role="{role.name}"]')[1].split("}")[0]


def test_the_bars_of_the_timeline_add_up_to_the_time_of_each_lane():
    trace = fake_trace()
    figure = timeline(trace)
    for name in ("vanilla", "speculative"):
        total = sum(x for part in figure.data for x, y in zip(part.x, part.y, strict=True) if y == name)
        assert total == pytest.approx(sum(r.times.timed for r in rounds(getattr(trace, name))), rel=1e-3)


def test_the_tooltip_tells_how_long_the_part_took_in_the_words_of_the_legend():
    trace = fake_trace()
    for lane, first in ((trace.vanilla, 0), (trace.speculative, len(rounds(trace.vanilla)))):
        r = rounds(lane)[1]
        tooltip = timeline(trace).data[1].hovertext[first + 1]
        assert tooltip.startswith(f"round 2: target pass {r.times.verify:.2f} ms ({len(r.drafted)} drafted, ")
        assert tooltip.endswith(", 1 new token)") == (len(r.emitted) == 1)


def test_vanilla_stands_above_speculative():
    assert timeline(fake_trace()).layout.yaxis.categoryarray[-1] == "vanilla"  # Plotly counts from below


def test_what_lies_over_the_timeline_has_the_margins_of_the_chart():
    margin, height = timeline(fake_trace()).layout.margin, timeline(fake_trace()).layout.height
    sheet = (ASSETS / "watch/timeline.css").read_text("utf-8")
    assert f"inset: auto {margin.r}px {margin.b}px {margin.l}px;\n  height: {height - margin.t - margin.b}px;" in sheet
    script = (ASSETS / "chart/timeline.js").read_text("utf-8")
    assert f"{{ left: {margin.l}, right: {margin.r}, top: {margin.t}, bottom: {margin.b} }};\nconst HEIGHT = {height};" in script


def test_the_timeline_has_one_bar_for_each_part_of_each_round_and_none_of_drafting_where_nothing_was_drafted():
    trace = fake_trace(short=True, K=4)
    speculative = rounds(trace.speculative)
    draft, verify, rest = timeline(trace).data
    assert [text.split(":")[0] for text in draft.hovertext] == [f"round {r.index + 1}" for r in speculative if r.drafted]
    assert len(verify.x) == len(rest.x) == len(speculative) + len(rounds(trace.vanilla))
    assert [part.name for part in (draft, verify, rest)] == [legend for *_, legend in PARTS]


def test_no_text_of_a_model_reaches_the_figure():
    assert "onerror" not in timeline(fake_trace("<img onerror=x>", hostile=True, max_new_tokens=300)).to_json()
