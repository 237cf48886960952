"""The commands of `specviz`, and what several of them share; `specviz/__main__.py` joins them."""
