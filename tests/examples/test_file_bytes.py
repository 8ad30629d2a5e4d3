import re

import numpy as np
import pytest

from support import example


@pytest.fixture(scope="module")
def script():
    return example("file_bytes")


def test_the_network_is_fed_as_magika_feeds_it(script):
    config = {"block_size": 40, "beg_size": 4, "end_size": 5}
    assert script["see"](b"  abcdefgh\n", config).tolist() == [2, 3, 4, 5, 5, 6, 7, 8, 9]
    assert script["see"](b"\nab ", config).tolist() == [1, 2, 3, -1, -1, -1, 0, 1, 2]
    assert script["see"](bytes(100), config).tolist() == [0, 1, 2, 3, 95, 96, 97, 98, 99]
    assert script["see"](b" " * 39 + b"a" * 60 + b" " * 39 + b"b", config).tolist() == [
        39,
        -1,
        -1,
        -1,
        *range(134, 139),
    ]
    assert script["see"](b"a" + b" " * 99, config).tolist() == [0, 1, 2, 3, -1, -1, -1, -1, -1]


def test_the_top_windows_for_python_determine_the_class(script, capsys):
    found = script["main"](small=True)
    assert found["same"] == found["files"] > 20
    assert found["full"] > 0.99
    assert found["without_top"] < 0.6
    assert found["without_bottom"] > 0.9
    assert "python: log odds of +" in capsys.readouterr().out


def test_the_dump_shows_the_bytes_and_colours_the_windows(script):
    data = bytes(range(100))
    masker = script["Bytes"](window=8, layout=lambda data: [*range(20), *range(97, 100)])
    lines = script["dump"](masker.mask(data), np.array([1.0, -0.5, 0.0, 0.5])).splitlines()
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    assert [line[:8] for line in plain] == ["00000000", "00000010", "...", "00000060"]
    assert bytes.fromhex(plain[0][10:57]) == data[:16]
    assert bytes.fromhex(plain[3][10:21]) == data[96:]
    assert plain[3].endswith(" `abc")
    assert re.findall(r"\x1b\[30;48;2;([\d;]+)m", lines[0]) == ["230;120;0", "148;192;242"] * 2  # orange, half blue
    assert "255;255;255" in lines[1]
