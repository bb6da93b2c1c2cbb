"""Files in, files out: what is on the disk after a write, and after one that failed."""

import os
import stat
from pathlib import Path

import pytest

from specgen import disk
from specgen.places import marker


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_write_makes_folders_and_keeps_modes(tmp_path: Path) -> None:
    old, new = tmp_path / "old.py", tmp_path / "a" / "b" / "new.py"
    old.write_bytes(b"before")
    old.chmod(0o640)
    assert disk.write({old: b"1\n", new: b"2\n"}) == []
    assert (old.read_bytes(), new.read_bytes()) == (b"1\n", b"2\n")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~umask
    assert names(tmp_path) == ["a", "a/b", "a/b/new.py", "old.py"]


def test_a_write_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    old, blocked = tmp_path / "old.py", tmp_path / "file" / "new.py"
    old.write_bytes(b"before")
    (tmp_path / "file").write_bytes(b"no folder")
    before = names(tmp_path)
    (diagnostic,) = disk.write({tmp_path / "made" / "x.py": b"", old: b"after", blocked: b""})
    assert (diagnostic.file, diagnostic.code) == (str(blocked), "SG406")
    assert diagnostic.message.startswith("cannot be written: ")
    assert old.read_bytes() == b"before"
    assert names(tmp_path) == before


def test_an_interrupted_write_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        disk.write({tmp_path / "x.py": b""})
    assert names(tmp_path) == []


def test_read_output(tmp_path: Path) -> None:
    assert disk.read_output(tmp_path / "none" / "x.py") == (None, [])
    assert disk.read_output(tmp_path / "x.py") == (None, [])
    (tmp_path / "x.py").write_bytes(b"x")
    assert disk.read_output(tmp_path / "x.py") == (b"x", [])
    os.mkfifo(tmp_path / "pipe.py")
    content, (diagnostic,) = disk.read_output(tmp_path / "pipe.py")
    assert (content, diagnostic.code) == (None, "SG406")
    (tmp_path / "dangling.py").symlink_to("nowhere")
    content, (diagnostic,) = disk.read_output(tmp_path / "dangling.py")
    assert diagnostic.message == "is a symbolic link, and output does not follow one"


def test_marked_files(tmp_path: Path) -> None:
    ours = marker("../specs/x.yaml").encode()
    (tmp_path / "b.py").write_bytes(ours + b"\nx = 1\n")
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbf" + ours + b"\r\n")
    (tmp_path / "mine.py").write_bytes(b"\xff\xfe")
    (tmp_path / "huge.py").write_bytes(b"#" * (1 << 20))
    (tmp_path / "notes.txt").write_bytes(ours)
    (tmp_path / "link.py").symlink_to("b.py")
    (tmp_path / "folder.py").mkdir()
    assert disk.marked_files(tmp_path) == (
        [(tmp_path / "a.py", "../specs/x.yaml"), (tmp_path / "b.py", "../specs/x.yaml")],
        [],
    )
    assert disk.marked_files(tmp_path / "none") == ([], [])


def test_remove(tmp_path: Path) -> None:
    (tmp_path / "x.py").touch()
    assert disk.remove(tmp_path / "x.py") == []
    (tmp_path / "folder").mkdir()
    (diagnostic,) = disk.remove(tmp_path / "folder")
    assert diagnostic.message.startswith("cannot be removed: ")
    assert names(tmp_path) == ["folder"]
