"""transformers drafts by the same script."""

import torch

from scripts.gpu import shapes
from scripts.gpu.place import scripted_peer
from scripts.gpu.scripted import Script

from ...tiny_shapes import PROMPT, built


def test_scripted_peers_say_what_the_script_says_and_count_the_same_tokens():
    target, _ = built()
    script = Script.of(target, PROMPT, 20)
    draft = shapes.peer("tiny-llama", torch.device("cpu"), torch.float32, "tiny-draft", True)
    for seed in (1, 2):  # a script replaces the one before
        said = script.proposals(0.5, seed)
        scripted_peer(draft, said)
        out = draft.generate(torch.tensor([PROMPT]), max_new_tokens=6, do_sample=False, pad_token_id=0)
        assert out[0, len(PROMPT) :].tolist() == said[len(PROMPT) : len(PROMPT) + 6].tolist()
