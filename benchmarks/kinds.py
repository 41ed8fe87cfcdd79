"""How far the kinds of files agree with what `file --mime-type` says of a sample of folders.

Run by itself: `python benchmarks/kinds.py [FOLDER…]`. Where `file` says no more than that something
is text or bytes, that is what has to agree.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from skillstudio.files.kind import HEAD
from skillstudio.preview.files import kind_to_show

FOLDERS = ("/usr/share", "/usr/lib")
SAMPLE = 3_000
OF_EACH = 12
"""Files of each suffix before any others."""
SHOWN = 15
SAME = {
    "application/gzip": "gzip", "application/java-archive": "zip", "application/zip": "zip",
    "application/json": "json", "application/ndjson": "json-lines", "application/pdf": "pdf",
    "application/javascript": "javascript typescript", "application/x-archive": "ar",
    "application/vnd.microsoft.portable-executable": "program", "application/x-bzip2": "bzip2",
    "application/x-bytecode.python": "python-bytecode", "application/x-executable": "program",
    "application/x-gettext-translation": "gettext", "application/x-java-applet": "program",
    "application/x-java-jmod": "zip", "application/x-matlab-data": "matlab",
    "application/x-netcdf": "netcdf", "application/x-object": "program",
    "application/x-ole-storage": "office", "application/x-pie-executable": "program",
    "application/x-sharedlib": "program", "application/x-tar": "tar",
    "application/x-terminfo": "terminfo", "application/x-terminfo2": "terminfo",
    "application/x-xz": "xz", "application/zstd": "zstd", "application/vnd.sqlite3": "sqlite",
    "application/x-sqlite3": "sqlite", "application/wasm": "wasm", "application/x-hdf5": "hdf5",
    "audio/basic": "audio", "audio/mpeg": "audio", "audio/x-aiff": "audio", "audio/x-wav": "audio",
    "font/sfnt": "font", "image/bmp": "bmp", "image/gif": "gif", "image/jpeg": "jpeg",
    "image/png": "png", "image/svg+xml": "svg", "image/tiff": "tiff", "image/webp": "webp",
    "image/vnd.microsoft.icon": "icon", "image/x-exr": "exr", "image/x-portable-bitmap": "netpbm",
    "image/x-portable-greymap": "netpbm", "image/x-portable-pixmap": "netpbm", "text/csv": "csv",
    "text/html": "html", "text/x-diff": "diff", "text/x-java": "java", "text/x-perl": "perl",
    "text/x-php": "php", "text/x-msdos-batch": "batch", "text/x-script.python": "python",
    "text/x-shellscript": "shell", "text/x-tex": "tex", "text/xml": "xml svg html",
    "text/x-c": "c cpp", "text/x-c++": "cpp c", "text/x-makefile": "make", "text/x-ruby": "ruby",
    "text/x-awk": "awk", "text/x-lisp": "lisp", "text/x-fortran": "fortran",
}  # fmt: skip
BINARY = ("application/octet-stream", "audio/", "image/", "font/", "video/", "application/x-")


def files(folders: Sequence[str]) -> list[str]:
    """A sample, the same in every run over the same files."""
    by_suffix: dict[str, list[str]] = defaultdict(list)
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(place, name)
                if os.path.isfile(path) and not os.path.islink(path) and "\n" not in path:
                    by_suffix[os.path.splitext(name)[1]].append(path)
    chance = random.Random(7)
    found: list[str] = []
    rest: list[str] = []
    for _, paths in sorted(by_suffix.items()):
        chance.shuffle(paths)
        found += paths[:OF_EACH]
        rest += paths[OF_EACH:]
    chance.shuffle(found)
    return (found + rest)[:SAMPLE]


def judged(paths: Sequence[str]) -> Iterator[tuple[str, str, str, bool]]:
    """Path, MIME type, kind, and whether they agree."""
    command = ["file", "--mime-type", "--brief", "--no-pad", "--files-from", "-"]
    said = subprocess.run(
        command, input="\n".join(paths), capture_output=True, text=True, check=True
    )
    for path, mime in zip(paths, said.stdout.splitlines(), strict=True):
        with open(path, "rb") as file:
            kind = kind_to_show(path, file.read(HEAD))
        if mime in SAME:
            agrees = kind.name in SAME[mime].split()
        else:
            agrees = kind.is_text != mime.startswith(BINARY)
        yield path, mime, kind.name, agrees


def main() -> int:
    paths = files(sys.argv[1:] or FOLDERS)
    found = list(judged(paths))
    named = [each for each in found if each[1] in SAME]
    for what, of in (("all", found), ("of a type of their own", named)):
        good = sum(agrees for *_, agrees in of)
        print(f"{what}: {good:,} of {len(of):,} agree, {100 * good / len(of):.1f} %")
    others = Counter((mime, kind) for _, mime, kind, agrees in found if not agrees)
    for (mime, kind), count in others.most_common(SHOWN):
        example = next(path for path, *rest in found if rest[:2] == [mime, kind])
        print(f"{count:>5}  {mime:<34} {kind:<14} {example}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
