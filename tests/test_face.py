"""What `import specviz` gives: few names, each from its home once it is asked for, and an example that runs."""

import doctest
from pathlib import Path

import pytest

import specviz


def test_the_example_of_the_package_runs_as_it_is_written(no_network, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testmod(specviz)
    assert done.attempted >= 5 and done.failed == 0
    assert (tmp_path / "run.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("name", specviz.__all__)
def test_every_public_name_is_there_and_listed_and_has_a_docstring(name):
    value = getattr(specviz, name)
    assert value.__name__ == name and value.__doc__
    assert name in dir(specviz)


def test_a_name_that_is_none_is_said_as_python_says_it():
    with pytest.raises(AttributeError, match="module 'specviz' has no attribute 'rice'"):
        _ = specviz.rice


def test_what_a_checker_reads_is_what_is_found_when_it_runs():
    """The names under TYPE_CHECKING and the homes of __getattr__ are two lists of one thing."""
    source = Path(specviz.__file__).read_text("utf-8").partition("if TYPE_CHECKING:\n")[2].partition("\n\n")[0]
    checked = dict(line.split()[::-2] for line in source.splitlines())
    assert checked == {name: f".{home}" for name, home in specviz._HOMES.items()}
    assert sorted(checked) == sorted(specviz.__all__)
