"""Serves the page, as `specviz app` does: what a Space runs, and what runs where nothing but a checkout is there.

python app.py                    # http://127.0.0.1:7860
python app.py --port 7861        # or GRADIO_SERVER_PORT=7861
"""

import sys

from specviz.__main__ import main

if __name__ == "__main__":
    main("app", *sys.argv[1:])
