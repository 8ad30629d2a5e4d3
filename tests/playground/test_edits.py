import numpy as np
import pandas as pd
import pytest

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.playground.edits import COLOURS, how_to_replace, replace_units

TEXT = "the film is not so bad, is it"


def row(masker, x, replaced, kept=None):
    """The row of an input with some units replaced, and all or some others there."""
    masked = replace_units(masker.mask(x), masker, replaced)
    units = range(masked.graph.d) if kept is None else sorted({*kept, *replaced})
    return masked.rows(lc.Coalitions.from_sets(masked.graph.d, [units]))


@pytest.mark.parametrize("kept", [range(8), [0, 1, 3, 5, 7]])
@pytest.mark.parametrize("replaced", [{5: "good"}, {0: "a very"}, {3: ""}, {1: "film film film", 6: "was"}, {7: "ça"}])
def test_a_text_is_what_a_reader_would_write(kept, replaced):
    (edited_text,) = row(lc.maskers.Text(), TEXT, replaced, kept)
    words = [str(replaced.get(k, word)) for k, word in enumerate(TEXT.split()) if k in kept or k in replaced]
    assert edited_text.split() == " ".join(words).split()


def test_the_view_shows_the_new_word():
    masker = lc.maskers.Text()
    view = replace_units(masker.mask(TEXT), masker, {3: "quite"}).view
    assert view.text == TEXT.replace("not", "quite")
    assert view.parts == tuple(TEXT.replace("not", "quite").split())


def test_a_source_of_a_prompt():
    masker = lc.maskers.Prompt("Read: {sources} Then say: {question}", level="sentence")
    x = {"sources": ["It rains. It snows.", "The sun shines."], "question": "What?"}
    (edited_prompt,) = row(masker, x, {2: "The moon shines."})
    changed = {**x, "sources": ["It rains. It snows.", "The moon shines."]}
    assert edited_prompt == masker.mask(changed).rows(lc.Coalitions.from_sets(3, [range(3)]))[0]


def test_a_column_of_a_mixed_table():
    masker = lc.maskers.Tabular(pd.DataFrame({"age": [30.0, 40.0], "city": ["Oslo", "Rome"]}))
    edited_row = row(masker, [30.0, "Oslo"], {1: "Rome", 0: "31.5"})
    assert edited_row.to_numpy().tolist() == [[31.5, "Rome"]] * 2


def test_a_block_of_a_table_is_replaced_by_a_category():
    names = ["age", "city_Oslo", "city_Rome"]
    masker = lc.maskers.Tabular(np.zeros((1, 3)), names=names, groups={"city": names[1:]})
    assert row(masker, [30.0, 1.0, 0.0], {1: "Rome"}).tolist() == [[30.0, 0.0, 1.0]]
    with pytest.raises(MaskerError, match="Expected one of 'Oslo', 'Rome'"):
        row(masker, [30.0, 1.0, 0.0], {1: "Paris"})


IMAGE = np.random.default_rng(0).integers(0, 256, (6, 5, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    "image",
    [IMAGE, IMAGE / 255, IMAGE[..., 0], np.moveaxis(IMAGE, -1, 0).astype(np.float32), IMAGE[..., :1] - 3.0],
    ids=["uint8", "unit", "grey", "first", "other"],
)
@pytest.mark.parametrize("value", [*COLOURS, "#ff8800"])
def test_a_patch_of_an_image(image, value):
    masker = lc.maskers.Image(patch=2)
    (edited_image,) = row(masker, image, {4: value})
    assert (edited_image.dtype, edited_image.shape) == (image.dtype, image.shape)
    at = (slice(None), slice(2, 4), slice(2, 4)) if image.shape[0] == 3 else (slice(2, 4), slice(2, 4))
    restored = edited_image.copy()
    restored[at] = image[at]
    np.testing.assert_array_equal(restored, image)
    if value in COLOURS:
        other = lc.maskers.Image(patch=2, reference=value).mask(image).reference
        np.testing.assert_array_equal(edited_image[at], other[at])
    elif image is IMAGE:
        assert (edited_image[at] == [255, 136, 0]).all()
    else:
        assert len(np.unique(edited_image[at])) <= 3
        assert min(image.min(), 0.0) - 1e-9 <= edited_image[at].min() <= edited_image[at].max() <= max(image.max(), 1.0)


def test_regions_do_not_move():
    """Superpixels are found in the image as it was: a colour does not change which pixels are a unit."""
    masker = lc.maskers.Image("superpixel", segments=4)
    image = np.kron([[0, 200], [90, 255]], np.ones((8, 8))).astype(np.uint8)
    masked = masker.mask(image)
    changed = replace_units(masked, masker, {1: "#000000"})
    np.testing.assert_array_equal(changed.labels, masked.labels)
    np.testing.assert_array_equal(changed.x, np.where(masked.labels == 1, 0, image))


def test_windows_of_a_series():
    masker = lc.maskers.Series(window=2)
    assert row(masker, [1.0, 2.0, 3.0, 4.0], {1: "-7"}).tolist() == [[1, 2, -7, -7]]
    assert row(masker, [1.0, 2.0, 3.0, 4.0], {0: "5, 6"}).tolist() == [[5, 6, 3, 4]]
    assert row(masker, [1, 2, 3, 4], {0: "5.7"}).tolist() == [[6, 6, 3, 4]]
    for wrong in ("x", "1 2 3", "nan", ""):
        with pytest.raises(MaskerError, match="Expected a number, or 2 of them"):
            row(masker, [1.0, 2.0, 3.0, 4.0], {0: wrong})


def test_bytes_and_tokens():
    assert row(lc.maskers.Bytes(window=2), b"\1\2\3\4", {1: "ff 0a"}).tolist() == [[1, 2, 255, 10]]
    assert row(lc.maskers.Bytes(window=2), b"\1\2\3\4", {0: "00"}).tolist() == [[0, 0, 3, 4]]
    assert row(lc.maskers.Tokens(), [5, 6, 7], {1: 9}).tolist() == [[5, 9, 7]]
    with pytest.raises(MaskerError, match="in their order, got others"):
        row(lc.maskers.Bytes(window=2, layout=lambda data: [1, 0]), b"\1\2", {0: "ff"})
    with pytest.raises(MaskerError, match="Expected a number"):
        row(lc.maskers.Bytes(window=2), b"\1\2\3\4", {1: "xyz"})


def test_what_cannot_be_replaced():
    masker = lc.maskers.Molecule()
    with pytest.raises(MaskerError, match="the molecule may not exist"):
        replace_units(masker.mask("CCO"), masker, {1: "N"})
    assert how_to_replace(masker)["kind"] is None
    assert how_to_replace(lc.maskers.Image())["kind"] == "image"
    with pytest.raises(MaskerError, match="from 0 to 7"):
        replace_units(lc.maskers.Text().mask(TEXT), lc.maskers.Text(), {9: "N"})
    with pytest.raises(MaskerError, match="a colour such as"):
        row(lc.maskers.Image(patch=2), IMAGE, {0: "url(javascript:1)"})
