"""Model families as tiny checkpoints, made from transformers' own configs: what each is asked for, and what must hold of it.

FAMILIES["gemma2"].make()               # a transformers model, fp32, random, the same on every machine
"""

from dataclasses import dataclass, field

import transformers

from . import tiny

WINDOW = 16
LENGTH = 320
SIZES = {
    "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 512, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "tie_word_embeddings": False,
}  # fmt: skip


@dataclass(frozen=True)
class Family:
    """`config`: of transformers; `fields`: what is set beside SIZES, None for one that it does not take. `holds`: `window`, a layer keeps
    no more than that; `state`, a layer has a state that cannot be cut; `refused`: words of the reason; `seed`: of its weights, one whose
    greedy text repeats little."""

    config: str
    fields: dict = field(default_factory=dict)
    holds: str = ""
    refused: str = ""
    seed: int = 0

    def make(self, noise: float = 0.0, **change):
        """`noise`: how far a draft's weights are from the target's, in their own standard deviations."""
        if "vocab_size" in change and "vocab_size_per_layer_input" in self.fields:
            change["vocab_size_per_layer_input"] = change["vocab_size"]
        fields = {key: value for key, value in (SIZES | self.fields | change).items() if value is not None}
        return tiny.make(getattr(transformers, self.config)(**fields), self.seed, noise=noise)


def family(config: str, holds: str = "", refused: str = "", seed: int = 0, **fields) -> Family:
    return Family(config, fields, holds, refused, seed)


