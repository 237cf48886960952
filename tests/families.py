"""Model families as tiny checkpoints, made from transformers' own configs: what each is asked for, and what must hold of it.

FAMILIES["gemma2"].make()               # a transformers model, fp32, random, the same on every machine
"""

from dataclasses import dataclass, field

import torch
import transformers
from transformers import AutoModelForCausalLM

WINDOW = 16
LENGTH = 320
SIZES = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "tie_word_embeddings": False,
}
KEPT = ("A_log", "dt_bias", "D", "dt_proj", "inv_freq", "slope", "recurrent_param")  # random numbers there let a state overflow


@dataclass(frozen=True)
class Family:
    """`config`: of transformers; `fields`: what is set beside SIZES, None for one that it does not take. `holds`: `window`, a layer keeps
    no more than that; `state`, a layer has a state that cannot be cut; `refused`: words of the reason."""

    config: str
    fields: dict = field(default_factory=dict)
    holds: str = ""
    refused: str = ""

    def make(self, seed: int = 0, noise: float = 0.0, **change):
        """`noise`: how far a draft's weights are from the target's, in their own standard deviations."""
        change |= (
            {"vocab_size_per_layer_input": change["vocab_size"]} if change and "vocab_size_per_layer_input" in self.fields else {}
        )
        fields = {key: value for key, value in (SIZES | self.fields | change).items() if value is not None}
        config = getattr(transformers, self.config)(**fields)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
            for name, weight in model.named_parameters():
                if any(part in name for part in KEPT):
                    continue
                if weight.ndim > 1:
                    size = 1.0 if "emb" in name or "wte" in name else weight.shape[-1] ** -0.5
                    torch.nn.init.normal_(weight, std=3 * size if "lm_head" in name else size)
                elif name.endswith("bias"):
                    torch.nn.init.normal_(weight, std=0.3)
                else:
                    torch.nn.init.uniform_(weight, 0.5, 1.5)
            for weight in model.parameters() if noise else ():
                if weight.ndim > 1:
                    weight.data += noise * weight.std() * torch.randn(weight.shape)
        return model.requires_grad_(False)


