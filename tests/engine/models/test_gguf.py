"""GGUF files: the numbers that they hold, the tokenizer that they describe, and what is refused, in one sentence.

python -m tests.engine.models.test_gguf                  # writes the tables of docs/gguf.md
"""

import struct
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import gguf
import numpy as np
import pytest
import regex
import torch
from transformers import GPT2Tokenizer, Qwen2Tokenizer

from specviz import race
from specviz.engine.draft.choose import set_up
from specviz.engine.model import ModelError
from specviz.engine.models import llama
from specviz.engine.models.gguf import (
    CUTS,
    DEFAULT,
    FAMILIES,
    FREQUENCIES,
    IN_BLOCKS,
    LLAMA3,
    QWEN2,
    READABLE,
    STORED_TYPES,
    GGUFError,
    GGUFFile,
    GGUFModel,
    open_gguf,
    tokenizer,
)
from specviz.engine.models.load import display_name, load_config, load_model, load_weights
from specviz.engine.models.pair import load_pair
from specviz.lab.audit.blocks import BlockModel
from specviz.trace.events import Q8_ACTIVATIONS

from ... import tiny, tiny_gguf
from ...products import some
from ...tiny_gguf import SIZES, TEXTS

IDS = [1, 17, 60, 33, 2, 90, 44, 5, 5, 71]


def model(shape="smollm", **change):
    sizes = {**SIZES, "vocab_size": 400, "head_dim": 64, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, **change}
    return tiny.make(tiny.config(shape, **sizes))


def assert_close(own, expected) -> None:
    """Heads of 256 columns give logits up to a hundred, of which single precision has six digits."""
    assert (torch.as_tensor(own.sequence(64).append(IDS)) - expected).abs().max() < 1e-5 * max(10.0, float(expected.abs().max()))


@pytest.fixture
def blocks(monkeypatch):
    """Matrices of Q4_0, Q4_1 and Q8_0 stay as they are."""
    monkeypatch.setenv("SPECVIZ_GGUF", "blocks")


@pytest.mark.parametrize("kind", some(READABLE, "BF16", "Q4_1", "Q5_0", "Q4_K", "Q6_K", "IQ4_XS"))
def test_logits_are_those_of_transformers_with_the_weights_that_a_file_is_decoded_to(tmp_path, kind):
    hf = model()
    own = load_model(str(tiny_gguf.write(tmp_path, hf, kind)))
    expected = tiny.reference(tiny_gguf.decoded(hf, kind), IDS)
    assert_close(own, expected)
    assert own.info.forward == "own" and own.info.name == "tiny" and own.info.weights[0].name == "tiny.gguf"


@pytest.mark.parametrize("kind", ["Q2_K", "Q3_K"])
def test_a_file_whose_narrow_matrices_fall_back_to_another_type_is_read(tmp_path, kind):
    hf = model(hidden_size=96)
    path = tiny_gguf.write(tmp_path, hf, kind)
    kinds = {info.kind for info in GGUFFile(path).tensors.values()}
    assert kinds == {kind, "IQ4_NL", "F32"}
    assert_close(load_model(str(path)), tiny.reference(tiny_gguf.decoded(hf, kind), IDS))


LEVELS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)  # ggml's kvalues_iq4nl


def iq4(raw: np.ndarray, kind: str) -> np.ndarray:
    """The numbers of one block: levels times the block's scale, of IQ4_XS times one of 6 bits less 32 for each 32 of them."""
    scale, quants = raw[:2].view(np.float16).astype(np.float32), raw[2 if kind == "IQ4_NL" else 8 :].reshape(-1, 16)
    high, low = int(raw[2:4].view(np.uint16)[0]), raw[4:8]
    rows = []
    for i, half in enumerate(quants):
        six = low[i // 2] >> 4 * (i % 2) & 15 | (high >> 2 * i & 3) << 4 if kind == "IQ4_XS" else 33
        rows.append(scale * np.float32(int(six) - 32) * np.concatenate([LEVELS[half & 15], LEVELS[half >> 4]]))
    return np.concatenate(rows)


@pytest.mark.parametrize("kind", ["IQ4_NL", "IQ4_XS"])
def test_every_number_of_a_block_of_four_bits_is_its_level_times_its_scale(tmp_path, kind):
    file = GGUFFile(tiny_gguf.write(tmp_path, model(num_hidden_layers=1), kind))
    _, _, start, size = file.tensors["blk.0.ffn_up.weight"]
    blocks = file.data[start : start + size].reshape(-1, gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]][1])
    decoded = np.concatenate([*file.rows("blk.0.ffn_up.weight")]).reshape(len(blocks), -1)
    assert all(np.array_equal(numbers, iq4(np.array(block), kind)) for numbers, block in zip(decoded, blocks, strict=True))


