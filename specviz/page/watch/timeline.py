"""The timeline under the lanes: the one chart that Plotly draws. It loads late, and nothing waits for it."""

import gradio as gr


def timeline(value=None) -> gr.Plot:
    return gr.Plot(value, show_label=False, container=False, elem_id="timeline")
