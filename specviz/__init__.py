"""specviz: speculative decoding, shown as it happens.

    prompt ─► engine/ ─► trace/ ─► picture/ ─► page/
                                    │
              one round:   draft    K tokens x ~ q, one by one, by the drafter                       engine/draft/
                           verify   one target pass over the block gives p at every position         models/
                           decide   u < p(x)/q(x) accepts; else the residual; all kept: a bonus      verify, acceptance
                           emit     1 to K + 1 tokens; both caches roll back to the text             decode

Left of `events` torch lives and gradio does not; right of it nobody touches a tensor. Vanilla decoding is K = 0.

    from specviz.config import DecodeConfig
    from specviz.engine.draft.choose import set_up
    from specviz.engine.race import race
    *_, trace = race(set_up("fable", "eagle"), "Once upon a time", DecodeConfig(K=4))
"""
