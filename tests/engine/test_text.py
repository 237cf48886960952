"""Prompts in, ids out and back: one beginning, spaces kept, characters whole. Byte-level and byte-fallback tokenizers."""

from functools import cache

import pytest

from specviz.engine.models.load import BUNDLED
from specviz.engine.models.pair import load_tokenizer
from specviz.engine.text import PROMPT_LIMIT, REPLACEMENT, PromptError, TokenizerText
from specviz.trace.events import Token

from .. import tiny

SENTENCES = [
    "Once upon a time",
    " the  cat\n\nthe cat ",
    "naïve café, 3.50 €",
    "Zoë's 👩‍🚀 and 👍🏽 🏳️‍🌈!",
    "北京 日本語 한국어",
    "नमस्ते العربية שלום ไทย",
    "e\u0301 n\u0303 combining",
    '\tdef f(x):\n\t    return {"a": x**2}',
    "<b>&amp;</b> ${1+1}",
    "\u200b\u202e zero \u2028 width",
]


@cache
def stories() -> TokenizerText:
    """The bundled byte-level BPE: its template adds no beginning, its tokenizer names one."""
    return TokenizerText(load_tokenizer(BUNDLED / "fable", "fable"), frozenset({0}))


@cache
def fallback() -> TokenizerText:
    return TokenizerText(tiny.byte_fallback(), frozenset({2}))


@cache
def bytes_only() -> TokenizerText:
    return TokenizerText(tiny.byte_level(merges=0), frozenset({0}))


KINDS = pytest.mark.parametrize("text", [stories, fallback, bytes_only], ids=lambda f: f.__name__)


def joined(text: TokenizerText, prompt: list[int], ids: list[int]) -> str:
    stream = text.stream(prompt)
    return "".join(stream.push(id) for id in ids)


def decoded(text: TokenizerText, ids: list[int]) -> str:
    return text.backend.decode(ids, skip_special_tokens=True)


class Untouched:
    """A tokenizer that must not be asked."""

    backend_tokenizer = None


def test_a_text_that_is_too_long_is_refused_by_its_characters_before_it_is_tokenised():
    text = TokenizerText(Untouched(), frozenset())
    for ask in (text.encode, text.encode_continuation, TokenizerText(Untouched(), frozenset(), chat=True).encode):
        with pytest.raises(PromptError, match=r"has 400,001 characters; at most 400,000 are tokenised"):
            ask("a" * (PROMPT_LIMIT + 1))


@KINDS
@pytest.mark.parametrize("prompt", ["", "the cat", *SENTENCES])
def test_a_prompt_begins_with_exactly_one_beginning(text, prompt):
    ids = text().encode(prompt)
    bos = text().tokenizer.bos_token_id
    assert ids[0] == bos and bos not in ids[1:]
    assert decoded(text(), ids).strip(" ") == prompt.strip(" ")


@pytest.mark.parametrize("template", [False, True])
def test_a_beginning_is_not_doubled_where_the_tokenizer_adds_its_own(template):
    text = TokenizerText(tiny.byte_level(template=template), frozenset())
    assert text.encode("the cat").count(0) == 1 and text.encode("") == [0]


def test_a_tokenizer_without_a_beginning_gets_none_and_takes_no_empty_prompt():
    text = TokenizerText(tiny.byte_level(bos=False), frozenset())
    assert 0 not in text.encode("the cat")
    reason = tiny.refusal(text.encode, "", error=PromptError)
    assert reason == "the prompt is empty, and this tokenizer has no beginning-of-sequence token to start from"


def test_a_template_that_ends_texts_does_not_end_the_prompt():
    """What follows an end is another text, not the continuation of this one."""
    text = TokenizerText(tiny.byte_level(template=True, end=True), frozenset({0}))
    ids = text.encode("the cat")
    assert ids[0] == 0 and ids[-1] != 0


@pytest.mark.parametrize("template", [False, True])
def test_special_tokens_that_the_prompt_names_stay_where_they_are(template):
    text = TokenizerText(tiny.byte_level(template=template, end=template, extra=("<|user|>",)), frozenset())
    ids = text.encode("<|user|>the cat<|user|>")
    user = text.tokenizer.convert_tokens_to_ids("<|user|>")
    assert (ids[0], ids[1], ids.count(user)) == (0, user, 2) and user in ids[-2:]


@KINDS
@pytest.mark.parametrize("prompt", ["\ud800", "a\udfffb", "cut \ud83d"])
def test_half_a_surrogate_pair_is_refused_in_one_line(text, prompt):
    assert "the prompt is not valid Unicode text" in tiny.refusal(text().encode, prompt, error=PromptError)


@KINDS
def test_the_names_of_whole_tokens_joined_are_the_text(text):
    prompt = "the cat ate. the  cat"
    assert "".join(text().token(id).text for id in text().encode(prompt)[1:]).removeprefix(" ") == prompt


