"""Files in the terminal, in HTML and on the page."""

import re

from showing import explain, made, unpack, unpack_spans
from showing import read_html as read

import lcshap as lc
from lcshap.maskers import Bytes
from lcshap.show.notebook import to_html
from lcshap.show.terminal import render_explanation


def test_bytes_are_a_dump():
    data = bytes(range(40))
    e = explain(lambda rows: (rows[:, 16:32] == 20).sum(axis=1), Bytes(window=16, padding=256), data)
    lines = render_explanation(e, 80).splitlines()
    for start in (0, 16, 32):
        row = data[start : start + 16]
        letters = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
        assert f"{start:08x}  {row.hex(' '):<47}  {letters}" in [line.rstrip() for line in lines]
    at = next(i for i, line in enumerate(lines) if line.startswith("00000010"))
    assert lines[at + 1].split() == ["#" * 47, "#" * 16]


def test_of_long_files_the_lines_that_matter_are_shown():
    data = bytes(5000)
    e = explain(lambda rows: (rows[:, 1605:1610] == 0).sum(axis=1), Bytes(window=16, padding=1), data)
    rendered = render_explanation(e, 80)
    addresses = re.findall(r"^[0-9a-f]{8}  ", rendered, re.MULTILINE)
    assert addresses == ["00000640  "]
    assert [int(n.replace(",", "")) for n in re.findall(r"… ([\d,]+) bytes", rendered)] == [1600, 5000 - 1616]
    narrow = render_explanation(e, 60)
    assert "00000640  00 00 00 00 00 00 00 00  ........" in narrow
    assert max(map(len, narrow.splitlines())) <= 60


def test_a_dump_in_html():
    data = b"GIF89a<script>" + bytes(30)
    page = read(to_html(explain(lambda rows: (rows == 60).sum(axis=1), Bytes(window=8, padding=256), data)))
    assert data[:16].hex(" ") in page.text
    assert "GIF89a<script>.." in page.text


def test_bytes_on_the_page(write):
    view = lc.maskers.Bytes(4).mask(bytes(range(10))).view
    picture = write(made([1.0, 2.0, 3.0], None, view)).sample()["picture"]
    assert unpack(picture["bytes"]).tolist() == list(range(10))
    assert unpack_spans(picture["spans"]) == [[0, 4], [4, 8], [8, 10]]
