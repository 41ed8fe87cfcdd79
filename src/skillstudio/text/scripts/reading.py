"""Read a script in any supported language, without running it."""

from __future__ import annotations

import re
from functools import lru_cache

from skillstudio.text.scripts.model import NotRead, Script

LARGEST = 256 << 10  # Maximum size of a script, in bytes: a larger file is data or generated.

LONGEST_LINE = 10_000  # Maximum length of a line, in characters.

_SHEBANG = re.compile(r"#!\s*(?:/\S*/)?(\S+)(?:[ \t]+(.*))?")
_LANGUAGES = {
    "python": "python", "pypy": "python", "sh": "bash", "bash": "bash", "dash": "bash",
    "ksh": "bash", "zsh": "bash", "pwsh": "powershell", "powershell": "powershell",
}  # fmt: skip
_ENDINGS = {
    ".py": "python", ".pyw": "python", ".sh": "bash", ".bash": "bash", ".ps1": "powershell",
}  # fmt: skip


def language_of(path: str, text: str) -> str:
    """The language of a script by its first line, else by its name; "" if unknown."""
    found = _SHEBANG.match(text)
    if found:
        program, rest = found[1], (found[2] or "").split()
        if program == "env":
            words = [word for word in rest if not word.startswith("-") and "=" not in word]
            program = words[0] if words else ""
        return _LANGUAGES.get(re.sub(r"[0-9.]+$", "", program.rpartition("/")[2]), "")
    ending = re.search(r"\.[a-z0-9]+$", path.lower())
    return _ENDINGS.get(ending.group(), "") if ending else ""


@lru_cache(maxsize=4)  # The operations of a skill often share one script.
def read_script(path: str, data: bytes) -> Script:
    """Read a script without running it. Raises NotRead: binary, too large, unknown language."""
    if len(data) > LARGEST:
        raise NotRead(f"larger than {LARGEST >> 10} KiB")
    if b"\0" in data:
        raise NotRead("binary")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotRead("not UTF-8") from None
    if max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
        raise NotRead(f"a line is longer than {LONGEST_LINE} characters")
    match language_of(path, text):
        case "python":
            from skillstudio.text.scripts.python import read_python as read
        case "bash":
            from skillstudio.text.scripts.shell import read_shell as read
        case "powershell":
            from skillstudio.text.scripts.powershell import read_powershell as read
        case _:
            raise NotRead("unsupported language")
    return read(text)
