import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcshap.core.explanations.file_seal import OPEN_SEAL, check_seal, seal
from lcshap.errors import FileFormatError, OptionError

SEALED = seal(b"before " + OPEN_SEAL.encode() + b" after")


def passes(content):
    """Whether a file has a seal that fits; files without one are refused elsewhere."""
    try:
        return check_seal(content, "it")
    except FileFormatError:
        return False


@given(position=st.integers(0, len(SEALED) - 1), bit=st.integers(0, 7))
def test_every_changed_bit_is_noticed(position, bit):
    changed = bytearray(SEALED)
    changed[position] ^= 1 << bit
    if position in range(7, 7 + len(OPEN_SEAL)):
        assert not passes(bytes(changed))
    else:
        with pytest.raises(FileFormatError, match="digest is wrong"):
            check_seal(bytes(changed), "it")


def test_a_file_as_it_was_sealed():
    assert check_seal(SEALED, "it")
    assert not check_seal(b"before after", "it")


@pytest.mark.parametrize("content", [b"nothing", OPEN_SEAL.encode() * 2])
def test_a_file_has_one_seal(content):
    with pytest.raises(OptionError):
        seal(content)
