"""Public pairs that can be picked where there is a network: what each needs, and how it is run.

Sizes are of the weights in the dtype named, target and draft together; a run needs a little more. Nothing is fetched before
somebody picks one, and then safetensors only. A gated model needs its licence accepted on the hub, and a login.
"""

from dataclasses import dataclass

THROUGH = "through transformers"


@dataclass(frozen=True, slots=True)
class PublicPair:
    """`draft` as `draft.choose` reads it. `chat`: prompts go through the model's chat template."""

    target: str
    draft: str
    gigabytes: float
    dtype: str
    licence: str
    gated: bool = False
    chat: bool = False
    note: str = ""

    @property
    def own(self) -> bool:
        """Whether our own forward pass runs it, which keeps weights as they are stored."""
        return self.note != THROUGH


PUBLIC = (
    PublicPair("HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-135M", 3.7, "bfloat16", "Apache-2.0"),
    PublicPair("HuggingFaceTB/SmolLM2-1.7B-Instruct", "HuggingFaceTB/SmolLM2-135M-Instruct", 3.7, "bfloat16", "Apache-2.0", chat=True),
    PublicPair("Qwen/Qwen3-4B", "Qwen/Qwen3-0.6B", 9.5, "bfloat16", "Apache-2.0", chat=True),
    PublicPair("Qwen/Qwen3-8B", "Qwen/Qwen3-0.6B", 17.9, "bfloat16", "Apache-2.0", chat=True),
    PublicPair(
        "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.2-1B-Instruct", 18.5, "bfloat16", "Llama 3.1 and 3.2", gated=True, chat=True
    ),
    PublicPair(
        "meta-llama/Llama-3.1-8B-Instruct", "eagle:yuhuili/EAGLE3-LLaMA3.1-Instruct-8B", 16.9, "bfloat16", "Llama 3.1", gated=True,
        chat=True, note="an EAGLE-3 head; refused where the head's weights are not to be had as safetensors",
    ),
    PublicPair("facebook/layerskip-llama3.2-1B", "early-exit:4", 2.5, "bfloat16", "FAIR non-commercial", gated=True, note="LayerSkip"),
    PublicPair("facebook/layerskip-llama3-8B", "early-exit:8", 16.1, "bfloat16", "FAIR non-commercial", gated=True, note="LayerSkip"),
    PublicPair("XiaomiMiMo/MiMo-7B-Base", "mtp", 15.7, "bfloat16", "MIT", note="one multi-token head in the target's checkpoint"),
    PublicPair("EleutherAI/pythia-2.8b", "EleutherAI/pythia-160m", 6.0, "float16", "Apache-2.0", note=THROUGH),
    PublicPair("openai-community/gpt2-large", "distilbert/distilgpt2", 3.4, "float32", "MIT", note=THROUGH),
)  # fmt: skip
