"""specviz doctor"""

from rich.table import Table

from .terminal import show


def doctor():
    """Print what helps with a question: device, threads, versions, models found, one timed pass."""
    from ..lab.doctor import rows

    table = Table(show_header=False, box=None)
    for row in rows():
        table.add_row(*row)
    show(table)
