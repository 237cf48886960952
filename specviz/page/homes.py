"""What has one home: a chapter of Learn, a panel of the Lab. Each is a file of a folder, and the lists of them are made from these files.

CHAPTERS = in_order(__name__, "CHAPTER")        # in the __init__.py of the folder
"""

from importlib import import_module
from pkgutil import iter_modules


def in_order(package: str, name: str) -> tuple:
    """What each module of `package` calls `name`, by its `place`."""
    modules = [import_module(f"{package}.{one.name}") for one in iter_modules(import_module(package).__path__)]
    return tuple(sorted((getattr(module, name) for module in modules), key=lambda home: home.place))
