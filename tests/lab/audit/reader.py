"""A reader of traces that was written from docs/trace.md alone: plain dictionaries, torch, and models as transformers loads them.

    wrong, redone = read(lines, target, draft)       # folders of weights; nothing of specviz is imported

It follows the page from top to bottom, so where a number is not to be had from the page, the page lacks a sentence.
"""

import hashlib
import json
import math
from collections import Counter
from statistics import median

import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer

from .reader_heads import block, eagle, mtp
from .reader_models import entropy, fit, logits, lookup, model
from .reader_trees import Trees

CLOSE = 1e-3  # a share of a probability, by which two float32 passes may part


def read(lines: bytes, target, draft) -> tuple[list[str], Counter]:
    """What is wrong, and how often each field was redone."""
    body, _, end = lines.rstrip(b"\n").rpartition(b"\n")
    header, *events = [json.loads(line) for line in (body + b"\n").splitlines()]
    seal = json.loads(end)
    reader = Reader(header, target, draft)
    reader.same("seal", (seal["lines"], seal["sha256"]), (1 + len(events), hashlib.sha256(body + b"\n").hexdigest()))
    for name in "vanilla", "speculative":
        reader.lane(name, [event for event in events if event["lane"] == name])
    return reader.wrong, reader.redone


class Reader(Trees):
    def __init__(self, header, target, draft):
        self.header, self.config, self.kind = header, header["config"], header["drafter"]
        self.wrong, self.redone, self.place = [], Counter(), ""
        self.target, self.tokenizer = model(target), AutoTokenizer.from_pretrained(target)
        self.draft_model = model(draft) if self.kind == "model" else None
        self.weights = load_file(draft / "model.safetensors") if self.kind in ("bigram", "mtp", "eagle", "block") else {}
        self.mask = json.loads((draft / "config.json").read_text())["ptd_token_id"] if self.kind == "block" else None
        self.V, self.T = header["target"]["vocabulary"], self.config["temperature"]
        self.greedy, self.argmax = self.T == 0, self.config["drafting"] == "argmax" and self.T > 0
        self.rule = "greedy" if self.greedy else self.config["verifier"]

    def same(self, name, said, found):
        self.redone[name] += 1
        if said != found:
            self.wrong.append(f"{self.place}: {name} is {said}, redone {found}")

    def near(self, name, said, found, scale=None):
        self.redone[name] += 1
        if not abs(said - found) <= CLOSE * (abs(found) if scale is None else scale) + 1e-5:
            self.wrong.append(f"{self.place}: {name} is {said}, redone {found}")

    # ------------------------------------------------------------ p and q

    def distribution(self, logits):
        """Temperature, then top-k, then top-p; logits [V] → probabilities [V], float64."""
        if self.greedy:
            return torch.nn.functional.one_hot(logits.argmax(), len(logits)).double()
        scores = logits.double() / self.T
        if k := self.config["top_k"]:
            scores = scores.masked_fill(scores < scores.topk(min(k, len(scores))).values[-1], -math.inf)
        if self.config["top_p"] < 1:
            order = scores.argsort(descending=True, stable=True)
            mass = scores[order].softmax(0)
            out = mass.cumsum(0) - mass >= self.config["top_p"]
            scores[order[out]] = -math.inf
        return scores.softmax(0)

    def drafted_by(self, text, block, asked):
        """The logits [V] of each token of the block."""
        if self.kind == "early-exit":
            return fit(logits(self.target, [*text, *block[:-1]], self.header["draft"]["layers"])[-len(block) :], self.V)
        if self.kind in ("model", "oracle"):
            drafter = self.draft_model or self.target
            known = drafter.get_output_embeddings().weight.shape[0]
            ids = [id if id < known else 0 for id in [*text, *block[:-1]]]
            return fit(logits(drafter, ids)[-len(block) :], self.V)
        if self.kind == "bigram":
            rows = torch.full((len(block), self.V), 1e-4)
            for row, last in zip(rows, [text[-1], *block], strict=False):
                row.scatter_add_(0, self.weights["next"][last].long(), self.weights["count"][last].float())
            return rows.log()
        if self.kind == "random":
            rows = torch.zeros(len(block), self.V)
            if self.greedy or self.argmax:
                picks = torch.randint(self.V, (asked, 1), generator=torch.Generator().manual_seed(len(text)))
                rows.scatter_(1, picks[: len(block)], 1e-6)
            return rows
        heads = {"mtp": mtp, "eagle": eagle, "block": self.block}[self.kind]
        return heads(self.target, self.weights, text, block, self.V)

    def block(self, target, weights, text, drafted, V):
        return block(target, weights, text, drafted, V, self.mask)

    # ------------------------------------------------------------ a lane

    def lane(self, name, events):
        prefill, *rounds, finished = events
        self.K = self.config["K"] if name == "speculative" else 0
        self.u = torch.Generator("cpu").manual_seed(self.config["seed"])
        self.place, text = f"{name}, prefill", [token["id"] for token in prefill["prompt"]]
        n, context = len(text), self.header["target"]["context"]
        self.limit = min(n + self.config["max_new_tokens"], context)
        self.same("prompt", text, self.prompt())
        self.same("positions", (prefill["target_positions"], prefill["draft_positions"]), (n - 1, self.held(n)))
        self.cache, self.passes, self.done, self.written = self.held(n), 0, [], list(text)
        for i, r in enumerate(rounds):
            self.place = f"{name}, round {i}"
            self.same("index", r["index"], i)
            (self.tree if self.K and self.config.get("tree", "off") != "off" else self.round)(r, text)
            text = [*text, *(e["token"]["id"] for e in r["emitted"])]
            self.done.append(r)
        self.place = f"{name}, end"
        self.finished(finished, rounds, prefill, text)

    def prompt(self):
        ids = self.tokenizer.encode(self.header["prompt"], add_special_tokens=False)
        bos = self.tokenizer.bos_token_id
        return ids if bos is None or ids[:1] == [bos] else [bos, *ids]

    def held(self, n):
        """Positions in the draft's cache after the prefill of n."""
        if not self.K or self.kind in ("early-exit", "lookup", "bigram", "random"):
            return None
        if self.kind in ("model", "oracle"):
            return n - 1 if n - 1 <= self.header["draft"]["context"] else 0
        return max(0, n - 2)

    def round(self, r, text):
        block, n = [d["token"]["id"] for d in r["drafted"]], len(text)
        out = [e["token"]["id"] for e in r["emitted"]]
        tested, k = sum(d["verdict"] != "unexamined" for d in r["drafted"]), len(block)
        asked = self.asked(r, n, text, block)
        u = [] if self.greedy else torch.rand(2 * asked + 1, generator=self.u, dtype=torch.float64).tolist()
        first, last = u[:k], u[len(u) - k - 1 :]
        p = [self.distribution(row) for row in logits(self.target, [*text, *block])[-k - 1 :]]
        s = [self.distribution(row) for row in self.drafted_by(text, block, asked)] if k and self.kind != "lookup" else []
        one_hot = [torch.nn.functional.one_hot(torch.tensor(x), self.V).double() for x in block]
        q = one_hot if self.argmax or self.kind == "lookup" else s
        self.drawn("drafted", block, q if not self.argmax else s, first)
        for i, d in enumerate(r["drafted"]):
            x, at = block[i], d["position"]
            self.near("p", d["p"], float(p[i][x]))
            self.near("q", d["q"], float(q[i][x]))
            self.same("ratio", d["ratio"], d["p"] / d["q"])
            tells = self.rule in ("rejection", "threshold", "block") and (self.rule == "block" or i < tested)
            self.same("u", d["u"], last[i] if tells else None)
            self.same("position", at is not None, i < tested)
            if at:
                self.position(at, p[i], q[i], s[i] if s else q[i], x)
        ratio = self.verdicts(r, block, p, q, last)
        self.after(r, block, out, p, q, last, tested, ratio)
        self.caches(r, n, k, n + len(out))
        for e in r["emitted"]:
            self.text(e)

    def drawn(self, name, ids, rows, us):
        """By inverse transform; at temperature 0 and by argmax the largest."""
        for i, (x, row) in enumerate(zip(ids, rows, strict=False)):
            if self.kind == "lookup" and name == "drafted":
                continue
            if self.greedy or (self.argmax and name == "drafted"):
                self.same(name, x, int(row.argmax()))
                continue
            sums = row.cumsum(0) / row.sum()
            self.redone[name] += 1
            if not (row[x] > 0 and (sums[x - 1] if x else 0) - CLOSE <= us[i] < sums[x] + CLOSE):
                self.wrong.append(f"{self.place}: {name} {x} is not drawn by {us[i]}")

    def position(self, at, p, q, s, x, rank=0, scale=1.0):
        """`rank`: of a node; `scale`: p is what a rejection left, scaled up by this."""
        ids = [e["token"]["id"] for e in at["entries"]]
        self.same("entries", len(ids), len(set(ids)))
        for row, there in (p, scale == 1.0), (s if at["own"] else q, q is not None):
            largest = row.topk(min(8, len(row))) if there else None
            for value, id in zip(*(part.tolist() for part in largest), strict=True) if largest else ():
                tie = float(largest.values[-1]) * (1 + CLOSE) + 1e-5
                if id not in ids and value > tie:
                    self.wrong.append(f"{self.place}: {id} is not among the entries")
        for e in at["entries"]:
            self.near("p of an entry", e["p"], float(p[e["token"]["id"]]), None if scale == 1.0 else scale)
            if q is not None:
                self.near("q of an entry", e["q"], float(q[e["token"]["id"]]))
        self.near("p_rest", at["p_rest"], 1 - float(p[ids].sum()), scale)
        self.near("p_entropy", at["p_entropy"], entropy(p), 5 * scale)
        if q is None:
            self.same("no q", [at[name] for name in ("q_rest", "beta", "q_entropy", "product", "best", "own")], [None] * 6)
            return
        self.near("q_rest", at["q_rest"], 1 - float(q[ids].sum()), 1)
        self.near("q_entropy", at["q_entropy"], entropy(q), 5)
        self.near("beta", at["beta"], float(p.minimum(q).sum()), scale)
        if rank:
            self.same("of other rules", (at["product"], at["best"]), (None, None))
        else:
            self.near("product", at["product"], float((p * s).sum()))
            equals = p[s >= float(s.max()) * (1 - CLOSE)].tolist()
            self.near("best", at["best"], min(equals, key=lambda each: abs(each - at["best"])))
        self.same("own", at["own"] is not None, self.argmax and self.rule != "siblings")
        if at["own"]:
            for id, value in zip(ids, at["own"]["entries"], strict=True):
                self.near("own", value, float(s[id]))
            self.near("own rest", at["own"]["rest"], 1 - float(s[ids].sum()))
            self.near("own beta", at["own"]["beta"], float(p.minimum(s).sum()), scale)
            self.near("own entropy", at["own"]["entropy"], entropy(s), 5)

    def verdicts(self, r, block, p, q, u):
        """Which are kept; what p is scaled by in the residual."""
        kept, joint, joints = len(block), 1.0, [1.0]
        if self.rule == "block":
            for d in r["drafted"]:
                joint = min(1.0, joint * d["p"] / d["q"])
                self.near("joint", d["joint"], joint)
                joints.append(joint)
            for i, d in enumerate(r["drafted"], 1):
                chance, left = joints[i], 0.0
                if i < len(block):
                    left = float((joints[i] * p[i] - q[i]).clamp(min=0).sum())
                    chance = left / (left + 1 - joints[i]) if left + 1 - joints[i] > 0 else 1.0
                self.near("chance", d["chance"], chance, (1 - joints[i]) / max(left + 1 - joints[i], 1e-5) ** 2)
            kept = max((i for i, d in enumerate(r["drafted"], 1) if u[i - 1] < d["chance"]), default=0)
        for i, d in enumerate(r["drafted"] if self.rule != "block" else ()):
            stays = self.stays(i, block[i], d, p[i], u, r)
            if not stays:
                kept = i
                break
        accepted = [d["verdict"] for d in r["drafted"]].count("accepted")
        cut = bool(block) and len(r["emitted"]) == accepted  # it ended on an accepted token
        self.same("accepted", accepted, min(kept, accepted) if cut else kept)
        verdicts = ["accepted"] * accepted + ([] if cut else ["rejected"] * (accepted < len(block)))
        self.same("verdicts", [d["verdict"] for d in r["drafted"]], (verdicts + ["unexamined"] * 32)[: len(block)])
        return joints[accepted] if self.rule == "block" else 1.0

    def stays(self, i, x, d, p, u, r):
        if self.rule == "greedy":
            return int(p.argmax()) == x
        if self.rule == "match":
            return i < len(r["emitted"]) and r["emitted"][i]["token"]["id"] == x
        if self.rule == "typical":
            return d["p"] > min(self.config["epsilon"], self.config["delta"] * math.exp(-entropy(p)))
        return u[i] * d["q"] * (self.config["theta"] if self.rule == "threshold" else 1) < d["p"]

    def after(self, r, block, out, p, q, u, tested, ratio):
        """The token that follows, what it was drawn from, and whose u each emitted token has."""
        end, at = r["emitted"][-1], len(out) - 1
        for i, e in enumerate(r["emitted"]):
            drew = u[i] if self.rule == "match" else u[-1] if e["role"] != "accepted" and u else None
            self.same("u of a draw", e["u"], drew)
        if self.rule == "match":
            self.drawn("matched", out, p, u)
        residual = r["residual"]
        rejected = any(d["verdict"] == "rejected" for d in r["drafted"])
        self.same("residual", residual is not None, rejected and self.config["verifier"] not in ("match", "typical"))
        if end["role"] == "accepted":
            return
        self.same("role", end["role"], "plain" if not block else "corrected" if rejected else "bonus")
        row = p[at]
        if residual:
            left = (ratio * p[at] - q[at]).clamp(min=0)
            mass = float(left.sum())
            self.near("mass", residual["mass"], mass, 1)
            row = left / mass if mass > 0 else row
            for e in residual["entries"]:
                self.near("probability", e["probability"], float(row[e["token"]["id"]]), 1 / max(mass, 1e-3))
            self.near("residual rest", residual["rest"], 1 - sum(e["probability"] for e in residual["entries"]))
        if self.rule != "match" and (not residual or self.greedy or residual["mass"] > 0.05):
            self.drawn("last token", out[at:], [row], u[-1:])
        self.same("position", end["position"] is not None, end["role"] in ("bonus", "plain"))
        if end["position"]:
            self.position(end["position"], p[at], None, p[at], out[at])

    # ------------------------------------------------------------ lengths, passes, ends

    def asked(self, r, n, text, block):
        room, most = self.limit - n, self.K
        if self.K and self.config["adaptive"]:
            most = self.choice(r["choice"])
        else:
            self.same("choice", r["choice"], None)
        asked, k = min(most, room - 1), len(block)
        self.same("asked", r["asked"], asked)
        fewer = None if asked == self.K else "length" if asked < most else "adaptive"
        given, together = [], 1.0
        if k and (self.config["confidence"] or self.config["survival"]):
            rows = self.drafted_by(text, block, asked).softmax(-1)
            given = [float(row[x]) for row, x in zip(rows, block, strict=True)]
        for i, each in enumerate(given):
            together *= each
            low = "confidence" if each < self.config["confidence"] else "survival" if together < self.config["survival"] else None
            self.same(
                "goes on", low is not None and i + 1 < asked, i + 1 == k < asked and r["fewer"] in ("confidence", "survival")
            )
            fewer = low if low and i + 1 == k < asked else fewer
        if self.kind == "lookup" and self.K:
            copied = lookup(text, asked)
            self.same("drafted", block, copied)
            fewer = "lookup" if asked and not copied else fewer
        if self.K and self.kind == "model" and k < asked and fewer not in ("confidence", "survival"):
            fewer = "context" if k == max(0, self.header["draft"]["context"] - n + 1) else fewer
        if self.kind in ("mtp", "eagle", "block") and asked and n < 2:
            fewer = "start"
        self.same("fewer", r["fewer"], fewer)
        self.same("full", k == self.K, r["fewer"] is None)
        return asked

    def choice(self, said):
        done, drafted = self.done, [r for r in self.done if r["drafted"]]
        self.idle = getattr(self, "idle", 0) if done else 0
        if len(done) < 3 or not drafted:
            self.same("choice", (said["why"], said["K"], said["alpha"]), ("trial", 1 if len(done) == 1 else self.K, None))
            return said["K"]
        verdicts = [d["verdict"] for r in drafted[-32:] for d in r["drafted"] if d["verdict"] != "unexamined"]
        alpha = (verdicts.count("accepted") + 1.5) / (len(verdicts) + 3)
        low, high = (pick(len(r["drafted"]) for r in done) for pick in (min, max))
        one = min(r["times"]["verify"] for r in done)
        more = min(r["times"]["verify"] for r in done if len(r["drafted"]) == high)
        slope = max(0, more - one) / max(1, high - low)
        unit = max(one - slope * low, 1e-6)
        steps = [0, *[1] * self.K] if self.kind == "block" else range(self.K + 1)
        c = median(r["times"]["draft"] / steps[len(r["drafted"])] for r in drafted[-32:]) / unit
        speedup = [sum(alpha**i for i in range(K + 1)) / (steps[K] * c + 1 + slope * K / unit) for K in range(self.K + 1)]
        best = speedup.index(max(speedup))
        self.idle = 0 if best else (self.idle + 1) % 9
        why, K = ("most", best) if best else ("none", 0) if self.idle else ("probe", 1)
        self.same("choice", (said["why"], said["K"]), (why, K))
        for name, found in (("alpha", alpha), ("c", c), ("v", 1 + slope * K / unit), ("speedup", speedup[K])):
            self.near(name, said[name], found)
        return said["K"]

    def caches(self, r, n, k, m):
        passes = 0 if self.kind in ("lookup", "bigram", "random") else min(k, 1) if self.kind == "block" else k
        self.passes += passes if self.K else 0
        self.same("passes", (r["target_forwards"], r["draft_forwards"]), (len(self.done) + 1, self.passes))
        self.same("target_cache", r["target_cache"], {"before": n - 1, "peak": n + k, "after": m - 1})
        if self.cache is None:
            self.same("draft_cache", r["draft_cache"], None)
            return
        before, peak = self.cache, self.cache
        if k:
            peak = {"mtp": n - 1, "eagle": n + k - 2, "block": n + r["asked"] - 2}.get(self.kind, n + k - 1)
        self.cache = min(peak, m - 1 if self.kind in ("model", "oracle") else n - 1)
        self.same("draft_cache", r["draft_cache"], {"before": before, "peak": peak, "after": self.cache})

    def text(self, e):
        said = self.tokenizer.decode(self.written, skip_special_tokens=True)
        self.written.append(e["token"]["id"])
        now = self.tokenizer.decode(self.written, skip_special_tokens=True)
        if "\ufffd" not in said + now:  # else bytes that are no character are on the way
            self.same("piece", e["piece"], now.removeprefix(said))

    def finished(self, end, rounds, prefill, text):
        drafted = [d["verdict"] for r in rounds for d in r["drafted"]]
        times = [r["times"] for r in rounds]
        found = {
            "text": "".join(e["piece"] for r in rounds for e in r["emitted"]),
            "tokens": sum(len(r["emitted"]) for r in rounds),
            "rounds": len(rounds),
            "drafted": len(drafted),
            "tested": len(drafted) - drafted.count("unexamined"),
            "accepted": drafted.count("accepted"),
            "target_forwards": len(rounds),
            "draft_forwards": self.passes,
        }
        for name, value in found.items():
            self.same(name, end[name], value)
        self.near("prefill_ms", end["prefill_ms"], prefill["target_ms"] + prefill["draft_ms"])
        self.near("decode_ms", end["decode_ms"], sum(t[name] for t in times for name in ("draft", "verify", "decide", "rest")))
        self.near("observe_ms", end["observe_ms"], sum(t["observe"] for t in times))
        self.same("device_ms", end["device_ms"], None)
        length = len(prefill["prompt"]) + self.config["max_new_tokens"]
        context = self.header["target"]["context"]
        reason = "length", f"max_new_tokens of {self.config['max_new_tokens']}"
        if context < length:
            reason = "context", f"context of {context}"
        if text[-1] in self.header["eos"] and not self.config["ignore_eos"]:
            reason = "eos", rounds[-1]["emitted"][-1]["token"]["text"]
        self.same("reason", (end["reason"], end["detail"]), reason)
