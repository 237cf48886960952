"""Lists that a panel sends are bounded before they are taken apart."""

import pytest

from specviz.config import ConfigError
from specviz.page.lab.asked import LIST, reals, wholes


def test_a_list_is_read_up_to_its_bound_and_refused_past_it():
    assert wholes("K", "1, 2;3 4", 1, 16) == [1, 2, 3, 4] and reals("T", "0 0.5") == [0.0, 0.5]
    for read in (lambda text: wholes("K", text, 1, 16), lambda text: reals("T", text)):
        assert len(read("1 " * (LIST // 2))) == LIST // 2
        with pytest.raises(ConfigError, match=f"at most {LIST} characters") as refused:
            read("1 " * 8_000_000)
        assert len(str(refused.value)) < 200
