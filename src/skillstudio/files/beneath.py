"""Open a path inside a folder without ever leaving it through links.

Linux 5.6 and later have the call `openat2`; elsewhere the path is walked name by name. Both reject
the same paths. Windows opens nothing relative to a folder: there the real path is compared right
before it is used, which another process can outrun.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import stat
import struct
import sys

_OPENAT2 = 437  # The number of the call on every processor (`include/uapi/asm-generic/unistd.h`).
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 16  # How often a call is repeated when a concurrent rename interrupts it.
_LINKS = 40  # Links in one path, as in Linux.
_PATH_ONLY = getattr(os, "O_PATH", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | (_PATH_ONLY or os.O_RDONLY)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_ANY = _PATH_ONLY or os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: a link to a folder that needs no privilege.


def has_folder_handles() -> bool:
    """Whether this system opens folders, and paths relative to them. Windows does not."""
    return os.open in os.supports_dir_fd


def open_beneath(
    folder: int | str, path: str, flags: int, mode: int = 0, links: bool = True
) -> int:
    """Open a path in a folder; with `links`, relative links that stay inside are followed.

    A folder given by path must not be a link. Raises OSError: EXDEV for a path that leaves the
    folder, also by an absolute link, and ELOOP for a link not to be followed.
    """
    if "\0" in path:
        raise OSError(errno.EINVAL, "a path cannot contain the character NUL")
    opener = _ask_kernel if has_openat2() else walk_beneath
    if isinstance(folder, int):
        return opener(folder, path, flags, mode, links)
    if not has_folder_handles():
        return os.open(_real_path(folder, path, links), flags | _BINARY, mode)
    handle = os.open(folder, _FOLDER | _NO_FOLLOW | _CLOSE_ON_EXEC)
    try:
        return opener(handle, path, flags, mode, links)
    finally:
        os.close(handle)


def check_beneath(folder: str, path: str, links: bool = True) -> None:
    """Raise OSError where `open_beneath` would, for a file or folder of any kind."""
    if has_folder_handles():
        os.close(open_beneath(folder, path, _ANY, links=links))
    elif "\0" in path:
        raise OSError(errno.EINVAL, "a path cannot contain the character NUL")
    else:
        os.stat(_real_path(folder, path, links))


def leaves(error: OSError) -> bool:
    """Whether a path was rejected because it leaves its folder or uses a forbidden link."""
    return error.errno in (errno.EXDEV, errno.ELOOP)


@functools.cache
def has_openat2() -> bool:
    """Whether the call exists and no sandbox blocks it."""
    if sys.platform != "linux":
        return False
    try:
        fd = os.open("/", _FOLDER | _CLOSE_ON_EXEC)
        try:
            os.close(_ask_kernel(fd, ".", _FOLDER, 0, True))
        finally:
            os.close(fd)
    except OSError:
        return False
    return True


def _ask_kernel(folder: int, path: str, flags: int, mode: int, links: bool) -> int:
    resolve = _BENEATH | _NO_MAGIC_LINKS | (0 if links else _NO_LINKS)
    how = struct.pack("=QQQ", flags | _CLOSE_ON_EXEC, mode, resolve)
    call = _libc().syscall
    for _ in range(_TRIES):
        fd = call(
            ctypes.c_long(_OPENAT2),
            ctypes.c_int(folder),
            ctypes.c_char_p(os.fsencode(path or ".")),
            ctypes.c_char_p(how),
            ctypes.c_size_t(len(how)),
        )
        if fd >= 0:
            return int(fd)
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number), path)


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def walk_beneath(folder: int, path: str, flags: int, mode: int = 0, links: bool = True) -> int:
    """`open_beneath` for kernels without `openat2`."""
    if path.startswith("/"):
        raise _make_error(errno.EXDEV, path)
    above = [os.dup(folder)]
    try:
        return _walk(above, path, flags, mode, links)
    finally:
        for fd in above:
            os.close(fd)


def _walk(above: list[int], path: str, flags: int, mode: int, links: bool) -> int:
    """`above` contains the open folders of the walk, for the caller to close."""
    names = _names(path)
    remaining_links = _LINKS
    while names:
        name = names.pop()
        if name == ".":
            continue
        if name == "..":
            if len(above) == 1:
                raise _make_error(errno.EXDEV, path)
            os.close(above.pop())
            continue
        here = above[-1]
        try:
            about = os.stat(name, dir_fd=here, follow_symlinks=False)
        except FileNotFoundError:
            if names or not flags & os.O_CREAT:
                raise
            return os.open(name, flags | _NO_FOLLOW | _CLOSE_ON_EXEC, mode, dir_fd=here)
        if stat.S_ISLNK(about.st_mode):
            if not names and flags & _NO_FOLLOW:
                return os.open(name, flags | _CLOSE_ON_EXEC, mode, dir_fd=here)
            target = os.readlink(name, dir_fd=here)
            if not links or not remaining_links:
                raise _make_error(errno.ELOOP, path)
            if target.startswith("/"):
                raise _make_error(errno.EXDEV, path)
            remaining_links -= 1
            names += _names(target)
        elif stat.S_ISDIR(about.st_mode):
            above.append(os.open(name, _FOLDER | _NO_FOLLOW | _CLOSE_ON_EXEC, dir_fd=here))
        elif names:
            raise _make_error(errno.ENOTDIR, path)
        else:
            return os.open(name, flags | _NO_FOLLOW | _CLOSE_ON_EXEC, mode, dir_fd=here)
    return os.open(".", flags | _CLOSE_ON_EXEC, mode, dir_fd=above[-1])


def _names(path: str) -> list[str]:
    """The names of a path in reverse; `.` and a final `/` require a folder."""
    names = [name for name in path.split("/") if name]
    return [*(["."] if path.endswith("/") else []), *names[::-1]]


def _make_error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _real_path(folder: str, path: str, links: bool) -> str:
    """The real path of what `open_beneath` opens, for systems without handles of folders."""
    if _is_link(os.lstat(folder)):
        raise _make_error(errno.ELOOP, folder)
    top = os.path.realpath(folder)
    plain = os.path.normpath(os.path.join(top, path))
    real = os.path.realpath(plain)
    for end in (plain, real):
        if not _is_below(end, top):
            raise _make_error(errno.EXDEV, path)
    if not links and os.path.normcase(real) != os.path.normcase(plain):
        raise _make_error(errno.ELOOP, path)
    return real


def _is_below(path: str, top: str) -> bool:
    try:
        return os.path.normcase(os.path.commonpath([top, path])) == os.path.normcase(top)
    except ValueError:
        return False  # On another drive.


def _is_link(about: os.stat_result) -> bool:
    return stat.S_ISLNK(about.st_mode) or getattr(about, "st_reparse_tag", 0) == _JUNCTION