@pytest.mark.parametrize(
    ("shape", "kind"),
    [*(("smollm", kind) for kind in IN_BLOCKS), ("qwen2", "Q4_1"), ("qwen3", "Q8_0"), ("llama, linear rotation", "Q4_0")],
)
def test_logits_of_weights_in_blocks_have_the_bits_that_numpy_gives_operation_by_operation(tmp_path, blocks, shape, kind):
    linear = {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0} if "linear" in shape else {}
    path = tiny_gguf.write(
        tmp_path, model(shape), kind, more={f"{FAMILIES['llama']}.{key}": value for key, value in linear.items()}
    )
    own, texts = load_model(str(path)), ([*IDS[:4], *IDS], IDS, IDS[:3])
    redone = BlockModel(path, load_config(path, "tiny", whole=True), own.info.arithmetic == Q8_ACTIVATIONS)
    redone.states(texts[0])
    for text in texts:
        assert np.array_equal(own.sequence(64).append(text), redone.logits(text, len(text)))


def test_rows_of_weights_in_blocks_have_the_same_bits_alone_and_together(tmp_path, blocks):
    own = load_model(str(tiny_gguf.write(tmp_path, model(), "Q4_1")))
    assert own.info.dtype == "Q4_1" and own.info.size < own.info.parameters
    alone = own.sequence(64)
    rows = np.concatenate([alone.append([id]) for id in IDS])
    for n in range(2, len(IDS) + 1):
        assert np.array_equal(own.sequence(64).append(IDS[:n]), rows[:n])


def test_blocks_are_decoded_where_the_compiled_pass_does_not_multiply_them_right(tmp_path, monkeypatch, blocks):
    monkeypatch.setattr(llama, "self_test", lambda *types: "wrong" if types else "")
    own = load_model(str(tiny_gguf.write(tmp_path, model(num_hidden_layers=1), "Q4_1")))
    assert own.info.dtype == "bfloat16" and own.info.size == 0
    assert len(own.sequence(64).append(IDS)) == len(IDS)


def test_a_file_that_is_open_is_read_anew_where_its_blocks_are_to_be_decoded(tmp_path, monkeypatch, blocks):
    path = tiny_gguf.write(tmp_path, model(num_hidden_layers=1), "Q4_1")
    assert load_model(str(path)).info.arithmetic
    open_gguf(path)  # as whoever asks for its tokenizer
    monkeypatch.setenv("SPECVIZ_GGUF", "bfloat16")
    assert load_model(str(path)).info.dtype == "bfloat16"


@pytest.mark.parametrize(
    "shape", ["llama", "llama, tied head", "llama, one key head", "qwen2", "qwen2, tied head", "qwen3", "llama, slow rotation"]
)
def test_every_family_is_read_with_its_biases_norms_and_the_rows_of_its_heads_in_place(tmp_path, shape):
    hf = model(shape, **({"num_key_value_heads": 1} if "one key" in shape else {}))
    assert_close(load_model(str(tiny_gguf.write(tmp_path, hf))), tiny.reference(hf, IDS))


