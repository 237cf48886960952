"""What `import specviz` gives: names that are there, and an example that runs."""

import doctest

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
