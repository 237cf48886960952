"""The page: gradio lives here and nowhere else. `build.py` is the table of contents."""