@pytest.mark.parametrize("more", [{"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}, {"rope.scale_linear": 4.0}])
def test_a_linear_rotation_is_read_under_both_its_names(tmp_path, more):
    hf = model("llama, linear rotation")
    path = tiny_gguf.write(tmp_path, hf, more={f"llama.{key}": value for key, value in more.items()})
    assert_close(load_model(str(path)), tiny.reference(hf, IDS))


def test_the_rotation_of_llama_3_is_known_by_its_factors(tmp_path, monkeypatch):
    llama3 = tiny.LLAMA3 | {"original_max_position_embeddings": 8192, "factor": 32.0}
    hf = model("llama", rope_parameters=llama3)
    frequency = hf.model.rotary_emb.inv_freq
    factors = (llama3["rope_theta"] ** (-torch.arange(0, 64, 2) / 64) / frequency).numpy()
    ours = tiny_gguf.tensors
    monkeypatch.setattr(tiny_gguf, "tensors", lambda *of: ours(*of) | {FREQUENCIES: (factors, "F32")})
    path = tiny_gguf.write(tmp_path, hf)
    assert_close(load_model(str(path)), tiny.reference(hf, IDS))
    monkeypatch.setattr(tiny_gguf, "tensors", lambda *of: ours(*of) | {FREQUENCIES: (factors**2, "F32")})
    with pytest.raises(ModelError, match=f"its {FREQUENCIES} are not those of Llama 3"):
        load_model(str(tiny_gguf.write(tmp_path, hf, name="other.gguf")))


def test_a_file_is_a_target_and_a_draft_and_a_run_names_it(tmp_path):
    target = tiny_gguf.write(tmp_path, model(), "Q8_0", "target.gguf")
    draft = tiny_gguf.write(tmp_path, model(num_hidden_layers=1), "Q4_0", "draft.gguf")
    setup = set_up(str(target), str(draft), chat=True)
    *_, trace = race(setup, "What's 7?", K=2, max_new_tokens=5, temperature=0, ignore_eos=True)
    assert (trace.header.target.name, trace.header.draft.name, trace.header.chat) == ("target", "draft", True)
    assert trace.vanilla[-1].text == trace.speculative[-1].text
    assert [file.name for file in trace.header.draft.weights] == ["draft.gguf"]


def test_chat_template_and_ends_are_those_of_the_file(tmp_path):
    path = tiny_gguf.write(tmp_path, model(), more={"tokenizer.ggml.eot_token_id": 0})
    pair = load_pair(str(path), None, chat=True)
    assert pair.text.eos == {0, 2} and pair.text.tokenizer.bos_token is None
    prompt = "<|im_start|>user\nHi 🦊<|im_end|>\n<|im_start|>assistant\n"
    assert pair.text.encode("Hi 🦊") == tiny_gguf.tokenizer().encode(prompt).ids


@pytest.mark.parametrize(("template", "ends"), [(tiny_gguf.CHAT, {0, 2}), ("{{ messages[0]['content'] }}", {0})])
def test_a_token_that_the_template_writes_at_the_end_of_a_turn_ends_a_text_though_the_file_names_another(
    tmp_path, template, ends
):
    more = {"tokenizer.ggml.eos_token_id": 0, "tokenizer.chat_template": template}
    pair = load_pair(str(tiny_gguf.write(tmp_path, model(num_hidden_layers=1), more=more)), None, chat=True)
    assert pair.text.eos == ends


def test_a_chat_with_a_file_imports_neither_torch_nor_transformers(tmp_path):
    path = tiny_gguf.write(tmp_path, model(), "Q8_0")
    code = f"""
import sys
from specviz import race, set_up
*_, trace = race(set_up({str(path)!r}, "lookup", chat=True), "Hi 🦊", K=2, max_new_tokens=5, ignore_eos=True)
print(trace.speculative[-1].tokens, sorted({{"torch", "transformers"}} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "5 []", run.stderr


def metadata(pre="smollm", **more):
    tokens = tiny_gguf.tokenizer()
    ids = tokens.get_vocab()
    base = {"model": "gpt2", "pre": pre, "tokens": sorted(ids, key=ids.get), "merges": tiny_gguf.merges(tokens)}
    base |= {"token_type": [3, 3, 3, *[1] * (len(ids) - 3)], "bos_token_id": 0, "eos_token_id": 2}
    return {f"tokenizer.ggml.{key}": value for key, value in (base | more).items()}


def with_special(hf_tokenizer):
    hf_tokenizer.add_special_tokens({"additional_special_tokens": tiny_gguf.SPECIAL})
    return hf_tokenizer


def official(pre: str):
    """What the models themselves bring along, of the same vocabulary and merges."""
    tokens = tiny_gguf.tokenizer()
    merges = [tuple(merge.split(" ")) for merge in tiny_gguf.merges(tokens)]
    kinds = {"gpt-2": GPT2Tokenizer, "qwen2": Qwen2Tokenizer}
    return with_special(kinds[pre](vocab=tokens.get_vocab(), merges=merges)).backend_tokenizer if pre in kinds else tokens


@pytest.mark.parametrize("pre", ["smollm", "gpt-2", "qwen2"])
def test_any_text_becomes_the_tokens_of_the_models_own_tokenizer(pre):
    ours, theirs = tokenizer(metadata(pre)).backend_tokenizer, official(pre)
    for text in TEXTS:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, add_special_tokens=False).ids == ids, text
        assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids, skip_special_tokens=False)


def test_the_patterns_are_those_that_transformers_knows_by_the_same_names():
    known = pytest.importorskip("transformers.integrations.gguf.gguf_tokenizer_mapping").GGUF_PRE_TOKENIZER_SPLITS
    assert {pattern for pattern, _ in CUTS.values()} == {None, "digits", LLAMA3, QWEN2, DEFAULT}
    for pre, (pattern, _) in CUTS.items():
        assert pattern in (None, "digits", DEFAULT) or pattern == known[pre]


@pytest.mark.parametrize("pre", ["default", "", None])
def test_a_file_that_names_no_way_to_cut_a_text_has_that_of_llama_cpp(pre):
    backend = tokenizer(metadata(pre)).backend_tokenizer
    assert tokenizer(metadata(pre)).bos_token is None
    for text in [*TEXTS, "Hello 12345!"]:
        pieces = [text]
        for pattern in DEFAULT:
            pieces = [part for piece in pieces for part in regex.split(f"({pattern})", piece) if part]
        assert [text[a:b] for _, (a, b) in backend.pre_tokenizer.pre_tokenize_str(text)] == pieces
    assert pieces == ["Hello", " ", "123", "45", "!"]


def test_llama_3_begins_a_text_and_keeps_a_word_that_is_a_token():
    tokens = [*metadata()["tokenizer.ggml.tokens"], "123"]  # which no merges lead to
    llama3 = tokenizer(metadata("llama-bpe", tokens=tokens))
    assert llama3.bos_token == "<|endoftext|>" and llama3.backend_tokenizer.encode("12345").tokens == ["123", "4", "5"]


def spm(**more):
    pieces = [
        "<unk>",
        "<s>",
        "</s>",
        *[f"<0x{byte:02X}>" for byte in range(256)],
        *"▁abcdé",
        *["ab", "▁ab", "cd", "abcd", "▁abcd"],
    ]
    scores = [0.0] * 259 + [-1000.0] * 6 + [-1.0, -3.0, -2.0, -5.0, -4.0]
    kinds = [2, 3, 3, *[6] * 256, *[1] * (len(pieces) - 259)]
    base = {"model": "llama", "tokens": pieces, "scores": scores, "token_type": kinds}
    base |= {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0}
    return {f"tokenizer.ggml.{key}": value for key, value in (base | more).items()}, pieces, scores


def by_score(text: str, pieces: list[str], scores: list[float]) -> list[str]:
    """SentencePiece's own rule: of all neighbours whose whole is a piece, merge the best, the first of equals; then bytes."""
    known, parts = dict(zip(pieces, scores, strict=True)), [*("▁" + text.replace(" ", "▁"))]
    while pairs := [(-known[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in known]:
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [piece for part in parts for piece in ([part] if part in known else [f"<0x{byte:02X}>" for byte in part.encode()])]


@pytest.mark.parametrize("text", ["ab", "abcd abcd", "dcba", "é🦊 ab", "cabd  ab"])
def test_a_sentencepiece_vocabulary_merges_by_score_and_falls_back_to_bytes(text):
    fields, pieces, scores = spm()
    backend = tokenizer(fields).backend_tokenizer
    encoding = backend.encode(text, add_special_tokens=False)
    assert encoding.tokens == by_score(text, pieces, scores) and backend.decode(encoding.ids) == text
    assert tokenizer(fields).bos_token == "<s>"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"model": "t5"}, "its tokenizer is of the kind t5; gpt2 and llama are read"),
        ({"model": None}, "its tokenizer is of the kind None; gpt2 and llama are read"),
        ({"pre": "viking"}, "its tokenizer splits text by viking, which is not read"),
        ({"tokens": "abc"}, "it holds no tokens"),
    ],
)
def test_a_tokenizer_that_is_not_built_is_refused_with_its_name(more, sentence):
    with pytest.raises(GGUFError, match=sentence):
        tokenizer(metadata(**more))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return tiny_gguf.write(tmp_path_factory.mktemp("gguf"), model(num_hidden_layers=1), "Q4_0")


def refused(path) -> str:
    message = tiny.refusal(load_pair, str(path), None)
    assert str(path.parent) not in message
    return message


@pytest.mark.parametrize("part", [0, 3, 10, 30, 200, 2000, 0.5, 0.99])
def test_a_file_that_was_cut_short_is_one_sentence_wherever_it_was_cut(tmp_path, whole, part):
    data = whole.read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(data[: part if isinstance(part, int) else int(part * len(data))])
    assert any(reason in refused(path) for reason in ("cut short", "no GGUF file", "it claims 20 keys"))


def header(tensors=0, keys=0, body=b"", version=3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + body


def text(raw: bytes, length: int | None = None) -> bytes:
    return struct.pack("<Q", len(raw) if length is None else length) + raw


def tensor(*numbers: int) -> bytes:
    return text(b"x") + struct.pack("<IQQIQ", 2, *numbers)


INFO = text(b"x") + struct.pack("<I", 2) + struct.pack("<QQ", 32, 1)
HOSTILE = {
    "keys": (header(keys=2**60), "it claims 1,152,921,504,606,846,976 keys"),
    "tensors": (header(tensors=2**63), "tensors"),
    "a long key": (header(keys=1, body=text(b"", 2**62)), "4,611,686,018,427,387,904 bytes"),
    "a long array": (header(keys=1, body=text(b"k") + struct.pack("<IIQ", 9, 0, 2**50)), "elements of an array"),
    "an array of arrays": (header(keys=1, body=text(b"k") + struct.pack("<IIQ", 9, 9, 1) + bytes(64)), "an array of type 9"),
    "a type of value": (header(keys=1, body=text(b"k") + struct.pack("<I", 77) + bytes(64)), "a value of type 77"),
    "dimensions": (header(tensors=1, body=text(b"x") + struct.pack("<I", 2**31) + bytes(64)), "dimensions"),
    "a size": (header(tensors=1, body=tensor(2**40, 2**40, 0, 0) + bytes(64)), "ends behind the end of the file"),
    "an offset": (header(tensors=1, body=INFO + struct.pack("<IQ", 0, 2**63) + bytes(256)), "ends behind the end of the file"),
    "no block": (header(tensors=1, body=tensor(31, 1, 2, 0) + bytes(256)), "not made of blocks of 32"),
    "nothing in it": (header(tensors=1, body=tensor(0, 8, 0, 0) + bytes(256)), "not made of blocks"),
    "a kind": (header(tensors=1, body=INFO + struct.pack("<IQ", 19, 0) + bytes(256)), "IQ1_S, which is not read"),
    "no kind": (header(tensors=1, body=INFO + struct.pack("<IQ", 999, 0) + bytes(256)), "type 999, which is not read"),
    "a version": (header(version=99), "GGUF version 99"),
    "another order of bytes": (header(version=3 << 24), "little-endian"),
    "no architecture": (header(), "has the architecture None"),
    "an alignment": (header(keys=1, body=text(b"general.alignment") + bytes([4, *bytes(71)])), "its alignment is 0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_one_sentence_and_takes_no_memory(tmp_path, name):
    data, sentence = HOSTILE[name]
    path = tmp_path / "hostile.gguf"
    path.write_bytes(data)
    refused(path)  # whatever is imported for that
    tracemalloc.start()
    try:
        assert sentence in refused(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


CHANGES = {
    "llama.expert_count": (8, "it is a mixture of experts"),
    "llama.logit_scale": (2.0, "it says llama.logit_scale, which is not read"),
    "llama.rope.scaling.type": ("yarn", "its rotary positions are scaled by yarn"),
    "llama.rope.dimension_count": (32, "its rope.dimension_count is 32 and its heads are 64 wide"),
    "llama.attention.sliding_window": (128, "it attends in a window of 128 positions"),
    "llama.block_count": (0, "its block_count is 0, no number from 1"),
    "llama.embedding_length": ("wide", "its embedding_length is wide, no number"),
    "llama.attention.layer_norm_rms_epsilon": (None, "its attention.layer_norm_rms_epsilon is None, no number above 0"),
    "tokenizer.ggml.pre": ("viking", "its tokenizer splits text by viking, which is not read"),
    "tokenizer.ggml.merges": (["a b", "no such"], "its tokenizer cannot be built"),
    "split.count": (3, "it is one of 3 parts"),
    "general.type": ("adapter", "it is an adapter (LoRA), no model: merge it into its model"),
    "adapter.type": ("lora", "it is an adapter (LoRA), no model: merge it into its model"),
    "general.architecture": ("mamba", "has the architecture mamba; of GGUF files llama, qwen2, qwen3 are read"),
}


@pytest.mark.parametrize("key", CHANGES)
def test_what_our_pass_does_not_compute_is_refused_with_its_name(tmp_path, monkeypatch, key):
    value, sentence = CHANGES[key]
    more = {key: value}
    if key == "general.architecture":
        monkeypatch.setattr(gguf.GGUFWriter, "add_architecture", lambda self: self.add_string(key, value))
        more = {}
    assert sentence in refused(tiny_gguf.write(tmp_path, model(num_hidden_layers=1), more=more))


def test_a_vocabulary_alone_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tiny_gguf, "tensors", lambda *of: {})
    assert "it holds a vocabulary and no weights" in refused(tiny_gguf.write(tmp_path, model(num_hidden_layers=1)))


OTHERS = {
    b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n": "it is a pointer of Git LFS, which stands for the file: fetch",
    b"<!DOCTYPE html>\n<html><body>Sign in</body></html>": "it is a web page: download the file itself",
    b"\n<HTML lang='en'>": "it is a web page: download the file itself",
    (2).to_bytes(8, "little") + b"{}" + bytes(40): "it is a safetensors file: name its folder",
    b"PK\3\4" + bytes(40): "it is no GGUF file",
    b"": "it is no GGUF file",
}


@pytest.mark.parametrize("data", OTHERS)
@pytest.mark.parametrize("name", ["model.gguf", "sha256-abc"])
def test_what_is_no_gguf_file_is_told_for_what_it_is_by_its_first_bytes(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    assert refused(path).startswith(f"{name} cannot be read: {OTHERS[data]}")
    with pytest.raises(ModelError, match=regex.escape(f"{path} cannot be read: {OTHERS[data]}")):  # as a head's weights
        load_weights(path, str(path))


def test_a_file_that_ollama_keeps_and_the_only_file_of_a_folder_are_read(tmp_path, whole):
    blob = tmp_path / "blobs" / f"sha256-{'0123456789abcdef' * 4}"
    blob.parent.mkdir()
    blob.write_bytes(whole.read_bytes())
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "only.gguf").write_bytes(whole.read_bytes())
    assert load_pair(str(blob), None).target.info.name == "sha256-0123456789ab"
    assert load_pair(str(tmp_path / "folder"), str(blob)).target.info.name == "folder"
    (tmp_path / "folder" / "other.gguf").write_bytes(b"")
    with pytest.raises(ModelError, match=r"holds no config\.json: .*; of its 2 GGUF files name one"):
        load_pair(str(tmp_path / "folder"), None)


def test_a_tensor_less_than_the_model_has_is_refused_by_its_name(tmp_path, monkeypatch):
    ours = tiny_gguf.tensors
    monkeypatch.setattr(tiny_gguf, "tensors", lambda *of: {k: v for k, v in ours(*of).items() if "ffn_up" not in k})
    assert "lacks model.layers.0.mlp.up_proj.weight" in refused(tiny_gguf.write(tmp_path, model(num_hidden_layers=1)))


STRANGE = ["x", "blk.0", "blk.0.attn_q", "blk.99999999.attn_q.weight", "blk.0.attn_sinks.weight", "output.bias", ".weight"]


@pytest.mark.parametrize("key", STRANGE)
def test_a_tensor_with_a_name_that_the_model_has_not_is_refused(tmp_path, monkeypatch, key):
    ours = tiny_gguf.tensors
    monkeypatch.setattr(tiny_gguf, "tensors", lambda *of: {key: (np.zeros(4, np.float32), "F32")} | ours(*of))
    assert f"it holds {key}" in refused(tiny_gguf.write(tmp_path, model(num_hidden_layers=1)))


def test_of_an_enormous_context_only_so_much_is_offered_as_a_table_of_rotations_has_room_for(tmp_path):
    path = tiny_gguf.write(tmp_path, model(num_hidden_layers=1), more={"llama.context_length": 1 << 24})
    assert GGUFModel(path).config()["max_position_embeddings"] == (1 << 25) // 64


def test_a_file_that_is_not_there_and_one_that_is_to_be_spread_are_refused(tmp_path, whole):
    with pytest.raises(ModelError, match="there is no file"):
        load_pair(str(tmp_path / "none.gguf"), None)
    with pytest.raises(ModelError, match=r"needs accelerate|one device holds"):
        load_model(str(whole), "cpu", None, "auto")
    assert display_name(str(whole)) == "tiny"


def test_a_file_that_was_replaced_is_read_again(tmp_path):
    path = tiny_gguf.write(tmp_path, model(num_hidden_layers=1))
    before = open_gguf(path)
    assert open_gguf(path) is before
    tiny_gguf.write(tmp_path, model(num_hidden_layers=2))
    assert load_config(path, "tiny").num_hidden_layers == 2


def test_sixteen_bits_are_kept_as_they_are_and_what_is_decoded_in_sixteen(tmp_path):
    for kind, dtype in {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "Q6_K": "bfloat16"}.items():
        assert GGUFModel(tiny_gguf.write(tmp_path, model(num_hidden_layers=1), kind, f"{kind}.gguf")).dtype == dtype


# The document ---------------------------------------------------------------------------------------------------------------

DOCUMENT = Path(__file__).parents[3] / "docs" / "gguf.md"
ALSO = {"llama": "Llama, SmolLM, Mistral without a window", "qwen2": "Qwen2, Qwen2.5", "qwen3": "Qwen3, no mixtures"}


def tables() -> str:
    """Which architectures, types and ways to cut a text are read."""

    def rows(head: str, lines: dict[str, str]) -> str:
        return "\n".join([f"| {head} |", "|---|---|", *(f"| `{name}` | {says} |" for name, says in lines.items())])

    def kept(kind: str) -> str:
        return (
            "as it is, in a file of one type"
            if kind in STORED_TYPES
            else "decoded to bfloat16" + (", or as it is by `SPECVIZ_GGUF=blocks`" if kind in IN_BLOCKS else "")
        )

    def says(pattern, begins: bool) -> str:
        cut = {
            None: "GPT-2's words",
            "digits": "GPT-2's words, each digit alone",
            LLAMA3: "Llama 3's words, up to three digits",
            QWEN2: "Qwen's words, each digit alone",
            DEFAULT: "llama.cpp's for a file that names none",
        }[pattern]
        return f"{cut}; a text begins with the beginning token" if begins else cut

    return "\n\n".join(
        [
            rows("architecture | models", {name: ALSO[name] for name in FAMILIES}),
            rows("type of block | how it is kept", {kind: kept(kind) for kind in READABLE}),
            rows(
                "pre-tokenizer | how a text is cut",
                {pre: says(*cut) for pre, cut in CUTS.items()} | {"llama": "SentencePiece, by score"},
            ),
        ]
    )


def test_the_document_holds_these_tables():
    assert f"<!-- made -->\n\n{tables()}\n\n<!-- end -->" in DOCUMENT.read_text("utf-8"), (
        "python -m tests.engine.models.test_gguf"
    )


if __name__ == "__main__":
    head, _, rest = DOCUMENT.read_text("utf-8").partition("<!-- made -->")
    DOCUMENT.write_text(f"{head}<!-- made -->\n\n{tables()}\n\n{rest[rest.index('<!-- end -->') :]}", "utf-8")
