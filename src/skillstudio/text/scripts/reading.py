"""Read a script in any supported language, without running it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.scripts.model import MOST, NotRead, Script

LARGEST = 256 << 10  # Maximum size of a script, in bytes: a larger file is data or generated.

LONGEST_LINE = 10_000  # Maximum length of a line, in characters.

_SHEBANG = lazy_pattern(r"#!\s*(?:/\S*/)?(\S+)(?:[ \t]+(.*))?")
_LANGUAGES = {
    "python": "python", "pypy": "python", "sh": "bash", "bash": "bash", "dash": "bash",
    "ksh": "bash", "zsh": "bash", "pwsh": "powershell", "powershell": "powershell",
    "node": "javascript", "nodejs": "javascript", "bun": "javascript", "deno": "javascript",
    "tsx": "javascript", "ts-node": "javascript", "uv": "python",
}  # fmt: skip
_ENDINGS = {
    ".py": "python", ".pyw": "python", ".sh": "bash", ".bash": "bash", ".ps1": "powershell",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "javascript",
    ".mts": "javascript",
}  # fmt: skip


def language_of(path: str, text: str) -> str:
    """The language of a script by its first line, else by its name; "" if unknown."""
    shebang = _SHEBANG.match(text)
    if shebang:
        program, rest = shebang[1], (shebang[2] or "").split()
        if program == "env":
            words = [word for word in rest if not word.startswith("-") and "=" not in word]
            runs = [word for word in words if word not in ("npx", "bunx")]  # `npx tsx`
            program = runs[0] if runs else ""
        return _LANGUAGES.get(re.sub(r"[0-9.]+$", "", program.rpartition("/")[2]), "")
    ending = re.search(r"\.[a-z0-9]+$", path.lower())
    return _ENDINGS.get(ending.group(), "") if ending else ""


@lru_cache(maxsize=64)  # A form reads the scripts of its skill at every change.
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
        case "javascript":
            from skillstudio.text.scripts.javascript import read_javascript as read
        case _:
            raise NotRead("unsupported language")
    return _with_unique_names(_truncate(read(text)))


def _truncate(script: Script) -> Script:
    """At most `MOST` commands and options of each; one with more is not certain."""
    commands = [
        command
        if len(command.options) <= MOST
        else command._replace(options=command.options[:MOST], certain=False)
        for command in script.commands[:MOST]
    ]
    return script._replace(commands=tuple(commands))


def _with_unique_names(script: Script) -> Script:
    """Name options by their flags if several set the same value."""
    commands = []
    for command in script.commands:
        names = [option.name for option in command.options]
        if len(set(names)) < len(names):
            used_names: set[str] = set()
            options = []
            for option in command.options:
                flag_name = option.flag.lstrip("-").replace("-", "_") or option.name
                name = flag_name if names.count(option.name) > 1 else option.name
                name = next(
                    candidate for candidate in _iter_numbered(name) if candidate not in used_names
                )
                used_names.add(name)
                options.append(option._replace(name=name))
            command = command._replace(options=tuple(options))
        commands.append(command)
    return script._replace(commands=tuple(commands))


def _iter_numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(2))
