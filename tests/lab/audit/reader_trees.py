"""Rounds that drafted trees, for reader.py: "A tree" and what follows it on docs/trace.md."""

import math

import torch

from .reader_models import copies, logits


class Trees:
    """Of a Reader: which nodes there are, the walk, what is left of p, caches."""

    def tree(self, r, text):
        nodes, n = r["drafted"], len(text)
        depth, asked = self.levels(n)
        self.same("asked", r["asked"], asked)
        u = [] if self.greedy else torch.rand(2 * asked + 1, generator=self.u, dtype=torch.float64).tolist()
        first, last = u[: len(nodes)], u[len(u) - len(nodes) - 1 :]
        paths = {-1: []}
        for i, d in enumerate(nodes):
            paths[i] = [*paths[d["parent"]], d["token"]["id"]]
            self.same("depth", d["depth"], len(paths[i]))
        below = {at: [i for i, d in enumerate(nodes) if d["parent"] == at] for at in paths}
        for some in below.values():
            self.same("rank", [nodes[i]["rank"] for i in some], list(range(len(some))))
        self.grown(text, depth, paths, below)
        path, left = self.walk(r, text, paths, below, first, last)
        self.follows(r, text, paths, path, left, last)
        fed = self.fed(depth, paths) if nodes else []
        self.tree_caches(r, n, depth if nodes else 0, fed, [paths[i] for i in path])
        reason = {"lookup": "lookup"}.get(self.kind, "start" if n < 2 and self.kind in ("mtp", "eagle") else "filter")
        most = self.nodes_to(self.K)
        self.same("fewer", r["fewer"], reason if len(nodes) < asked else "length" if asked < most else None)
        for e in r["emitted"]:
            self.text(e)

    def levels(self, n):
        depth, most = min(self.K, self.limit - n - 1), self.nodes_to(self.K)
        room = min(self.limit + most, self.header["target"]["context"]) - n
        while self.nodes_to(depth) > room:
            depth -= 1
        return depth, self.nodes_to(depth)

    def nodes_to(self, depth):
        if self.config["tree"] == "dynamic":
            b = self.breadth()
            return min(self.count(), b + b * b * (depth - 1)) if depth else 0
        return sum(math.prod(self.widths()[: d + 1]) for d in range(depth))

    def count(self):
        return self.config.get("nodes", 16)

    def breadth(self):
        return math.ceil(math.sqrt(self.count()))

    def widths(self):
        said = [int(n) for n in self.config.get("children", "3-2-1-1").split("-")]
        return [said[min(d, len(said) - 1)] for d in range(self.K)]

    def row(self, text, path):
        """The draft's logits after a path."""
        return self.drafted_by(text, [*path, 0], 0)[-1]

    # ------------------------------------------------------------ which nodes there are

    def grown(self, text, depth, paths, below):
        said = sorted(path for path in paths.values() if path)
        self.fed_, self.main = [], []
        if self.kind == "lookup":
            full = self.count() if self.config["tree"] == "dynamic" else None
            self.same("drafted", said, sorted(copies(text, depth, self.widths(), full)))
        elif self.config["tree"] == "dynamic":
            self.same("drafted", said, sorted(self.likeliest(text, depth)))
        else:
            at = -1
            while below[at]:
                at = below[at][0]
                self.main.append(paths[at][-1])

    def likeliest(self, text, depth):
        level, every = {(): 1.0}, {}
        for d in range(depth):
            offered = {}
            for path, chance in level.items():
                logits_ = self.row(text, self.main if self.kind == "mtp" else path)
                s = logits_.double().softmax(0) if self.greedy else self.distribution(logits_)
                values, ids = s.topk(min(self.breadth(), len(s)))
                offered |= {(*path, id): chance * v for v, id in zip(values.tolist(), ids.tolist(), strict=True) if v > 0}
            every |= offered
            best = sorted(offered, key=offered.get, reverse=True)[: self.breadth()]
            level = {path: offered[path] for path in best}
            if d + 1 < depth:
                self.fed_ += map(list, best)
                self.main.append(best[0][-1])
        return [list(path) for path in sorted(every, key=every.get, reverse=True)[: self.count()]]

    def fed(self, depth, paths):
        if self.config["tree"] == "dynamic":
            return self.fed_
        deepest = max(map(len, paths.values()))
        return [path for path in paths.values() if 0 < len(path) < deepest]

    # ------------------------------------------------------------ the walk

    def walk(self, r, text, paths, below, first, last):
        """The accepted nodes; what a rejection of all children left of p, or None."""
        found, at, rest, walking = [], -1, None, True
        for parent in sorted(paths):  # parents stand before their children
            if not below[parent]:
                continue
            here = walking and parent == at
            p = own = self.distribution(logits(self.target, [*text, *paths[parent]])[-1])
            s = self.softmax(text, paths[parent])
            q, mass = s, 1.0
            for i in below[parent]:
                d, x = r["drafted"][i], paths[i][-1]
                chosen = self.greedy or self.argmax or self.kind == "lookup"
                hot = torch.nn.functional.one_hot(torch.tensor(x), self.V).double()
                tested = s if self.rule == "siblings" else hot if chosen else q
                self.child(i, d, x, s, q, first)
                self.numbers(d, x, p if here else own, tested, hot if s is None else s, mass if here else 1.0)
                kept = here and self.keeps(r, i, d, x, p, last, len(found))
                self.same("verdict", d["verdict"], "accepted" if kept else "rejected" if here else "unexamined")
                tells = here and not self.greedy and self.rule != "match"
                self.same("u", d["u"], last[i] if tells else None)
                if kept:
                    found, at, here, rest = [*found, i], i, False, None
                elif here:
                    rest, of = self.without(p, tested)
                    if self.rule not in ("match", "siblings", "greedy"):
                        p, mass = rest, mass * of
                if not chosen:
                    q = q.index_fill(0, torch.tensor([x]), 0.0)
                    q = q / q.sum() if q.sum() > 0 else q
            walking = walking and (parent != at or rest is None)
        return found, rest

    def softmax(self, text, path):
        if self.kind == "lookup" or self.greedy:
            return None
        return self.distribution(self.row(text, self.main[: len(path)] if self.kind == "mtp" else path))

    def child(self, i, d, x, s, q, first):
        """It is drawn from what its siblings left of q, or it is one of the largest."""
        if s is None or self.config["tree"] == "dynamic":
            return
        if self.argmax:
            self.redone["drafted"] += 1
            if not float(s[x]) >= float(s.topk(d["rank"] + 1).values[-1]) * 0.999 - 1e-5:
                self.wrong.append(f"{self.place}: {x} is not number {d['rank']} of the largest")
        elif d["rank"] == 0 or float(q[x]) > 1e-3:
            self.drawn("drafted", [x], [q], [first[i]])

    def numbers(self, d, x, p, q, s, mass):
        scale = 1 / mass
        self.near("p", d["p"], float(p[x]), scale)
        self.near("q", d["q"], float(q[x]), 1)
        self.same("ratio", d["ratio"], d["p"] / d["q"])
        self.same("position", d["position"] is not None, d["verdict"] != "unexamined")
        if d["position"] and mass > 0.05:
            self.position(d["position"], p, q, s, x, d["rank"], scale)

    def keeps(self, r, i, d, x, p, u, before):
        if self.rule == "greedy":
            return int(p.argmax()) == x
        if self.rule == "match":
            e = r["emitted"][min(before, len(r["emitted"]) - 1)]
            return e["token"]["id"] == x
        return u[i] * d["q"] * (self.config["theta"] if self.rule == "threshold" else 1) < d["p"]

    def without(self, p, q):
        """What is left of p, and its mass before."""
        if self.rule == "places":
            some, others = p.nonzero()[:, 0], q.nonzero()[:, 0]
            n = min(len(some), len(others))
            q = torch.zeros_like(p).index_copy_(0, some[:n], q[others[:n]])
        left = (p - q).clamp(min=0)
        mass = float(left.sum())
        return (left / mass if mass > 0 else p), mass

    def follows(self, r, text, paths, path, rest, u):
        """The last token, and its residual or position."""
        end, at = r["emitted"][-1], path[-1] if path else -1
        self.same("emitted", [e["token"]["id"] for e in r["emitted"]][: len(path)], paths[at])
        if end["role"] == "accepted":
            return
        self.same("role", end["role"], "plain" if not r["drafted"] else "bonus" if rest is None else "corrected")
        p = self.distribution(logits(self.target, [*text, *paths[at]])[-1])
        residual, rejected = r["residual"], rest is not None
        self.same("residual", residual is not None, rejected and self.config["verifier"] != "match")
        if residual and not self.greedy and residual["mass"] > 0.05:
            p = rest
            for e in residual["entries"]:
                self.near("probability", e["probability"], float(p[e["token"]["id"]]), 30 / residual["mass"])
        if not residual or self.greedy or residual["mass"] > 0.05:
            drew = u[at + 1] if self.rule == "match" and u else u[-1] if u else None
            self.same("u of a draw", end["u"], drew)
            self.drawn("last token", [end["token"]["id"]], [p], [drew])
        self.same("position", end["position"] is not None, end["role"] in ("bonus", "plain"))
        if end["position"]:
            self.position(end["position"], p, None, p, end["token"]["id"])

    def tree_caches(self, r, n, depth, fed, walk):
        m = n + len(r["emitted"])
        self.passes += 0 if self.kind in ("lookup", "bigram", "random") else depth
        self.same("passes", (r["target_forwards"], r["draft_forwards"]), (len(self.done) + 1, self.passes))
        self.same("target_cache", r["target_cache"], {"before": n - 1, "peak": n + len(r["drafted"]), "after": m - 1})
        if self.cache is None:
            self.same("draft_cache", r["draft_cache"], None)
            return
        before, heads = self.cache, self.kind in ("mtp", "eagle")
        peak = (n - 1 if heads else n) + (0 if self.kind == "mtp" else len(fed)) if r["drafted"] else before
        kept = 0 if heads else sum(path in fed for path in walk)
        end = n - 1 if heads else m - 1
        self.cache = min((n - 1 if heads else n) + kept if r["drafted"] else before, end)
        self.same("draft_cache", r["draft_cache"], {"before": before, "peak": peak, "after": self.cache})
