"""Every word of the tab Learn."""

TITLES = (
    "One token at a time",
    "Guess, then check",
    "Drafting",
    "One pass verifies all",
    "Accept or reject",
    "The residual",
    "All accepted",
    "How fast?",
    "Other ways to draft",
)
