"""Prompts to measure with: eight openings that runs are timed on, and others by register. Of those, no training text holds the stories,
sums and copies. Two of the dialogues and three of the pieces of code begin documents that are in it, and facts are learned by heart.

«copying»: texts with repeated passages that the bundled target goes on repeating. It does so with lists of sums and of imports and
with few others: of eighteen such texts it copied these and dropped the rest after a line (docs/decisions.md, 14)."""

OPENINGS = (
    "Once upon a time, there was a little dog named",
    "Lily and Tom went to the park. They saw",
    "One day, a small bird fell from its nest. A kind girl",
    "The sun was warm and the children",
    "Max had a red ball. He loved to",
    "It was a cold day. Mom said,",
    "There was a big bear who lived in the forest. He was",
    "Anna found a shiny key under the old tree. She wondered",
)

REGISTERS = {
    "stories": (
        "Once upon a time, there was a little fox named Rusty. Rusty",
        "Lily had a red kite. One windy day, she",
        "The old bear lived in a cave near the river. Every morning he",
        "Tom and his sister Mia wanted to build a boat. They",
        "One day, a small bird found a shiny coin. The bird",
        "Mom said it was time for bed, but Ben was not sleepy. He",
        "There was a big tree in the garden. Under the tree",
        "Sara was sad because her doll was lost. She looked",
    ),
    "facts": (
        "The capital of France is",
        "Q: What is the capital of Japan?\nA:",
        "Rome is the capital of",
        "Q: Where is Kenya?\nA:",
        "The money of Brazil is the",
        "Q: Which planet is known as the red planet?\nA:",
    ),
    "dialogues": (
        "User: I would like to find a restaurant in San Francisco.\nAssistant:",
        "User: Can you help me book a hotel room?\nAssistant:",
        "User: I want to listen to some music.\nAssistant:",
        "User: What is the weather like in London today?\nAssistant:",
        "User: I need a bus ticket to Seattle.\nAssistant:",
        "User: Thank you, that is all I need.\nAssistant:",
    ),
    "code": (
        "def add(a: int, b: int) -> int:\n    ",
        "def is_prime(number: int) -> bool:\n    ",
        "class Stack:\n    def __init__(self):\n        ",
        "for i in range(10):\n    ",
        'if __name__ == "__main__":\n    ',
        "def factorial(n: int) -> int:\n    if n",
    ),
    "arithmetic": (
        "3 + 4 = 7\n12 - 5 = 7\n6 + 6 =",
        "Q: Anna has 3 apples and buys 4 more. How many apples does she have?\nA:",
        "9 - 2 = 7\n5 * 3 = 15\n8 + 1 =",
        "Q: A box holds 6 eggs. How many eggs are in 5 boxes?\nA:",
        "2 * 2 = 4\n14 - 9 = 5\n7 + 13 =",
        "Q: Sam had 10 dollars and spent 4 of them. How much is left?\nA:",
    ),
    "copying": (
        "1 + 1 = 2\n2 + 2 = 4\n3 + 3 = 6\n" * 5 + "1 + 1",
        "3 + 4 = 7\n" * 10 + "3 +",
        "import math\nimport random\n" * 8 + "import",
        "He ran and ran. He jumped and jumped. " * 6 + "He ran",
    ),
}
