"""The commands of `specviz`, a file each, and what several of them share; `specviz/__main__.py` joins them."""