W = {"sliding_window": WINDOW}
BOTH = {"layer_types": ["sliding_attention", "full_attention"], **W}
SHARED = {
    **BOTH, "layer_types": BOTH["layer_types"] * 2, "num_hidden_layers": 4, "num_kv_shared_layers": 2,
    "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 97,
}  # fmt: skip
LINEAR = {"layer_types": ["linear_attention", "full_attention"]}
GATED = {
    **LINEAR, "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
}  # fmt: skip
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
MAMBA2 = {
    "mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 16, "mamba_expand": 2,
}  # fmt: skip
LONGROPE = {
    "rope_parameters": {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0] * 4, "long_factor": [2.0, 3.0, 4.0,
        5.0], "original_max_position_embeddings": 64},
    "original_max_position_embeddings": 64,
}  # fmt: skip
LATENT = {"kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8, "num_key_value_heads": 4}
DEEPSEEK = {
    **LATENT, "q_lora_rank": 16, "head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
    "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
}  # fmt: skip
TWO_EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
FAMILIES = {
    "llama": family("LlamaConfig"),
    "qwen2": family("Qwen2Config"),
    "qwen3": family("Qwen3Config"),
    "qwen3 moe": family("Qwen3MoeConfig", **EXPERTS),
    "mixtral": family("MixtralConfig", num_local_experts=4),
    "gemma": family("GemmaConfig"),
    "phi": family("PhiConfig"),
    "olmo": family("OlmoConfig"),
    "olmo2": family("Olmo2Config"),
    "granite": family("GraniteConfig"),
    "falcon": family("FalconConfig", new_decoder_architecture=True, num_kv_heads=2, head_dim=None),
    "gpt neox": family("GPTNeoXConfig"),
    "gpt2": family("GPT2Config", n_embd=32, n_layer=2, n_head=4, n_positions=512),
    "opt": family("OPTConfig", ffn_dim=48, word_embed_proj_dim=32),
    "bloom": family("BloomConfig", n_layer=2, n_head=4),
    "mpt": family("MptConfig", seed=3, d_model=32, n_layers=2, n_heads=4, max_seq_len=512),
    "deepseek v2": family("DeepseekV2Config", **DEEPSEEK),
    "deepseek v3": family("DeepseekV3Config", **DEEPSEEK),
    "glm4": family("Glm4Config"),
    "smollm3": family("SmolLM3Config"),
    "cohere": family("CohereConfig"),
    "nemotron": family("NemotronConfig"),
    "stablelm": family("StableLmConfig"),
    "seed-oss": family("SeedOssConfig"),
    "hunyuan": family("HunYuanDenseV1Config"),
    "diffllama": family("DiffLlamaConfig"),
    "gpt-j": family("GPTJConfig", n_embd=32, n_layer=2, n_head=4, n_positions=512, rotary_dim=4),
    "qwen2 moe": family("Qwen2MoeConfig", **EXPERTS, shared_expert_intermediate_size=24),
    "minimax m2": family("MiniMaxM2Config", num_local_experts=4, num_experts_per_tok=2, rotary_dim=8),
    "longcat flash": family("LongcatFlashConfig", **DEEPSEEK, num_layers=2, zero_expert_num=1, moe_topk=2, ffn_hidden_size=48,
        expert_ffn_hidden_size=24),
    "glm4 moe lite": family("Glm4MoeLiteConfig", **DEEPSEEK),
    "solar open": family("SolarOpenConfig", **DEEPSEEK | {"num_key_value_heads": 2}),
    "gemma2": family("Gemma2Config", "window", **BOTH, query_pre_attn_scalar=8),
    "gemma3": family("Gemma3TextConfig", "window", **BOTH, query_pre_attn_scalar=8),
    "gemma3n": family("Gemma3nTextConfig", "window", **SHARED, laurel_rank=4, altup_num_inputs=2,
        activation_sparsity_pattern=None, intermediate_size=[48] * 4),
    "gemma4": family("Gemma4TextConfig", "window", **SHARED, global_head_dim=16),
    "gpt-oss": family("GptOssConfig", "window", **BOTH, num_local_experts=4, num_experts_per_tok=2),
    "olmo3": family("Olmo3Config", "window", **BOTH),
    "cohere2": family("Cohere2Config", "window", **BOTH),
    "exaone4": family("Exaone4Config", "window", **BOTH),
    "vaultgemma": family("VaultGemmaConfig", "window", **BOTH, query_pre_attn_scalar=8),
    "exaone moe": family("ExaoneMoeConfig", "window", **BOTH, **EXPERTS, n_group=1, topk_group=1),
    "cwm": family("CwmConfig", "window", **BOTH),
    "ministral": family("MinistralConfig", "window", **BOTH),
    "ministral3": family("Ministral3Config", "window", **W),
    "mistral, window": family("MistralConfig", "window", **W),
    "qwen2, window": family("Qwen2Config", "window", **BOTH, use_sliding_window=True, max_window_layers=1),
    "starcoder2, window": family("Starcoder2Config", "window", **W),
    "phi3, window": family("Phi3Config", "window", **W),
    "llama4": family("Llama4TextConfig", "window", layer_types=["chunked_attention", "full_attention"],
        attention_chunk_size=WINDOW, no_rope_layers=[1, 0], **TWO_EXPERTS, intermediate_size_mlp=48, interleave_moe_layer_step=2),
    "qwen3-next": family("Qwen3NextConfig", "state", **GATED, **EXPERTS, shared_expert_intermediate_size=24),
    "qwen3.5": family("Qwen3_5TextConfig", "state", **GATED),
    "qwen3.5 moe": family("Qwen3_5MoeTextConfig", "state", **GATED, **EXPERTS, shared_expert_intermediate_size=24),
    "olmo hybrid": family("OlmoHybridConfig", "state", **GATED | {"linear_num_key_heads": 4}),
    "granite hybrid": family("GraniteMoeHybridConfig", "state", **LINEAR, **MAMBA2, **TWO_EXPERTS, shared_intermediate_size=24),
    "falcon-h1": family("FalconH1Config", "state", **MAMBA2, mamba_d_ssm=64),
    "jamba": family("JambaConfig", "state", attn_layer_period=2, attn_layer_offset=1, num_experts=2, num_experts_per_tok=1,
        mamba_d_state=8, mamba_dt_rank=4, use_mamba_kernels=False),
    "bamba": family("BambaConfig", "state", **MAMBA2, attn_layer_indices=[1]),
    "lfm2": family("Lfm2Config", "state", layer_types=["conv", "full_attention"], conv_L_cache=3, block_ff_dim=48,
        block_multiple_of=16),
    "mamba": family("MambaConfig", "state", state_size=8, time_step_rank=4),
    "mamba2": family("Mamba2Config", "state", num_heads=8, head_dim=8, state_size=8, n_groups=1, chunk_size=16,
        num_attention_heads=None),
    "falcon mamba": family("FalconMambaConfig", "state", seed=2, state_size=8, time_step_rank=4),
    "minimax": family("MiniMaxConfig", "state", **LINEAR, block_size=16, **TWO_EXPERTS),
    "recurrent gemma": family("RecurrentGemmaConfig", refused="in its cache", block_types=["recurrent", "attention"],
        attention_window_size=WINDOW, lru_width=32, conv1d_width=4),
    "zamba2": family("Zamba2Config", refused="in its cache", layers_block_type=["mamba", "hybrid"], mamba_d_state=8,
        mamba_headdim=8, mamba_ngroups=1, n_mamba_heads=8, chunk_size=16, attention_hidden_size=64, num_mem_blocks=1,
        head_dim=None),
    # transformers 5.23 keeps to the least time step in a block and not for a token alone
    "nemotron-h": family("NemotronHConfig", "state", layers_block_type=["mamba", "attention"], ssm_state_size=8, mamba_num_heads=8,
        mamba_head_dim=8, n_groups=1, chunk_size=16, time_step_min=1e-12, time_step_floor=0.01),
    "kimi linear": family("KimiLinearConfig", "state", **LINEAR, mlp_layer_types=["dense", "dense"], linear_head_dim=8,
        linear_num_heads=4, **LATENT),
    "phi3, longrope": family("Phi3Config", **LONGROPE, sliding_window=None),
    "llama, longrope": family("LlamaConfig", **LONGROPE),
    "bert": family("BertConfig", refused="looks ahead", is_decoder=False),
    "bert, decoder": family("BertConfig", is_decoder=True),
    "bart decoder": family("BartConfig", is_encoder_decoder=False, is_decoder=True, d_model=32, decoder_layers=2,
        decoder_attention_heads=4, decoder_ffn_dim=48, encoder_layers=1),
    "xlnet": family("XLNetConfig", refused="looks ahead", max_position_embeddings=None, d_model=32, n_layer=2, n_head=4,
        d_inner=48),
    "rwkv": family("RwkvConfig", refused="cache", attention_hidden_size=32),
}  # fmt: skip


ONE = "state, copied after each token: a pass takes one token, so a run is no faster than the target alone"
NOTES = {
    **dict.fromkeys(("jamba", "mamba", "falcon mamba", "minimax"), ONE),
    "phi3, longrope": "cut; fed again where its positions change, as generate() does",
    "llama, longrope": "cut; a text ends where its positions change",
    "llama4": "a chunk keeps its positions and a block; cut",
    "bart decoder": "cut; generate() forces an end at its last token, which is its own setting",
    "nemotron-h": "state, copied before a block; kept tokens are fed again; where `time_step_min` binds, "
    "transformers 5.23 treats a token alone otherwise",
    "bert": "it looks ahead",
    "xlnet": "it looks ahead",
    "recurrent gemma": "it keeps its state in its layers, where two texts disturb each other",
    "zamba2": "a token alone has other logits than the same token in a block, also in transformers' generate()",
    "rwkv": "it takes no cache of transformers",
}
