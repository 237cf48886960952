"""config.json as our own pass reads it: by the standard library where a checkpoint says all that counts, else by transformers, which knows
what each family leaves out.

config = own_config({"model_type": "llama", …})      # None: ask transformers
"""

from typing import Any

from ..arrays import TYPES

REQUIRED_FIELDS = {  # what must be there, and of what type: a default of transformers differs from family to family
    "hidden_size": int, "intermediate_size": int, "num_attention_heads": int, "num_key_value_heads": int, "num_hidden_layers": int,
    "max_position_embeddings": int, "vocab_size": int, "rms_norm_eps": float, "hidden_act": str, "tie_word_embeddings": bool,
    "rope_parameters": dict, "bos_token_id": int | None, "eos_token_id": int | list | None,
}  # fmt: skip
UNREADABLE_FIELDS = {"auto_map", "quantization_config", "text_config", "rope_scaling", "torch_dtype"}
FAMILIES = ("llama", "qwen2", "qwen3")


class ModelConfig:
    """The fields of a config.json as attributes, as a config of transformers has them."""

    is_encoder_decoder = False

    def __init__(self, fields: dict[str, Any]):
        self.__dict__.update(fields)

    def get_text_config(self) -> "ModelConfig":
        return self


def own_config(config: dict[str, Any]) -> ModelConfig | None:
    """None for what transformers has to read: another family, a field that is left out or of the wrong kind, another rotation."""
    rope = config.get("rope_parameters")
    plain = isinstance(rope, dict) and rope.keys() == {"rope_type", "rope_theta"} and rope["rope_type"] == "default"
    if (
        not isinstance(rope, dict)
        or config.get("model_type") not in FAMILIES
        or not plain
        or UNREADABLE_FIELDS & config.keys()
        or config.keys() & set(dir(ModelConfig))
    ):
        return None
    if not all(field in config and _is(config[field], kind) for field, kind in REQUIRED_FIELDS.items()):
        return None
    if not (type(rope["rope_theta"]) in (int, float) and rope["rope_theta"] > 0 and config["rms_norm_eps"] > 0):
        return None
    if (
        config.get("dtype") not in (None, *TYPES)
        or not _is(config.get("head_dim"), int | None)
        or min(value for value in config.values() if type(value) is int) < 0
    ):
        return None
    fields = {"use_sliding_window": False, **config}
    if not fields["use_sliding_window"]:
        fields["sliding_window"] = None
    return ModelConfig(fields)


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
