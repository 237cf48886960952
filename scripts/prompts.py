"""Prompts by register, written for measuring: none is in a training text. \"copying\" repeats a passage
that the family can go on with; stories it does not copy."""

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
        "User: I want to listen to some music.\nAssistant: What song would you like to listen to?\n" * 2
        + "User: I want to listen to some music.\nAssistant:",
        "The capital of France is Paris.\n" * 4 + "The capital",
        "Q: What is the capital of France?\nA: Paris\n" * 4 + "Q:",
        "for i in range(10):\n    print(i)\n" * 5 + "for i",
    ),
}
