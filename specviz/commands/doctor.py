"""specviz doctor"""

from rich.table import Table

from .terminal import show


def doctor():
    """What to send with a question: device, threads, versions, models found, one timed forward."""
    from ..lab.doctor import rows

    table = Table(show_header=False, box=None)
    for row in rows():
        table.add_row(*row)
    show(table)
