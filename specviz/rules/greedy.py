"""Temperature 0, where all rules are one: p and q are one-hot, so a draft token stays iff it is what the target would write."""


def verify(x: list[int], y: list[int]) -> tuple[int, list[float]]:
    """x [K]: the drafted ids; y [K + 1]: the id of the largest logit at each position. How many stay, and p of each drafted token (q is 1).

    The one-hot p and q are never formed."""
    accepted = next((i for i, x_i in enumerate(x) if x_i != y[i]), len(x))
    return accepted, [float(x_i == y_i) for x_i, y_i in zip(x, y, strict=False)]


def verify_tree(x: list[int], y: list[int], children: list[list[int]]) -> tuple[list[int], list[int]]:
    """Of a block that branches: x [n], y [n + 1] and `children` [n + 1] (rules.TreeInputs): nodes that stay, and nodes that were tested."""
    at, path, tested = -1, list[int](), list[int]()
    while True:
        for node in children[at + 1]:
            tested.append(node)
            if x[node] == y[at + 1]:
                path.append(node)
                at = node
                break
        else:
            return path, tested
