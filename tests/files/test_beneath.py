"""Opening a path in a folder: what is opened, what is refused, and that both ways agree."""

from __future__ import annotations

import errno
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillstudio.files import beneath
from skillstudio.files.beneath import has_openat2, leaves, open_beneath, walk_beneath

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no descriptors of folders")

Open = Callable[[int, str, int, int, bool], int]
WAYS: dict[str, Open] = {"openat2": beneath._ask_kernel, "walk": walk_beneath}
PATH = getattr(os, "O_PATH", os.O_RDONLY)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Open:
    if request.param == "openat2" and not has_openat2():
        pytest.skip("this kernel has no openat2, or a filter refuses it")
    return WAYS[request.param]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """A folder with links of every kind, beside one that nothing may reach."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("secret")
    top = tmp_path / "top"
    (top / "a" / "b" / "c").mkdir(parents=True)
    (top / "file").write_text("here")
    (top / "a" / "file").write_text("here")
    links = {
        "in": "a/b",
        "a/back": "../file",
        "twice": "in/../file",
        "absolute": str(tmp_path / "outside"),
        "absolute-in": str(top / "a"),
        "out": "../outside",
        "a/out": "../../outside",
        "loop": "loop",
        "dangling": "a/new",
        "dangling-out": "../outside/new",
        # The words of the path stay inside; where the system goes does not.
        "a/b/c/up": "../../..",
        "a/b/c/chain": "up/../outside",
        "proc-root": "/proc/self/root",
        "proc-cwd": "/proc/self/cwd",
    }
    for name, target in links.items():
        (top / name).symlink_to(target)
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


OPENED = ["file", "a/file", "a/../file", "./a//file", "a/back", "twice", "in/c/../../file"]
REFUSED = {
    "absolute/file": errno.EXDEV,
    "absolute": errno.EXDEV,
    "absolute-in/file": errno.EXDEV,
    "out/file": errno.EXDEV,
    "a/out/file": errno.EXDEV,
    "a/b/c/chain/file": errno.EXDEV,
    "a/b/c/up/../outside/file": errno.EXDEV,
    "../outside/file": errno.EXDEV,
    "a/../../outside/file": errno.EXDEV,
    "/etc/passwd": errno.EXDEV,
    "proc-root/etc/passwd": errno.EXDEV,
    "proc-cwd": errno.EXDEV,
    "loop": errno.ELOOP,
    "file/x": errno.ENOTDIR,
    "a/none": errno.ENOENT,
    "none/../file": errno.ENOENT,
}


@pytest.mark.parametrize("path", OPENED)
def test_a_path_inside_is_opened(way: Open, folder: int, path: str) -> None:
    fd = way(folder, path, os.O_RDONLY, 0, True)
    with open(fd, encoding="utf-8") as file:
        assert file.read() == "here"


@pytest.mark.parametrize("path", REFUSED)
def test_what_leads_out_is_refused(way: Open, folder: int, path: str) -> None:
    with pytest.raises(OSError) as refused:
        way(folder, path, os.O_RDONLY, 0, True)
    assert refused.value.errno == REFUSED[path]
    assert leaves(refused.value) is (REFUSED[path] in (errno.EXDEV, errno.ELOOP))


@pytest.mark.parametrize("path", ["in/c", "a/back", "twice", "absolute", "dangling"])
def test_without_links_none_is_followed(way: Open, folder: int, path: str) -> None:
    with pytest.raises(OSError) as refused:
        way(folder, path, os.O_RDONLY, 0, False)
    assert refused.value.errno in (errno.ELOOP, errno.EXDEV)


def test_a_new_file_is_made_inside_alone(way: Open, folder: int, tmp_path: Path) -> None:
    write = os.O_WRONLY | os.O_CREAT
    for path, made in (("new", "top/new"), ("dangling", "top/a/new")):
        os.close(way(folder, path, write, 0o600, True))
        assert (tmp_path / made).stat().st_mode & 0o777 == 0o600
    with pytest.raises(OSError) as refused:
        way(folder, "dangling-out", write, 0o600, True)
    assert refused.value.errno == errno.EXDEV
    assert not (tmp_path / "outside" / "new").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="links of /proc are Linux's")
@pytest.mark.parametrize("path", ["self/root/etc/passwd", "self/cwd", "self/fd/0", "self/exe"])
def test_a_magic_link_is_never_followed(way: Open, path: str) -> None:
    fd = os.open("/proc", os.O_RDONLY)
    try:
        with pytest.raises(OSError):
            way(fd, path, os.O_RDONLY, 0, True)
    finally:
        os.close(fd)


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    os.close(open_beneath(str(tmp_path / "real"), ".", PATH))
    with pytest.raises(OSError):
        open_beneath(str(tmp_path / "link"), ".", PATH)


def test_a_path_with_nul_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError) as refused:
        open_beneath(str(tmp_path), "a\0b", os.O_RDONLY)
    assert refused.value.errno == errno.EINVAL


def test_without_openat2_the_path_is_walked(monkeypatch: pytest.MonkeyPatch, folder: int) -> None:
    def missing(*_: object) -> int:
        raise AssertionError("openat2 was called")

    monkeypatch.setattr(beneath, "has_openat2", lambda: False)
    monkeypatch.setattr(beneath, "_ask_kernel", missing)
    os.close(open_beneath(folder, "a/back", os.O_RDONLY))
    with pytest.raises(OSError):
        open_beneath(folder, "absolute", os.O_RDONLY)


def test_both_ways_agree_on_random_links(tmp_path: Path) -> None:
    """On 60 trees of links at random, every path opens the same file or is refused by both."""
    if not has_openat2():
        pytest.skip("this kernel has no openat2, or a filter refuses it")
    chosen = random.Random(12)
    tried = 0
    for number in range(60):
        top = tmp_path / str(number) / "x" / "top"
        folders = ["", "a", "a/b", "a/b/c", "d"]
        for name in folders:
            (top / name).mkdir(parents=True, exist_ok=True)
            (top / name / "f").write_text(name)
        paths = list(folders)
        for link in range(8):
            at = f"{chosen.choice(folders)}/l{link}".lstrip("/")
            steps = ["..", "..", "a", "b", "d", "f", "l0", "l1", "l2", "x", "top", "."]
            target = "/".join(chosen.choices(steps, k=chosen.randint(1, 5)))
            if chosen.random() < 0.1:
                target = f"{top}/{target}"
            (top / at).symlink_to(target)
            paths += [at, f"{at}/f", f"{at}/../f"]
        fd = os.open(top, os.O_RDONLY)
        for path in paths:
            tried += 1
            assert _opened(WAYS["openat2"], fd, path) == _opened(WAYS["walk"], fd, path), path
        os.close(fd)
    assert tried > 1000


def _opened(way: Open, folder: int, path: str) -> object:
    try:
        fd = way(folder, path, PATH, 0, True)
    except OSError as error:
        return error.errno
    about = os.fstat(fd)
    os.close(fd)
    return about.st_ino, about.st_mode
