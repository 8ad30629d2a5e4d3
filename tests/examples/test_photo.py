import pytest

from support import example


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("photo")


@pytest.fixture(scope="module")
def found(folder):
    return example("photo")["main"](folder, small=True)


def test_the_network_classifies_the_photograph(found):
    assert found["camera_before"] > 0.9  # a tripod, of a thousand classes


def test_it_is_a_tripod_because_of_the_tripod(found):
    assert found["camera_on"] > 2 * found["camera_size"]
    assert found["camera_after"] < 0.1
    assert 15 < found["camera_units"] < 60


def test_the_pictures_are_there(folder, found):
    assert (folder / "camera.png").stat().st_size > 20_000
    assert (folder / "photographs.html").stat().st_size > 100_000
