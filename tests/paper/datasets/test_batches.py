"""Batches of CIFAR-10: the real form is read, and no other file does anything."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from lcshap.paper.datasets.batches import BatchError, read_batch

ROWS = np.random.default_rng(0).integers(0, 256, (2, 3072), dtype=np.uint8)


def array(
    dtype=b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb", data=None
):
    """An array as Python 2 pickled it."""
    data = ROWS.tobytes() if data is None else data
    return (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR(K\x01(K\x02M\x00\x0ct"
        + dtype
        + b"\x89T"
        + len(data).to_bytes(4, "little")
        + data
        + b"tb"
    )


def official(made=None, labels=b"](K\x07K\x03e"):
    return b"\x80\x02}q\x01(U\x04dataq\x02" + (made or array()) + b"U\x06labels" + labels + b"u."


def test_the_official_form():
    rows, labels = read_batch(official())
    np.testing.assert_array_equal(rows, ROWS)
    assert labels == [7, 3]


@pytest.mark.parametrize("protocol", [3, 4])
def test_the_form_of_python_3(protocol):
    batch = {b"data": ROWS, b"labels": [1, 2], b"batch_label": b"x", b"filenames": [b"a.png", b"b.png"]}
    rows, labels = read_batch(pickle.dumps(batch, protocol=protocol))
    np.testing.assert_array_equal(rows, ROWS)
    assert labels == [1, 2]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"\x80\x02].",
        b"\x80\x02}.",
        b"cos\nsystem\n(U\x02lstR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
        b"h\x05.",
        b"(((",
        b"e.",
        b"u.",
        b"R.",
        b"b.",
        b"Nb.",
        b"I" + b"9" * 5000 + b"\n.",
        b"\x8e" + b"\xff" * 8 + b".",
        official(array(dtype=b"cnumpy\ndtype\n(U\x02O8K\x00K\x01tR")),
        official(array(dtype=b"cnumpy\ndtype\n(U\x02f8K\x00K\x01tR")),
        official(
            array(dtype=b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb")
        ),
        official(array(data=ROWS.tobytes()[:-1])),
        official(array(data=b"")),
        official(labels=b"](K\x07e"),
        official(labels=b"](U\x01aK\x01e"),
        official(b"K\x01"),
        pickle.dumps({b"data": np.array([object()]), b"labels": [1]}, protocol=2),
    ],
)
def test_other_files(data):
    with pytest.raises(BatchError):
        read_batch(data)


FUZZ = """
import sys
import numpy as np
from lcshap.paper.datasets.batches import BatchError, read_batch
base, count, read = open(sys.argv[1], "rb").read(), int(sys.argv[2]), 0
rng = np.random.default_rng(0)
head = [i for i in range(len(base)) if i < 250 or i > len(base) - 60]
for _ in range(count):
    data = bytearray(base)
    for _ in range(rng.integers(1, 6)):
        place = head[rng.integers(len(head))] % len(data)
        way = rng.integers(4)
        if way == 0:
            data[place] = rng.integers(256)
        elif way == 1:
            data[place:place] = bytes(rng.integers(0, 256, rng.integers(1, 5), dtype=np.uint8))
        elif way == 2:
            del data[place : place + rng.integers(1, 5)]
        else:
            other = head[rng.integers(len(head))] % len(data)
            data[place:place] = data[other : other + rng.integers(1, 40)]
    try:
        rows, labels = read_batch(bytes(data))
        read += int(rows.sum()) >= 0 and len(labels) == len(rows)
    except BatchError:
        pass
print("done", read)
"""


@pytest.mark.parametrize("content", [official(), pickle.dumps({b"data": ROWS, b"labels": [1, 2]}, protocol=4)])
def test_damaged_files_crash_nothing(tmp_path, content):
    (tmp_path / "batch").write_bytes(content)
    command = [sys.executable, "-X", "faulthandler", "-c", FUZZ, tmp_path / "batch", "1500"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("done")
