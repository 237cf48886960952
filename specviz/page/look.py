"""What the page is sent besides its components: its stylesheets, its script and its theme; and Plotly's script, with the first plot."""

import gradio as gr
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from ..config import PLOTLY
from ..picture import palette
from ..picture.replay import json_text, vocabulary
from ..picture.sheets import PAGE, as_global, style
from ..words import TAG


def head(folders: tuple[str, ...] = PAGE) -> str:
    """Palette and stylesheets, and the one script of all components. In the head, since Gradio rewrites the selectors of `css=`, and puts a
    script of the head into the page before it mounts anything. Menus are listened to at once: their buttons are there before the script
    has come by which Gradio mounts what is ours. And the page's language: Gradio says that it is English."""
    language = f"document.documentElement.lang = {json_text(TAG)};"
    return f"<style>{style(*folders)}</style>\n<script>\n{script()}\nspecviz.listenToMenus();\n{language}\n</script>"


def script() -> str:
    """`window.specviz`, which nothing can replace: a function for each component to be mounted with, and the words known to all."""
    return f"{as_global('specviz', 'page.js')}\nspecviz.setVocabulary({json_text(vocabulary())});"


def plotly() -> Route:
    """/plotly.js, which a browser keeps for a day."""

    def answer(_: Request) -> FileResponse:
        return FileResponse(PLOTLY, media_type="text/javascript", headers={"Cache-Control": "public, max-age=86400"})

    return Route("/plotly.js", answer)


def theme() -> gr.themes.Base:
    """Fonts of the visitor's own system (nothing is fetched) and the palette's neutrals."""
    variables = {
        "body_background_fill": "var(--sv-page)",
        "body_text_color": "var(--sv-ink)",
        "body_text_color_subdued": "var(--sv-muted)",
        "block_background_fill": "transparent",
        "block_border_width": "0px",
        "block_label_text_color": "var(--sv-muted)",
        "block_title_text_color": "var(--sv-muted)",
        "block_title_text_weight": "500",
        "border_color_primary": "var(--sv-rule)",
        "input_background_fill": "var(--sv-page)",
        "input_border_color": "var(--sv-rule)",
        "input_border_color_focus": "var(--sv-target)",
        "slider_color": "var(--sv-target)",
        "button_primary_background_fill": palette.BLUE,
        "button_primary_background_fill_hover": palette.mix("#000000", palette.BLUE, 0.165),
        "button_primary_text_color": "var(--sv-on-target)",
        "button_secondary_background_fill": "var(--sv-surface)",
        "button_secondary_background_fill_hover": "var(--sv-rule)",
        "button_secondary_text_color": "var(--sv-ink)",
    }
    dark = {
        f"{name}_dark": value
        for name, value in variables.items()
        if name not in ("block_border_width", "block_title_text_weight")
    }
    base = gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"], radius_size="sm")
    return base.set(**variables, **dark)
