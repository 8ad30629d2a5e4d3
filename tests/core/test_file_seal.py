import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcshap.core.file_seal import OPEN_SEAL, check_seal, seal
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


def test_content_without_a_place_for_the_seal_is_refused():
    with pytest.raises(OptionError):
        seal(b"nothing")


@pytest.mark.parametrize("look_alike", [OPEN_SEAL.encode(), SEALED])
@pytest.mark.parametrize("form", [b"%(seal)b, %(text)b", b"PAR1 %(text)b, %(seal)b"], ids=["JSON", "Parquet"])
def test_a_text_that_looks_like_a_seal_is_not_taken_for_it(form, look_alike):
    content = seal(form % {b"seal": OPEN_SEAL.encode(), b"text": look_alike})
    assert look_alike in content
    assert check_seal(content, "it")
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 1
        assert not passes(bytes(changed))
