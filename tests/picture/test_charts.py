"""The palette can be read by everyone in both themes, and the charts say what the trace says."""

from itertools import combinations, product

import pytest

from specviz.config import ASSETS
from specviz.picture import palette
from specviz.picture.charts import PARTS, timeline
from specviz.picture.palette import DARK, LIGHT, ROLES, SERIES

from ..fake_trace import fake_trace, rounds

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)


@THEMES
def test_ink_and_muted_text_read_on_page_and_surface(theme):
    for ground in (theme.page, theme.surface):
        assert palette.contrast(theme.ink, ground) >= 7
        assert palette.contrast(theme.muted, ground) >= 4.5


@THEMES
@pytest.mark.parametrize("role", ROLES, ids=lambda r: r.name)
def test_a_token_reads_on_its_own_background_and_its_line_stands_out(theme, role):
    assert palette.contrast(palette.ink(role.hue, theme), palette.fill(role.hue, theme)) >= 4.5
    assert palette.contrast(theme.ink, palette.fill(role.hue, theme)) >= 4.5
    for ground in (theme.page, theme.surface):
        assert palette.contrast(palette.ink(role.hue, theme), ground) >= 4.5
        assert palette.contrast(palette.line(role.hue, theme), ground) >= 3


@THEMES
def test_the_bars_of_the_charts_stand_out(theme):
    for hue in SERIES.values():
        assert palette.contrast(palette.line(hue, theme), theme.page) >= 3


def test_chart_colours_made_for_the_light_theme_stand_out_on_the_dark_one():
    for hue in SERIES.values():
        assert palette.contrast(palette.line(hue, LIGHT), DARK.page) >= 3


@THEMES
def test_the_edge_of_a_field_can_be_seen(theme):
    assert palette.contrast(palette.field(theme), theme.page) >= 3


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


def test_the_timeline_has_one_bar_for_each_part_of_each_round():
    trace = fake_trace()
    draft, verify, rest = timeline(trace).data
    vanilla, speculative = (len(rounds(lane)) for lane in (trace.vanilla, trace.speculative))
    assert len(draft.x) == speculative  # nothing is drafted in the vanilla lane
    assert len(verify.x) == len(rest.x) == speculative + vanilla
    assert [t.name for t in (draft, verify, rest)] == [legend for *_, legend in PARTS]


def test_the_tooltip_tells_how_long_the_part_took_in_the_words_of_the_legend():
    trace = fake_trace()
    for lane, first in ((trace.vanilla, 0), (trace.speculative, len(rounds(trace.vanilla)))):
        r = rounds(lane)[1]
        told = timeline(trace).data[1].hovertext[first + 1]
        assert told.startswith(f"round 2: target pass {r.times.verify:.2f} ms ({len(r.drafted)} drafted, ")
        assert told.endswith(", 1 new token)") == (len(r.emitted) == 1)


def test_vanilla_stands_above_speculative():
    assert timeline(fake_trace()).layout.yaxis.categoryarray[-1] == "vanilla"  # Plotly counts from below


def test_what_lies_over_the_timeline_has_the_margins_of_the_chart():
    margin, height = timeline(fake_trace()).layout.margin, timeline(fake_trace()).layout.height
    sheet = (ASSETS / "watch/timeline.css").read_text("utf-8")
    assert f"inset: auto {margin.r}px {margin.b}px {margin.l}px;\n  height: {height - margin.t - margin.b}px;" in sheet
    script = (ASSETS / "chart/timeline.js").read_text("utf-8")
    assert f"{{ left: {margin.l}, right: {margin.r}, top: {margin.t}, bottom: {margin.b} }};\nconst HEIGHT = {height};" in script


def test_a_round_that_drafted_nothing_has_no_bar_of_drafting():
    trace = fake_trace(short=True, K=4)
    speculative = rounds(trace.speculative)
    draft, verify, _ = timeline(trace).data
    assert [text.split(":")[0] for text in draft.hovertext] == [f"round {r.index + 1}" for r in speculative if r.drafted]
    assert len(verify.x) == len(speculative) + len(rounds(trace.vanilla))


def test_no_text_of_a_model_reaches_the_figure():
    assert "onerror" not in timeline(fake_trace("<img onerror=x>", hostile=True, max_new_tokens=300)).to_json()