@KINDS
def test_part_of_a_character_is_shown_as_its_bytes_and_says_so(text):
    tokens = [text().token(id) for id in text().encode("🙂")[1:]]
    parts = [token for token in tokens if token.text != " "]
    assert all(token.partial and token.text.startswith("⟨") and token.text.endswith("⟩") for token in parts)
    assert bytes.fromhex("".join(token.text.strip("⟨⟩") for token in parts)) == "🙂".encode()


@pytest.mark.parametrize("text", [stories, bytes_only], ids=lambda f: f.__name__)
def test_every_token_is_named_by_its_text_or_by_its_bytes(text):
    """Over the whole vocabulary: the name says exactly the bytes that the token stands for."""
    alphabet = {letter: byte for byte, letter in tiny.bytes_to_unicode().items()}
    for raw, id in text().backend.get_vocab(with_added_tokens=True).items():
        token = text().token(id)
        assert token.id == id
        if id == 0:
            continue
        data = bytes(alphabet[letter] for letter in raw)
        if token.partial:
            assert token.text == f"⟨{data.hex(' ').upper()}⟩" and REPLACEMENT in data.decode(errors="replace")
        else:
            assert token.text.encode() == data


def test_bytes_of_a_fallback_vocabulary_and_special_tokens_are_shown_by_name():
    text = fallback()
    assert text.token(3 + 0x41) == Token(3 + 0x41, "A") and text.token(3 + 0x0A) == Token(3 + 0x0A, "\n")
    assert text.token(3 + 0xE2) == Token(3 + 0xE2, "⟨E2⟩", partial=True)
    assert stories().token(0) == Token(0, "<|endoftext|>")
    assert [fallback().token(id).text for id in range(3)] == ["<unk>", "<s>", "</s>"]


def test_a_token_that_is_the_replacement_character_is_no_partial_one():
    """Real vocabularies hold U+FFFD as a token of its own: three whole bytes."""
    tokenizer = tiny.byte_level(merges=0)
    fields = tiny.json.loads(tokenizer.backend_tokenizer.to_str())
    for a, b in (("ï", "¿"), ("ï¿", "½")):
        fields["model"]["merges"].append([a, b])
        fields["model"]["vocab"][a + b] = len(fields["model"]["vocab"])
    backend = tiny.Tokenizer.from_str(tiny.json.dumps(fields))
    text = TokenizerText(tiny.PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<|end|>"), frozenset())
    (id,) = text.encode(REPLACEMENT)[1:]
    assert text.token(id) == Token(id, REPLACEMENT)


@KINDS
def test_ids_that_pad_a_vocabulary_are_shown_as_unused(text):
    size, fresh = len(text().tokenizer), TokenizerText(text().tokenizer, frozenset())  # of which no token was named before
    for each in fresh, text():
        assert each.token(size) == Token(size, f"⟨unused {size}⟩")
        assert each.token(10**6) == Token(10**6, "⟨unused 1000000⟩")


@KINDS
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_pieces_continue_a_prompt_wherever_it_is_cut_between_characters(text, sentence):
    ids = text().encode(sentence)
    whole = decoded(text(), ids)
    for cut in range(1, len(ids)):
        start = decoded(text(), ids[:cut])
        if REPLACEMENT not in start:
            assert start + joined(text(), ids[:cut], ids[cut:]) == whole


@KINDS
def test_special_tokens_add_no_text(text):
    prompt = text().encode("the")
    end = text().tokenizer.eos_token_id
    rest = text().encode("the cat")[len(prompt) :]
    assert joined(text(), prompt, [end]) == "" and joined(text(), prompt, [*rest, end]) == " cat"


def test_bytes_that_never_become_a_character_do_not_break_the_stream():
    """A byte-fallback decoder takes back "\\n" when a stray byte follows it; a run that sampled both must go on."""
    text = fallback()
    prompt = text.encode("the")
    cat = text.encode("the cat")[len(prompt) :]
    for stray in ([3 + 0x0A, 3 + 0xE2], [3 + 0x41, 3 + 0x80, 3 + 0x80], [3 + 0xE2]):
        assert joined(text, prompt, [*stray, *cat, *cat]).endswith(" cat cat")


@pytest.mark.parametrize("text", [stories, bytes_only], ids=lambda f: f.__name__)
def test_bytes_that_never_become_a_character_are_shown_as_replaced(text):
    prompt = text().encode("the")
    cat = text().encode("the cat")[len(prompt) :]
    stray = text().encode("🙂")[1]
    assert joined(text(), prompt, [stray, *cat]) == REPLACEMENT + " cat"


@KINDS
def test_a_prompt_that_ends_in_a_replacement_character_is_not_repeated(text):
    prompt = text().encode("the\ufffd")
    cat = text().encode("the cat")[len(text().encode("the")) :]
    assert joined(text(), prompt, cat) == " cat"
