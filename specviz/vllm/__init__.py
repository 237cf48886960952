"""vLLM's own rounds as traces: its engine in a process of its own, and an environment of its own, seen through a worker extension
(child/, which imports torch, vllm and nothing of specviz).
"""
