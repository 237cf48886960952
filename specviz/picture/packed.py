"""A picture as it is sent: keys and tokens once, in `shapes` and `tokens`, and their numbers where they stand in `body`.

    json_text(packed(picture(trace)))       # a third of what the picture itself would be

A dict is [the number of its keys, its values …], a list is [−1, its items …], under "token" stands a token's number. What undoes it
is assets/shared/picture.js.
"""

HOLD = {dict, list, tuple}


def packed(picture: dict) -> dict:
    shapes: dict[tuple, int] = {}
    tokens: dict[tuple, int] = {}

    def number(token: dict) -> int:
        return tokens.setdefault((token["id"], token["text"], token["partial"]), len(tokens))

    def pack(value):
        """Of a dict, a list or a tuple; most of what is in one is neither, and is not asked again."""
        if type(value) is not dict:
            return [-1, *(pack(each) if type(each) in HOLD else each for each in value)]
        shape = shapes.setdefault(tuple(value), len(shapes))
        return [
            shape,
            *(number(each) if key == "token" else pack(each) if type(each) in HOLD else each for key, each in value.items()),
        ]

    return {"body": pack(picture), "shapes": list(shapes), "tokens": list(tokens)}
