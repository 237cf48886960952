"""Settings of every test: hypothesis draws the same examples each time, and torch computes in one thread (two that share a
core with a browser or another test wait for each other most of the time)."""

import os

from hypothesis import settings

os.environ["OMP_NUM_THREADS"] = os.environ["SPECVIZ_THREADS"] = "1"

settings.register_profile("same", derandomize=True, deadline=None, database=None, max_examples=200)
settings.load_profile("same")
