"""Prompts to measure with: eight openings that runs are timed on, and others by register. Of those, no training text holds the stories,
sums and copies. Two of the dialogues and three of the pieces of code begin documents that are in it, and facts are learned by heart.

«copying»: texts with repeated passages that the bundled target goes on repeating. It does so with lists of sums and of imports and
with few others: of eighteen such texts it copied these and dropped the rest after a line (docs/decisions.md, 11)."""

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

# what greedy lanes are compared on: stories, and what is hard to encode; here \n and \t stand for a line and a tab
HARD_TO_ENCODE = tuple(
    text.replace(r"\n", "\n").replace(r"\t", "\t")
    for text in r"""
Once upon a time there was a little girl named Lily
One day, Tim and his mom went to the park to
The big brown dog ran after the red ball and fell
"I don't like it," said the old man. "It is
In a small house near the forest there lived a cat
Sara wanted to bake a cake for her friend, but she
The sun was hot. The bird was thirsty. It looked for
Ben was sad because his toy car was broken and nobody
Mom said, "Please clean your room before we go to
Three little pigs built three houses out of straw, wood and
def add(a, b):\n    return a + b  # and 100%
Zoë's café in Übersee was naïve, très chic and 3.50 €
北京 is a big city and 日本 is a country where
🙂 The smile said hello to the 👩‍🚀 and they flew
<b>bold</b> &amp; ${1+1} {{value}} is what the page said
1, 2, 3, 4, 5, 6, 7, 8, 9,
THE CAT SAT ON THE MAT AND THE DOG DID NOT LIKE
the the the the the the the the the the the the
 two  spaces   three    and a tab\t between these few words
Why? Because! Who? Nobody... When? Now; then: later - and
Spot. Spot saw the shiny car and said, "Wow, Kitty,
Lily and her puppy went to sleep. In the morning they
""".strip("\n").split("\n")
)

# questions for an assistant, asked through its chat template. Its drafters were trained on answers to others (train_answers.py)
ASSISTANT = {
    "chat": (
        "What's the square root of 7?",
        "What is the capital of Portugal?",
        "List five things to pack for a trip to the sea.",
        "Why is the sky blue?",
        "Tell me about the history of the bicycle.",
        "Write a short story about a lighthouse keeper and a whale.",
        "How do I make pancakes?",
        "What should I look for when I buy a used laptop?",
        "Explain how a refrigerator works.",
        "Give me three tips for a job interview.",
        "What is the difference between a virus and a bacterium?",
        "Write a short poem about rain in the city.",
        "Name four planets and say one thing about each.",
        "How can I sleep better at night?",
        "Write an email to my landlord about a broken heater.",
    ),
    "code": (
        "Write a Python function that reverses a string.",
        "Write a Python function that checks whether a number is prime.",
        "Write a Python class for a bank account with deposit and withdraw.",
        "How do I read a CSV file in Python?",
        "Write a Python function that counts the vowels in a text.",
        "Write a SQL query that finds the ten oldest customers.",
        "Write a JavaScript function that removes duplicates from an array.",
        "Write a Python function for the first n Fibonacci numbers.",
        "Write an HTML page with a heading and a list of three links.",
        "Explain what this code does:\n\nfor i in range(10):\n    if i % 2:\n        print(i)",
        "Write a Python program that plays rock, paper, scissors.",
        "How do I sort a dictionary by its values in Python?",
        "Write a Python function that merges two sorted lists.",
        "Write unit tests for a function add(a, b).",
        "Write a bash script that renames all .txt files to .md.",
    ),
    "sums": (
        "What is 17 + 25?",
        "A train travels 60 miles in an hour. How far does it travel in 3.5 hours? Explain step by step.",
        "Anna has 12 apples. She gives 5 to Ben and buys 8 more. How many does she have?",
        "What is 15 percent of 240?",
        "A rectangle is 7 cm wide and 11 cm long. What is its area?",
        "Solve 3x + 5 = 20 step by step.",
        "A book costs 18 dollars and is reduced by a third. What does it cost now?",
        "What is 144 divided by 12?",
        "Four friends share a bill of 92 dollars. How much does each pay?",
        "If a clock shows 3:40, what time is it 50 minutes later?",
        "What is the average of 4, 8, 15 and 25?",
        "A car uses 6 litres of fuel for 100 km. How much does it use for 250 km?",
        "Write the multiplication table of 7 up to 10.",
        "A farmer has 3 fields with 45 trees each. 20 trees fall in a storm. How many are left?",
        "Count from 20 down to 1.",
    ),
    "rewriting": tuple(
        f"{task}\n\n{text}"
        for text in (
            "The museum opens at nine in the morning and closes at six in the evening. Tickets can be bought at the entrance or online. "
            "Children under twelve do not pay. On Mondays the museum is closed.",
            "Our team has finished the first part of the bridge. The second part will take four months, since the river is high in spring. "
            "We thank everyone who lives near the site for their patience.",
            "Bees live in groups of many thousands. Each bee has a task: some look for flowers, some build, and some guard the entrance. "
            "In winter they stay close together to keep warm.",
        )
        for task in (
            "Repeat this text word for word:",
            "Correct the mistakes in this text, if there are any:",
            "Rewrite this text in the past tense:",
            "Rewrite this text as a list of short sentences:",
            "Summarize this text in one sentence:",
        )
    ),
}
