"""Builds and launches the app, nothing else.

python app.py                    # http://127.0.0.1:7860
python app.py --port 7861        # or GRADIO_SERVER_PORT=7861
"""

import argparse
import os
import socket
import sys

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # gradio reads it when it is imported

from specviz.page import words
from specviz.picture.words import TAGLINE


def main() -> int:
    on_space = "SPACE_ID" in os.environ
    env = os.environ.get
    parser = argparse.ArgumentParser(prog="app.py", description=TAGLINE)
    parser.add_argument("--host", default=env("GRADIO_SERVER_NAME") or ("0.0.0.0" if on_space else "127.0.0.1"))
    parser.add_argument("--port", type=int, default=env("GRADIO_SERVER_PORT") or 7860)
    args = parser.parse_args()
    if not 0 < args.port < 65536:
        parser.error(f"port is {args.port}; it must be from 1 to 65535")
    if in_use(args.host, args.port):  # asked first: models take seconds to load
        print(words.PORT_IN_USE.format(port=args.port, other=args.port + 1), file=sys.stderr)
        return 1

    from specviz.config import ConfigError
    from specviz.local import LocalEngine  # the one line that brings the models in
    from specviz.page.build import build, launch_settings
    from specviz.page.keep.recorded import load

    try:
        engine = LocalEngine()
        engine.warm()
    except ConfigError as error:  # of the environment: a device that is not there
        print(error, file=sys.stderr)
        return 2
    build(engine, load("opening")).launch(server_name=args.host, server_port=args.port, **launch_settings())
    return 0


def in_use(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
