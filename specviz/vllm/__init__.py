"""vLLM's own rounds as traces: its engine in a process of its own, and an environment of its own, seen through a worker extension.

child/      runs there: vLLM's engine, watched. Imports torch, vllm and nothing of specviz
process.py  starts that process, talks to it in JSON lines, ends it
settings.py which settings it has
rounds.py   what it says, as the events of a trace
race.py     both lanes of one prompt
engine.py   what the page asks of an engine (page/engine.py)
"""
