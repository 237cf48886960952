"""specviz pairs"""


def pairs():
    """List public pairs of models, with what each needs. Nothing is downloaded."""
    from ..engine.models.public import PUBLIC

    for p in PUBLIC:
        print(f"--target {p.target} --draft {p.draft}{' --chat' if p.chat else ''}")
        gate = ", gated: accept it on the hub and log in" if p.gated else ""
        print(f"    {p.gigabytes} GB of {p.dtype} weights, licence {p.licence}{gate}{'; ' + p.note if p.note else ''}")
