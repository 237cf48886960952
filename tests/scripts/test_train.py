"""The recipes, once through in small, from text files to folders that the engine drafts with; and the mixture of experts."""

import json
import lzma
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from scripts import picture_data, train_drafters, train_experts, train_family, train_heads, train_hybrid
from scripts.train_answers import Answer, add_lines, continuations, own_prompts, read_answers, whole_lines
from scripts.train_drafters import EagleHead, Heads
from scripts.train_experts import clusters, to_mixture
from scripts.train_family import main
from scripts.train_heads import Batches
from scripts.train_target import fresh, shape, states
from scripts.train_text import END, documents
from specviz.config import DecodeConfig
from specviz.engine.backends.compiled import CompiledStack
from specviz.engine.decode import decode
from specviz.engine.draft import base
from specviz.engine.draft import base as running
from specviz.engine.draft.block import BlockHead
from specviz.engine.draft.choose import set_up, with_kind
from specviz.engine.draft.eagle import Eagle
from specviz.engine.draft.mtp import MTP
from specviz.engine.models.llama import Llama
from specviz.engine.models.load import load_model
from specviz.page.keep import recorded
from specviz.page.learn.chapters.busy import experts as shown

from ..fakes import FakeText

STORY = "Once upon a time, there was a cat who had {} red balls. The cat gave {} of them to a dog. They were happy."
LETTERS = FakeText([chr(33 + i) for i in range(97)])
SIZES = {"layers": 6, "width": 32, "heads": 2, "exit": 2, "small": "1x32", "large": "2x32", "vocabulary": 320, "lr": 0.01}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    stories = f"\n{END}\n".join(STORY.format(i, i // 2) for i in range(120)) + f"\n{END}\n"
    (folder / "tinystories.txt.xz").write_bytes(lzma.compress(stories.encode()))
    (folder / "own.txt").write_text("A text of mine, of one document.\n" * 40, encoding="utf-8")
    (folder / "countries.tsv").write_text(
        "country\tcapital\tcontinent\tcurrency\nFrance\tParis\tEurope\tEuro\nNowhere\t\tAsia\tYen\n"
    )
    return folder


@pytest.fixture(scope="module")
def family(text, tmp_path_factory):
    work, out = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("out")
    train(text, work, out)
    return work, out


def train(text, work, out, minutes=0.02):
    main(text=text, work=work, out=out, minutes=minutes, drafter_minutes=minutes, rows=4, length=48, device="cpu", **SIZES)


def figures_of(work) -> dict:
    return json.loads((work / "figures.json").read_text())


@pytest.mark.parametrize("left", ["", "[1]\n", "[1]\n[2]\n"])
def test_a_line_that_a_stopped_run_did_not_finish_goes_and_a_whole_file_is_not_touched(tmp_path, left):
    file = tmp_path / "answers.jsonl"
    file.write_text(left + "[3, [4")
    whole_lines(file)
    before = file.stat().st_ino, file.stat().st_mtime_ns
    file.chmod(0o400)
    assert whole_lines(file) == [json.loads(line) for line in left.splitlines()] and file.read_text() == left
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == before


def test_every_set_of_a_folder_is_read_and_rows_with_gaps_are_left_out(text):
    sets = dict(documents(text))
    assert set(sets) == {"tinystories", "own", "countries", "sums"}
    assert len(sets["tinystories"]) == 120 and len(sets["own"]) == 1
    lines = "\n".join(sets["countries"])
    assert "The capital of France is Paris." in lines and "Nowhere" not in lines


@pytest.mark.slow
@pytest.mark.parametrize("script", [train_family, train_hybrid, train_experts])
def test_without_text_one_sentence_says_where_to_put_it(script, tmp_path):
    with pytest.raises(SystemExit, match="is no folder: put text files there, or name another with --text"):
        script.main(text=tmp_path / "nothing", work=tmp_path / "work")


def test_the_recipe_writes_a_family_that_the_engine_drafts_with(family):
    _, out = family
    sizes = [path.stat().st_size for path in out.glob("*/*.safetensors")]
    assert len(sizes) >= 6 and max(sizes) < 9e6
    drafts = {name: out / name for name in ("fable-small", "fable-large")}
    drafts |= {kind: f"{kind}:{out / f'fable-{kind}'}" for kind in ("mtp", "eagle", "block", "bigram")} | {"exit": "early-exit:2"}
    config, texts = DecodeConfig(K=3, temperature=0, max_new_tokens=12, ignore_eos=True), {}
    for name, draft in drafts.items():
        setup = set_up(str(out / "fable"), str(draft))
        *_, end = decode(setup.target, setup.drafter, setup.text.encode("Once upon a time"), config, setup.text)
        texts[name] = end.text
        assert end.drafted > 0, name
    *_, alone = decode(setup.target, None, setup.text.encode("Once upon a time"), replace(config, K=0), setup.text)
    assert set(texts.values()) == {alone.text}


@pytest.mark.slow
def test_a_second_run_goes_on_where_the_first_one_stopped(family, text, capsys):
    work, out = family
    before = figures_of(work)
    train(text, work, out, minutes=0.07 + max(figures["minutes"] for figures in before.values()))  # which are of a tenth
    after, said = figures_of(work), capsys.readouterr().out
    for part in ("target", "drafters"):
        assert f" minutes, {before[part]['steps']} steps" in said and after[part]["steps"] > before[part]["steps"]


@pytest.mark.slow
def test_a_run_of_another_shape_is_refused_in_the_same_folder(family, text, monkeypatch):
    work, out = family
    monkeypatch.setitem(SIZES, "width", 64)
    with pytest.raises(SystemExit, match="another shape"):
        train(text, work, out, minutes=0.1)


@pytest.mark.full
def test_a_hybrid_of_a_trained_model_keeps_its_attention_where_it_stays_and_decodes(family, text, tmp_path):
    from transformers import LlamaForCausalLM

    _, out = family
    dense = LlamaForCausalLM.from_pretrained(out / "fable", dtype=torch.float32)
    hybrid = train_hybrid.hybrid_of(dense)
    assert hybrid.config.layer_types == ["conv", "full_attention"] * 3
    for name in "qkv":
        ours, theirs = (getattr(model.model.layers[1].self_attn, f"{name}_proj").weight for model in (hybrid, dense))
        assert torch.equal(ours, theirs)
    train_hybrid.main(
        text=text, work=tmp_path, models=out, dense="fable-large", larger="fable", minutes=0.03, rows=4, length=48, device="cpu"
    )
    setup = set_up(str(out / "fable-hybrid"), str(out / "fable-small"))
    config = DecodeConfig(K=3, temperature=0, max_new_tokens=12, ignore_eos=True)
    *_, end = decode(setup.target, setup.drafter, setup.text.encode("Once upon a time"), config, setup.text)
    assert setup.target.info.state_layers == 1 and end.tokens == 12


def disturb(*modules) -> None:
    """Random weights, the same on every machine, where training begins with zeros and ones."""
    with torch.no_grad():
        for i, weight in enumerate(weight for module in modules for weight in module.parameters()):
            weight.add_(0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(i)))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_head_that_is_trained_computes_what_the_engine_computes(n):
    """The losses of training and the drafting of the engine are two writings of one formula."""
    target = fresh(shape(7, 32, 2, 61)).eval()
    heads, eagle = Heads(target, modules=3), EagleHead(target)
    disturb(target, heads, eagle)
    ids = torch.randint(0, 61, (1, 20 + n), generator=torch.Generator().manual_seed(n))
    own = Llama(target.config, {k: v for k, v in target.state_dict().items() if k != "lm_head.weight"}, "t")
    for module, drafter in ((heads, MTP(own, heads.tensors(), "m")), (eagle, Eagle(own, eagle.tensors(), "e"))):
        with torch.no_grad():
            expected = [logits[0] for _, logits in module.guesses(ids, states(target, ids), 5)]
        rows = drafted_along(own, drafter, ids[0].tolist(), len(ids[0]) - 6, len(expected))
        assert len(rows) == len(expected)
        for step, logits in enumerate(rows):
            assert (torch.as_tensor(logits) - expected[step][len(ids[0]) - 6 - 2]).abs().max() < 1e-4


def test_a_block_head_that_is_trained_computes_what_the_engine_computes():
    target, places = fresh(shape(7, 32, 2, 61)).eval(), 3
    block = train_drafters.BlockHead(target, places=places)
    disturb(target, block)
    ids = torch.randint(0, 61, (1, 40), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        guesses = block.guesses(ids, states(target, ids), places, share=1.0)
        expected = [dict(zip(rows.tolist(), logits[0], strict=True)) for rows, logits in guesses]
    own = Llama(target.config, {k: v for k, v in target.state_dict().items() if k != "lm_head.weight"}, "t")
    target.config.ptd_token_id = train_drafters.MASK
    drafter = BlockHead(own, block.tensors(), "b", target.config)
    for offset in (0, 1):
        rows = drafted_along(own, drafter, ids[0].tolist(), offset + 2, places)
        for logits, place in zip(rows, expected, strict=True):
            assert (torch.as_tensor(logits) - place[offset]).abs().max() < 1e-4


def drafted_along(target, drafter, ids, n, steps):
    """The logits of each draft step after the first n ids, the ids that follow them being what is drafted."""
    logits_by_step = []

    class Along(base.BlockBuilder):
        def draw(self, logits):
            logits_by_step.append(torch.as_tensor(logits[0]))
            self.ids.append(ids[n + len(self.ids)])
            return self.ids[-1]

    with pytest.MonkeyPatch.context() as patch, torch.inference_mode():
        patch.setattr(CompiledStack, "draft", lambda *_, **__: None)  # token by token: one call (test_rows.py) shows no logits
        patch.setattr(running, "BlockBuilder", Along)
        sequence = target.sequence(64)
        drafting = drafter.begin(base.DraftContext.of(DecodeConfig(K=steps), target.vocabulary, 64, sequence))
        sequence.append(ids[: n - 1], keep=1)
        drafting.prefill(ids[: n - 1])
        drafting.propose(ids[:n], steps, None)
    return logits_by_step


@pytest.fixture(scope="module")
def answering():
    target = fresh(shape(9, 64, 4, 97)).eval()
    disturb(target)
    return target


def test_prompts_of_other_lengths_in_one_batch_are_answered_as_if_alone(answering):
    prompts, stops = [[1, 5, 9, 7], [1, 5, 9, 7, 8, 3]], {3, 12}
    together = continuations(answering, prompts, 20, stops, 0.0, 0)
    assert together == [continuations(answering, [prompt], 20, stops, 0.0, 0)[0] for prompt in prompts]
    for prompt, one in zip(prompts, together, strict=True):
        written = one.ids[one.prompt :]
        assert one.ids[: one.prompt] == prompt and not stops & {*written[:-1]}
        assert len(written) == 20 or written[-1] in stops


def test_what_a_stopped_run_had_not_finished_is_dropped(tmp_path):
    batches = [[(1, [3, 4])], [(2, [5, 6, 7]), (1, [8, 9])]]
    add_lines(tmp_path / "answers.jsonl", batches)
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write("[[1, [2")
    assert read_answers(tmp_path) == [Answer(*one) for batch in batches for one in batch]
    add_lines(tmp_path / "answers.jsonl", [[(1, [1, 2])]])
    assert read_answers(tmp_path)[-1] == Answer(1, [1, 2])


def test_of_a_batch_the_positions_count_that_wrote_an_answer(answering):
    """And p there is the target's own."""
    answers = [Answer(5, list(range(1, 31))), Answer(20, list(range(40, 66)))]
    batches = Batches(answers, answering, torch.arange(0, 97, 2), 64)
    ids, x, p, counts = batches.read(np.array([0, 1]))
    assert counts.sum(1).tolist() == [25, 6] and len(x) == 10 and ids.shape == (2, 30)
    with torch.inference_mode():
        alone = answering(torch.tensor([answers[1].ids])).logits.softmax(-1)[0, 19:25, ::2]
    assert (p[1, 19:25] - alone).abs().max() < 0.03 < p.max() and not p[1, 25:].any()


def test_a_target_asks_itself_other_things_each_time_and_what_it_asked_is_kept(answering, tmp_path):
    class Letters:
        def apply_chat_template(self, turns, tokenize):
            return f"<{turns[0]['content']}>"

        def encode(self, text, add_special_tokens):
            return LETTERS.encode(text)

        def decode(self, ids):
            return "".join(LETTERS.pieces[id] for id in ids)

    stops = {*range(0, 97, 3)}
    prompts = own_prompts(tmp_path, answering, Letters(), stops, 12, 16)
    assert len(set(prompts)) == 12
    assert all(prompt.strip() == prompt != "" and not stops & {*LETTERS.encode(prompt)} for prompt in prompts)
    assert own_prompts(tmp_path, answering, Letters(), stops, 4, 16) == prompts[:4]
    with pytest.raises(SystemExit, match="ends no turn of a user's within 100 tokens"):
        own_prompts(tmp_path, answering, Letters(), set(), 500, 16)


@pytest.mark.slow
def test_each_kind_of_head_learns_of_answers_and_drafts_what_the_target_would_write(answering, tmp_path):
    deepcopy(answering).bfloat16().save_pretrained(tmp_path / "target")  # what is stored in 32 bits is compiled apart
    add_lines(tmp_path / "answers/answers.jsonl", [continuations(answering, [[1, 5, 9, 7, 8, 3]] * 40, 40, set(), 0.8, 0)])
    places = {name: tmp_path / name for name in ("target", "answers", "work")} | {"out": tmp_path / "tiny"}
    train_heads.main(**places, heads="eagle,block,mtp", minutes=0.01, tokens=48, inner=32, rows=128, again=2)
    target, texts = load_model(str(tmp_path / "target")), []
    for kind in None, "eagle", "mtp", "block":
        drafter = kind and with_kind(target, kind, str(tmp_path / f"tiny-{kind}"))
        config = DecodeConfig(K=3 if kind else 0, temperature=0, max_new_tokens=12, ignore_eos=True)
        *_, end = decode(target, drafter, [1, 5, 9, 7], config, LETTERS)
        texts.append(end.text)
        assert not kind or end.drafted > 0
    assert len(set(texts)) == 1


COUNTED = json.loads(picture_data.EXPERTS.read_text("utf-8"))


def dense(inner: int) -> LlamaForCausalLM:
    model = fresh(shape(2, 32, 2, 61, inner)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn(weight.shape))
    return model


def test_clusters_are_of_one_size_and_every_row_is_in_one():
    rows = torch.nn.functional.normalize(torch.randn(48, 8), dim=-1)
    members, centres = clusters(rows, 6)
    assert members.shape == (6, 8) and sorted(members.flatten().tolist()) == list(range(48))
    assert centres.norm(dim=-1) == pytest.approx(torch.ones(6))


def test_a_mixture_that_uses_all_experts_equally_is_the_dense_model_that_it_was_made_of(monkeypatch):
    monkeypatch.setattr(train_experts, "EXPERTS_PER_TOKEN", train_experts.EXPERTS)
    model, ids = dense(train_experts.SHARED + train_experts.WHOLE * train_experts.EXPERTS), torch.randint(0, 61, (2, 20))
    mixture = to_mixture(model, ids).eval()
    with torch.no_grad():
        for layer in mixture.model.layers:
            layer.mlp.gate.weight.zero_()
        assert (mixture(ids).logits - model(ids).logits).abs().max() < 1e-4


def test_neurons_that_fill_no_expert_are_the_least_active_ones():
    model, ids = dense(train_experts.SHARED + train_experts.WHOLE * train_experts.EXPERTS + 5), torch.randint(0, 61, (2, 20))
    with torch.no_grad():
        for layer in model.model.layers:
            layer.mlp.down_proj.weight[:, :5] = 0.0
    weights = [layer.mlp.experts.gate_up_proj.flatten(0, 1) for layer in to_mixture(model, ids).model.layers]
    for layer, rows in zip(model.model.layers, weights, strict=True):
        there = (layer.mlp.gate_proj.weight[:, None] == rows).all(-1).any(1)
        assert there.tolist() == [False] * 5 + [True] * (len(there) - 5)


def test_a_union_is_every_expert_that_any_token_of_a_block_uses():
    experts_of_tokens = np.random.default_rng(0).permuted(np.tile(np.arange(6), (2, 9, 1)), axis=-1)[..., :2]
    union = picture_data.unions(picture_data.uses_of(experts_of_tokens, 6), 3)
    assert union.tolist() == [[len(set(layer[i : i + 3].flatten())) for i in range(7)] for layer in experts_of_tokens]


def test_the_chapter_shows_the_formula_and_the_bytes_of_what_was_counted_and_without_counts_nothing(tmp_path):
    blocks, recorded = shown()["blocks"], COUNTED["blocks"]
    assert [block["union"] for block in blocks] == [block["union"] for block in recorded]
    assert [block["formula"] for block in blocks[:3]] == pytest.approx([4, 7, 9.25])
    experts_read = 4 * COUNTED["bytes"]["expert"]
    dense = COUNTED["bytes"]["rest"] + 4 * experts_read
    assert blocks[1]["v"] == pytest.approx(1 + experts_read * (blocks[1]["union"] - 4) / dense)
    assert shown(tmp_path / "none.json") is None


def test_neighbours_share_more_experts_than_tokens_of_random_places_and_those_more_than_the_formula():
    for block in shown()["blocks"][1:]:
        assert 4 < block["low"] <= block["union"] <= block["high"] < 16
        assert block["union"] < block["apart"] < block["formula"]


def test_the_block_that_is_shown_is_a_pass_of_the_recorded_run():
    block = COUNTED["block"]
    drafted = recorded.load("experts").speculative[1 + block["round"]].drafted
    assert block["tokens"][1:] == [each.token.text for each in drafted]
    assert np.shape(block["chosen"]) == (4, len(block["tokens"]), 4)
    assert all(len(set(experts_of_token)) == 4 for layer in block["chosen"] for experts_of_token in layer)


@pytest.mark.full
def test_the_router_chooses_what_was_counted():
    model = picture_data.load_mixture()
    counts, block = picture_data.expert_counts(model), picture_data.expert_block(model)
    assert {**counts, "bytes": picture_data.bytes_of(model), "block": block}.items() <= COUNTED.items()
