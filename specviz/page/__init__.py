"""The page: gradio lives here and nowhere else. `build.py` is the table of contents, `serve.py` what starts it."""

import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # gradio reads it when it is imported
