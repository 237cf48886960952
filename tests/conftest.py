"""Hypothesis repeats the same examples on every machine."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None, max_examples=200)
settings.load_profile("same")
