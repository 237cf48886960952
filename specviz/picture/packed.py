"""A picture as it is sent: each token once, and where it stands its number in that list. assets/shared/picture.js undoes it.

json_text(packed(picture(trace)))       # half of what the picture itself would be
"""


def packed(picture: dict) -> dict:
    tokens: dict[tuple, int] = {}

    def number(token: dict) -> int:
        return tokens.setdefault((token["id"], token["text"], token["partial"]), len(tokens))

    def row(entry: dict) -> list:
        """A token of a distribution: its number, p and, where it is known, q."""
        values = [entry["p"], entry.get("q")]
        return [number(entry["token"]), *(value for value in values if value is not None)]

    def pack(value):
        if isinstance(value, list):
            return [pack(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            key: number(each) if key == "token" else [row(entry) for entry in each] if key == "entries" else pack(each)
            for key, each in value.items()
        }

    return {**pack(picture), "tokens": list(tokens)}
