"""Files are written whole or not at all, and what cannot be written is found out before."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

import lcshap as lc
from lcshap.core import atomic_files as files
from lcshap.core.atomic_files import check_output_path, write_file


@pytest.fixture(params=[True, False], ids=["unnamed", "named"])
def way(request, monkeypatch):
    """Both ways of writing: with files that have no name, and without."""
    if not request.param:
        monkeypatch.setattr(files, "_write_unnamed", lambda path, content, mode: False)


@pytest.mark.usefixtures("way")
class TestWriting:
    @pytest.mark.parametrize(("content", "encoded"), [("ü\n", "ü\n".encode()), (b"\x00\xff", b"\x00\xff"), ("", b"")])
    def test_new_and_old_files(self, content, encoded, tmp_path):
        for _ in range(2):
            assert write_file(tmp_path / "x", content) == tmp_path / "x"
            assert (tmp_path / "x").read_bytes() == encoded
            assert os.listdir(tmp_path) == ["x"]

    def test_mode_is_that_of_the_old_file_or_what_the_user_wants_for_new_ones(self, tmp_path):
        (tmp_path / "plain").write_text("")
        write_file(tmp_path / "new", "x")
        assert os.stat(tmp_path / "new").st_mode == os.stat(tmp_path / "plain").st_mode
        os.chmod(tmp_path / "new", 0o640)
        write_file(tmp_path / "new", "y")
        assert stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o640

    def test_links_stay_links(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to("real")
        write_file(tmp_path / "link", "new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"

    def test_names_as_long_as_there_are(self, tmp_path):
        write_file(tmp_path / ("x" * 255), "new")
        assert (tmp_path / ("x" * 255)).read_text() == "new"

    @pytest.mark.parametrize("call", ["write", "fsync", "replace"])
    def test_a_full_disk_leaves_the_old_file_and_nothing_else(self, call, tmp_path, monkeypatch):
        write_file(tmp_path / "x", "old")

        def full(*args, **kwargs):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, call, full)
        with pytest.raises(OSError, match="No space"):
            write_file(tmp_path / "x", "new")
        assert (tmp_path / "x").read_text() == "old"
        assert os.listdir(tmp_path) == ["x"]

    def test_bytes_that_come_one_by_one(self, tmp_path, monkeypatch):
        write = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:1]))
        assert write_file(tmp_path / "x", "slow").read_text() == "slow"


def test_pipes_are_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    write_file(tmp_path / "pipe", "through")
    assert reader.communicate()[0] == b"through"


KILLED = """
import sys
from lcshap.core.atomic_files import write_file
data = b"n" * 20_000_000
print("ready", flush=True)
while True:
    write_file(sys.argv[1], data)
"""


def test_a_killed_process_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"o" * 1000)
    for delay in (0.0, 0.01, 0.05):
        child = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert path.read_bytes() in (b"o" * 1000, b"n" * 20_000_000)


class TestTargets:
    def test_fine_ones(self, tmp_path):
        assert check_output_path(tmp_path / "new.json") == tmp_path / "new.json"
        (tmp_path / "old.json").write_text("{}")
        check_output_path(tmp_path / "old.json")
        check_output_path(tmp_path / "old.json", lambda content: content == b"{}")
        (tmp_path / "empty").touch()
        check_output_path(tmp_path / "empty", lambda content: False)
        assert sorted(os.listdir(tmp_path)) == ["empty", "old.json"]

    def test_bad_ones(self, tmp_path):
        (tmp_path / "file").write_text("x")
        for path, says in [
            (tmp_path / "no" / "x", "Expected a folder to write x to, got .*, which does not exist"),
            (tmp_path / "file" / "x", "Expected a folder to write x to, got .*, which is not a folder"),
            (tmp_path, "which is a folder"),
            (tmp_path / ("x" * 300), "got"),
            (tmp_path / "a\0b", "got"),
        ]:
            with pytest.raises(lc.errors.OptionError, match=says):
                check_output_path(path)

    def test_files_of_another_kind(self, tmp_path):
        (tmp_path / "long").write_bytes(b"x" * 10**6 + b"the end")
        check_output_path(tmp_path / "long", lambda content: b"the end" in content)
        with pytest.raises(lc.errors.OptionError, match="which holds something else"):
            check_output_path(tmp_path / "long", lambda content: b"other" in content)

    def test_folders_without_write_permission(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, how: False)
        with pytest.raises(lc.errors.OptionError, match="write-protected"):
            check_output_path(tmp_path / "x")