W = {"sliding_window": WINDOW}
BOTH = {"layer_types": ["sliding_attention", "full_attention"], **W}
LINEAR = {"layer_types": ["linear_attention", "full_attention"]}
GATED = {
    **LINEAR,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
MAMBA2 = {
    "mamba_n_heads": 8,
    "mamba_d_head": 8,
    "mamba_d_state": 8,
    "mamba_n_groups": 1,
    "mamba_chunk_size": 16,
    "mamba_expand": 2,
}
LONGROPE = {
    "rope_parameters": {
        "rope_type": "longrope",
        "rope_theta": 1e4,
        "short_factor": [1.0] * 4,
        "long_factor": [2.0, 3.0, 4.0, 5.0],
        "original_max_position_embeddings": 64,
    },
    "original_max_position_embeddings": 64,
}
DEEPSEEK = {
    "kv_lora_rank": 16,
    "q_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "head_dim": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "num_key_value_heads": 4,
}
FAMILIES = {
    "llama": Family("LlamaConfig"),
    "qwen2": Family("Qwen2Config"),
    "qwen3": Family("Qwen3Config"),
    "qwen3 moe": Family("Qwen3MoeConfig", EXPERTS),
    "mixtral": Family("MixtralConfig", {"num_local_experts": 4}),
    "gemma": Family("GemmaConfig"),
    "phi": Family("PhiConfig"),
    "olmo": Family("OlmoConfig"),
    "olmo2": Family("Olmo2Config"),
    "granite": Family("GraniteConfig"),
    "falcon": Family("FalconConfig", {"new_decoder_architecture": True, "num_kv_heads": 2, "head_dim": None}),
    "gpt neox": Family("GPTNeoXConfig"),
    "gpt2": Family("GPT2Config", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512}),
    "opt": Family("OPTConfig", {"ffn_dim": 48, "word_embed_proj_dim": 32}),
    "bloom": Family("BloomConfig", {"n_layer": 2, "n_head": 4}),
    "mpt": Family("MptConfig", {"d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 512}),
    "deepseek v2": Family("DeepseekV2Config", DEEPSEEK),
    "deepseek v3": Family("DeepseekV3Config", DEEPSEEK),
    "glm4": Family("Glm4Config"),
    "smollm3": Family("SmolLM3Config"),
    "cohere": Family("CohereConfig"),
    "nemotron": Family("NemotronConfig"),
    "stablelm": Family("StableLmConfig"),
    "seed-oss": Family("SeedOssConfig"),
    "hunyuan": Family("HunYuanDenseV1Config"),
    "diffllama": Family("DiffLlamaConfig"),
    "gpt-j": Family("GPTJConfig", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, "rotary_dim": 4}),
    "qwen2 moe": Family("Qwen2MoeConfig", {**EXPERTS, "shared_expert_intermediate_size": 24}),
    "minimax m2": Family("MiniMaxM2Config", {"num_local_experts": 4, "num_experts_per_tok": 2, "rotary_dim": 8}),
    "longcat flash": Family(
        "LongcatFlashConfig",
        {**DEEPSEEK, "num_layers": 2, "zero_expert_num": 1, "moe_topk": 2, "ffn_hidden_size": 48, "expert_ffn_hidden_size": 24},
    ),
    "glm4 moe lite": Family("Glm4MoeLiteConfig", DEEPSEEK),
    "solar open": Family("SolarOpenConfig", {**DEEPSEEK, "num_key_value_heads": 2}),
    "gemma2": Family("Gemma2Config", {**BOTH, "query_pre_attn_scalar": 8}, "window"),
    "gemma3": Family("Gemma3TextConfig", {**BOTH, "query_pre_attn_scalar": 8}, "window"),
    "gemma3n": Family(
        "Gemma3nTextConfig",
        {
            **BOTH,
            "layer_types": ["sliding_attention", "full_attention"] * 2,
            "num_hidden_layers": 4,
            "num_kv_shared_layers": 2,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": 97,
            "laurel_rank": 4,
            "altup_num_inputs": 2,
            "activation_sparsity_pattern": None,
            "intermediate_size": [48] * 4,
        },
        "window",
    ),
    "gemma4": Family(
        "Gemma4TextConfig",
        {
            **BOTH,
            "layer_types": ["sliding_attention", "full_attention"] * 2,
            "num_hidden_layers": 4,
            "num_kv_shared_layers": 2,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": 97,
            "global_head_dim": 16,
        },
        "window",
    ),
    "gpt-oss": Family("GptOssConfig", {**BOTH, "num_local_experts": 4, "num_experts_per_tok": 2}, "window"),
    "olmo3": Family("Olmo3Config", BOTH, "window"),
    "cohere2": Family("Cohere2Config", BOTH, "window"),
    "exaone4": Family("Exaone4Config", BOTH, "window"),
    "vaultgemma": Family("VaultGemmaConfig", {**BOTH, "query_pre_attn_scalar": 8}, "window"),
    "exaone moe": Family("ExaoneMoeConfig", {**BOTH, **EXPERTS, "n_group": 1, "topk_group": 1}, "window"),
    "cwm": Family("CwmConfig", BOTH, "window"),
    "ministral": Family("MinistralConfig", BOTH, "window"),
    "ministral3": Family("Ministral3Config", W, "window"),
    "mistral, window": Family("MistralConfig", W, "window"),
    "qwen2, window": Family("Qwen2Config", {**BOTH, "use_sliding_window": True, "max_window_layers": 1}, "window"),
    "starcoder2, window": Family("Starcoder2Config", W, "window"),
    "phi3, window": Family("Phi3Config", W, "window"),
    "llama4": Family(
        "Llama4TextConfig",
        {
            "layer_types": ["chunked_attention", "full_attention"],
            "attention_chunk_size": WINDOW,
            "no_rope_layers": [1, 0],
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
            "intermediate_size_mlp": 48,
            "interleave_moe_layer_step": 2,
        },
        "window",
    ),
    "qwen3-next": Family("Qwen3NextConfig", {**GATED, **EXPERTS, "shared_expert_intermediate_size": 24}, "state"),
    "qwen3.5": Family("Qwen3_5TextConfig", GATED, "state"),
    "qwen3.5 moe": Family("Qwen3_5MoeTextConfig", {**GATED, **EXPERTS, "shared_expert_intermediate_size": 24}, "state"),
    "olmo hybrid": Family("OlmoHybridConfig", {**GATED, "linear_num_key_heads": 4}, "state"),
    "granite hybrid": Family(
        "GraniteMoeHybridConfig",
        {
            "layer_types": ["linear_attention", "full_attention"],
            **MAMBA2,
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
            "shared_intermediate_size": 24,
        },
        "state",
    ),
    "falcon-h1": Family("FalconH1Config", {**MAMBA2, "mamba_d_ssm": 64}, "state"),
    "jamba": Family(
        "JambaConfig",
        {
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "mamba_d_state": 8,
            "mamba_dt_rank": 4,
            "use_mamba_kernels": False,
        },
        "state",
    ),
    "bamba": Family("BambaConfig", {**MAMBA2, "attn_layer_indices": [1]}, "state"),
    "lfm2": Family(
        "Lfm2Config",
        {"layer_types": ["conv", "full_attention"], "conv_L_cache": 3, "block_ff_dim": 48, "block_multiple_of": 16},
        "state",
    ),
    "mamba": Family("MambaConfig", {"state_size": 8, "time_step_rank": 4}, "state"),
    "mamba2": Family(
        "Mamba2Config",
        {"num_heads": 8, "head_dim": 8, "state_size": 8, "n_groups": 1, "chunk_size": 16, "num_attention_heads": None},
        "state",
    ),
    "falcon mamba": Family("FalconMambaConfig", {"state_size": 8, "time_step_rank": 4}, "state"),
    "minimax": Family(
        "MiniMaxConfig",
        {
            "layer_types": ["linear_attention", "full_attention"],
            "block_size": 16,
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
        "state",
    ),
    "recurrent gemma": Family(
        "RecurrentGemmaConfig",
        {"block_types": ["recurrent", "attention"], "attention_window_size": WINDOW, "lru_width": 32, "conv1d_width": 4},
        refused="in its cache",
    ),
    "zamba2": Family(
        "Zamba2Config",
        {
            "layers_block_type": ["mamba", "hybrid"],
            "mamba_d_state": 8,
            "mamba_headdim": 8,
            "mamba_ngroups": 1,
            "n_mamba_heads": 8,
            "chunk_size": 16,
            "attention_hidden_size": 64,
            "num_mem_blocks": 1,
            "head_dim": None,
        },
        refused="in its cache",
    ),
    "nemotron-h": Family(
        "NemotronHConfig",
        {
            "layers_block_type": ["mamba", "attention"],
            "ssm_state_size": 8,
            "mamba_num_heads": 8,
            "mamba_head_dim": 8,
            "n_groups": 1,
            "chunk_size": 16,
        },
        "state",
    ),
    "kimi linear": Family(
        "KimiLinearConfig",
        {
            "layer_types": ["linear_attention", "full_attention"],
            "mlp_layer_types": ["dense", "dense"],
            "linear_head_dim": 8,
            "linear_num_heads": 4,
            "kv_lora_rank": 16,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "num_key_value_heads": 4,
        },
        "state",
    ),
    "phi3, longrope": Family("Phi3Config", {**LONGROPE, "sliding_window": None}),
    "llama, longrope": Family("LlamaConfig", LONGROPE),
    "bert": Family("BertConfig", {"is_decoder": False}, refused="looks ahead"),
    "bert, decoder": Family("BertConfig", {"is_decoder": True}),
    "bart decoder": Family(
        "BartConfig",
        {
            "is_encoder_decoder": False,
            "is_decoder": True,
            "d_model": 32,
            "decoder_layers": 2,
            "decoder_attention_heads": 4,
            "decoder_ffn_dim": 48,
            "encoder_layers": 1,
        },
    ),
    "xlnet": Family(
        "XLNetConfig",
        {"max_position_embeddings": None, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48},
        refused="looks ahead",
    ),
    "rwkv": Family("RwkvConfig", {"attention_hidden_size": 32}, refused="cache"),
}


ONE = "state, copied after each token: a pass takes one token, so a run is no faster than the target alone"
NOTES = {
    **dict.fromkeys(("jamba", "mamba", "falcon mamba", "minimax"), ONE),
    "phi3, longrope": "cut; fed again where its positions change, as generate() does",
    "llama, longrope": "cut; a text ends where its positions change",
    "llama4": "a chunk keeps its positions and a block; cut",
    "bart decoder": "cut; generate() forces an end at its last token, which is its own setting",
    "bert": "it looks ahead",
    "xlnet": "it looks ahead",
    "recurrent gemma": "it keeps its state in its layers, where two texts disturb each other",
    "zamba2": "a token alone has other logits than the same token in a block, also in transformers' generate()",
    "rwkv": "it takes no cache of transformers",
}
