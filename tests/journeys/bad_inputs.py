"""Every bad input that skillstudio promises to take calmly, as one table.

A row says what is wrong, how the folder of the skill is made, every finding with its line and
column in the order of the report, and the exit status of `check`. The same rows go through the
command line and through the workbench.
"""

from __future__ import annotations

import builtins
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Build = Callable[[Path], object]

MIB = 1024 * 1024
DEEP = 30_000
OSC = "\x1b]52;c;cm0gLXJm\x07"
"""The sequence that writes the clipboard of a terminal which obeys it."""
C1 = "\x9d52;c;cm0gLXJm\x9c"
"""The same in one-character control codes."""
MARKUP = "[@click=app.quit]x"


class Bad(NamedTuple):
    """One bad input."""

    title: str
    build: Build
    found: str
    """Each finding as `rule line:column`, in the order of the report, with how many there are of
    that rule on that line."""
    status: int = 1


def files(**content: str | bytes) -> Build:
    """Writes files; `SKILL_md` is SKILL.md."""

    def build(folder: Path) -> None:
        for name, data in content.items():
            path = folder / name.replace("_", ".")
            path.write_bytes(data if isinstance(data, bytes) else data.encode())

    return build


def front(text: str, body: str = "Say.\n") -> Build:
    """A SKILL.md with a good name and description, and `text` below them."""
    return files(SKILL_md=f"---\nname: plain\ndescription: Says. Use it.\n{text}---\n{body}")


def described(text: str) -> Build:
    return files(SKILL_md=f"---\nname: plain\ndescription: {text}\n---\nSay.\n")


def block(text: str) -> Build:
    """A skill-manifest block; its first line is line 6."""
    return front("", f"```skill-manifest\n{text}\n```\n")


def operation(**changes: Any) -> dict[str, Any]:
    """A complete skill-manifest with one operation that runs a program of the system."""
    return {
        "schema_version": "2.0",
        "id": "plain",
        "version": "1.0.0",
        "capabilities": ["text-say"],
        "effects": ["proc.exec"],
        "operations": {
            "say": {
                "description": "Say it.",
                "input": {},
                "output": {"description": "It.", "fields": {}},
                "entrypoints": {"unix": ["true"], "windows": ["cmd.exe"]},
            }
        },
        "stdout_contract": {"last_line_json": True},
        **changes,
    }


def provenact(**changes: Any) -> Build:
    """A complete provenact manifest without an artifact beside it."""
    manifest = {
        "schema_version": "1.0.0-draft",
        "id": "plain",
        "name": "plain",
        "version": "1.0.0",
        "entrypoint": "skill.wasm",
        "artifact": "sha256:" + "0" * 64,
        "capabilities": [],
        "signers": [],
        "inputs_schema": {},
        "outputs_schema": {},
        **changes,
    }
    return files(manifest_json=json.dumps(manifest))


def schema_of_input(schema: str) -> Build:
    """A frontmatter-1.0 manifest whose one input has this schema, from 10:9 on."""
    return front(
        'manifest_version: "1.0"\ninputs:\n  required:\n    - name: word\n'
        f"      description: A word.\n      schema:\n        {schema}\n"
    )


def linked(target: str) -> Build:
    """SKILL.md is a link."""

    def build(folder: Path) -> None:
        (folder.parent / "elsewhere").mkdir(exist_ok=True)
        front("")(folder.parent / "elsewhere")
        (folder / "SKILL.md").symlink_to(target)

    return build


def both(*builds: Build) -> Build:
    def build(folder: Path) -> None:
        for each in builds:
            each(folder)

    return build


def fifo(name: str) -> Build:
    return lambda folder: os.mkfifo(folder / name)


def link(name: str, target: str) -> Build:
    return lambda folder: (folder / name).symlink_to(target)


def below(name: str, build: Build) -> Build:
    """The same in a folder below, with the folder's permissions from `build`."""

    def make(folder: Path) -> None:
        (folder / name).mkdir()
        build(folder / name)

    return make


def closed(folder: Path) -> None:
    """Nobody may list the folder."""
    folder.chmod(0)


def secret(name: str) -> Build:
    """Nobody may read the file."""
    return lambda folder: (folder / name).chmod(0)


def skill_toml(more: str) -> Build:
    """A complete skill.toml; `more` begins on line 12."""
    text = (
        '[provides]\nknowledge = false\n[skill]\nid = "tool.plain"\nname = "Plain"\n'
        'version = "1.0.0"\ndescription = "Says."\nauthors = ["a"]\nlicense = "MIT"\n'
        f'api_version = "1.0"\nmin_caro_version = "1.0.0"\n{more}'
    )
    return files(skill_toml=text)


BOMB = "x-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"x-{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
BOMB_FINDINGS = (
    "key-extension 4:1, key-extension 5:1, alias-used 5:10 (9), key-extension 6:1, "
    "alias-used 6:10 (9), key-extension 7:1, alias-expansion 7:10, alias-used 7:14 (8)"
) + "".join(f", key-extension {line}:1, alias-used {line}:10 (9)" for line in range(8, 13))
WEB_APP = '{"name": "Shop", "short_name": "Shop", "icons": [], "start_url": "/", "display": "x"}\n'
EXTENSION = '{"manifest_version": 3, "name": "Tabs", "version": "1.0", "permissions": ["tabs"]}\n'
BACKTRACKS = "^(a+)+$"
LONG_WORD = "a" * 60 + "!"

BAD_INPUTS: tuple[Bad, ...] = (
    # Bytes
    Bad(
        "not UTF-8",
        files(SKILL_md=b"---\nname: plain\ndescription: caf\xe9 Use it.\n---\n"),
        "file-not-utf8 3:17",
    ),
    Bad(
        "UTF-16",
        files(SKILL_md="---\nname: plain\n---\n".encode("utf-16")),
        "frontmatter-missing 1:1, file-not-utf8 1:1",
    ),
    Bad(
        "a byte order mark",
        files(SKILL_md="\ufeff---\nname: plain\ndescription: Says. Use it.\n---\n"),
        "byte-order-mark 1:1",
        0,
    ),
    Bad(
        "CRLF line ends",
        files(SKILL_md=b"---\r\nname: plain\r\ndescription: Use when: it\r\n---\r\nSay.\r\n"),
        "description-unquoted 3:22",
    ),
    Bad(
        "mixed line ends",
        files(SKILL_md=b"---\r\nname: plain\ndescription: Says. Use it.\r---\n"),
        "line-ends-mixed 1:1",
        0,
    ),
    Bad("an empty SKILL.md", files(SKILL_md=""), "frontmatter-missing 1:1"),
    Bad("NUL in the frontmatter", described("a\0b"), "control-character 3:15"),
    Bad(
        "NUL in JSON",
        block(json.dumps(operation()).replace("Say it.", "Say\0it.")),
        "control-character 6:160",
    ),
    Bad("NUL in TOML", skill_toml('keywords = ["a\0b"]\n'), "control-character 12:15"),
    Bad("a file of NULs", files(SKILL_md=b"\0" * 4096), "frontmatter-missing 1:1"),
    Bad("a bell and a backspace", described('"a\a\b"'), "control-character 3:16"),
    # Frontmatter
    Bad("no frontmatter", files(SKILL_md="# Plain\n"), "frontmatter-missing 1:1"),
    Bad(
        "an unclosed frontmatter",
        files(SKILL_md="---\nname: plain\n"),
        "frontmatter-unclosed 1:1, key-missing 1:1",
    ),
    Bad("--- inside a value", described("Says --- so. Use it."), "", 0),
    Bad(
        "--- on a line of a block value",
        described("|\n  Says.\n  ---\n  Use it."),
        "",
        0,
    ),
    Bad(
        "--- that cuts a quoted value",
        described('"Says.\n---\nUse it."'),
        "syntax-yaml 3:14",
    ),
    Bad(
        "no mapping",
        files(SKILL_md="---\n- name\n---\n"),
        "value-type 2:1",
    ),
    # Blocks
    Bad(
        "two blocks",
        front("", ("```skill-manifest\n" + json.dumps(operation()) + "\n```\n") * 2),
        "manifest-block-second 8:1",
    ),
    Bad(
        "a block inside a longer fence",
        front("", "````markdown\n```skill-manifest\n{}\n```\n````\n"),
        "",
        0,
    ),
    Bad("a block that never ends", front("", "```skill-manifest\n{"), "syntax-json 6:1"),
    # Duplicate keys
    Bad("a key twice in YAML", front("license: MIT\nlicense: ISC\n"), "key-duplicate 5:1"),
    Bad(
        "a key twice in JSON",
        block(json.dumps(operation())[:-1] + ',\n"id": "plain"}'),
        "key-duplicate 7:1",
    ),
    Bad(
        "a key twice in TOML",
        skill_toml('license = "ISC"\n'),
        "key-duplicate 12:1",
    ),
    Bad(
        "a table twice in TOML",
        skill_toml("[features]\n[features]\n"),
        "key-duplicate 13:2",
    ),
    # Depth
    Bad(
        "30,000 nested brackets in YAML",
        front(f"x-a: {'[' * DEEP}{']' * DEEP}\n"),
        "nesting-too-deep 4:6",
    ),
    Bad("30,000 open brackets in YAML", front(f"x-a: {'[' * DEEP}\n"), "nesting-too-deep 4:6"),
    Bad(
        "30,000 open braces in YAML",
        front(f"x-a: {'{' * DEEP}\n"),
        "key-extension 4:1, value-unquoted 4:6",
    ),
    Bad("30,000 dashes in YAML", front(f"x-a:\n  {'- ' * DEEP}\n"), "nesting-too-deep 5:3"),
    Bad(
        "30,000 nested brackets in JSON",
        block("[" * DEEP + "]" * DEEP),
        "body-long 5:1, value-type 6:1, nesting-too-deep 6:101",
    ),
    Bad(
        "30,000 open braces in JSON",
        block('{"a":' * DEEP),
        "file-large 1:1, body-long 5:1, key-unknown 6:2, nesting-too-deep 6:501",
    ),
    Bad(
        "30,000 nested brackets in TOML",
        skill_toml(f"keywords = {'[' * DEEP}{']' * DEEP}\n"),
        "value-type 12:13, nesting-too-deep 12:112",
    ),
    Bad(
        "a key of 30,000 parts in TOML",
        skill_toml(f"keywords{'.a' * DEEP} = 1\n"),
        "nesting-too-deep 12:1",
    ),
    Bad("30,000 quotation marks in Markdown", front("", "> " * DEEP + "\n"), "body-long 5:1", 0),
    # Aliases
    Bad("an alias bomb", front(BOMB), BOMB_FINDINGS),
    Bad("a recursive alias", front("x-a: &a [*a]\n"), "key-extension 4:1, alias-recursive 4:10"),
    Bad("an alias of nothing", front("x-a: *nobody\n"), "key-extension 4:1, value-unquoted 4:6"),
    # Size
    Bad("a SKILL.md of 3 MB", front("", "word " * (3 * MIB // 5)), "file-too-large 1:1"),
    Bad(
        "a skill.toml of 3 MB",
        skill_toml("# " + "x" * 3 * MIB),
        "file-too-large 1:1",
    ),
    Bad(
        "a manifest.json of 3 MB",
        provenact(provenance={"x": "x" * 3 * MIB}),
        "file-too-large 1:1",
    ),
    Bad(
        "a file of 10 MB beside it",
        both(
            front("", "See notes.txt.\n"),
            lambda folder: (folder / "notes.txt").write_bytes(b" " * 10 * MIB),
        ),
        "",
        0,
    ),
    # Text that steers
    Bad(
        "a name that is markup",
        files(SKILL_md='---\nname: "[/]"\ndescription: Says. Use it.\n---\n'),
        "name-format 2:7",
    ),
    Bad(
        "a folder that is markup",
        below(MARKUP, files(SKILL_md=f'---\nname: "{MARKUP}"\ndescription: "[/]"\n---\n')),
        "name-format 2:7",
    ),
    Bad(
        "OSC 52 in a description",
        described(f"Says {OSC} it."),
        "control-character 3:19 (2)",
    ),
    Bad(
        "OSC 52 by escapes in a name",
        files(SKILL_md='---\nname: "\\e]52;c;eA==\\a"\ndescription: Says. Use it.\n---\n'),
        "name-format 2:7",
    ),
    Bad(
        "OSC 52 by escapes in a key",
        front('"\\e]52;c;eA==\\a": 1\n'),
        "key-unknown 4:1",
        0,
    ),
    Bad("OSC 52 in one-character codes", described(f"Says {C1} it."), "control-character 3:19 (2)"),
    Bad(
        "OSC 52 in a folder's name",
        below(OSC, files(SKILL_md="---\nname: plain\ndescription: Says. Use it.\n---\n")),
        "name-folder 2:7",
    ),
    Bad(
        "OSC 52 in JSON",
        block(json.dumps(operation(version=OSC))),
        "version-not-semver 6:53",
    ),
    Bad(
        "OSC 52 raw in JSON",
        block(json.dumps(operation(id="@")).replace("@", OSC)),
        "id-folder 6:33, name-disagrees 6:33, control-character 6:34",
    ),
    Bad(
        "OSC 52 in TOML",
        skill_toml('keywords = ["\\u001b]52;c;eA==\\u0007"]\n'),
        "",
        0,
    ),
    Bad(
        "OSC 52 raw in TOML",
        skill_toml(f'keywords = ["{OSC}"]\n'),
        "control-character 12:14 (2)",
    ),
    Bad(
        "OSC 52 in a link",
        front("", f"[read]({OSC})\n"),
        "character-hidden 5:8",
        0,
    ),
    Bad(
        "directions that hide text",
        described("Says \u202emoc.live\u202c. Use it."),
        "character-hidden 3:19 (2)",
        0,
    ),
    # The folder
    Bad("an empty folder", lambda _: None, "", 0),
    Bad("a web project's manifest.json", files(manifest_json=WEB_APP), "", 0),
    Bad("a browser extension's manifest.json", files(manifest_json=EXTENSION), "", 0),
    Bad(
        "a web project's manifest.json in a skill",
        both(front("", "See manifest.json.\n"), files(manifest_json=WEB_APP)),
        "",
        0,
    ),
    Bad(
        "SKILL.md links out of the skill", linked("../elsewhere/SKILL.md"), "path-link-outside 1:1"
    ),
    Bad("SKILL.md links to itself", linked("SKILL.md"), "path-link-outside 1:1"),
    Bad("SKILL.md links to nothing", linked("nothing"), "path-link-outside 1:1"),
    Bad(
        "a folder that links to itself",
        both(front("", "See [it](again/SKILL.md).\n"), link("again", ".")),
        "",
        0,
    ),
    Bad(
        "a manifest names a link out of the skill",
        both(
            block(json.dumps(operation()).replace('["true"]', '["bash", "passwd"]')),
            link("passwd", "/etc/passwd"),
        ),
        "symlink-outside 1:1, path-link-outside 6:261",
    ),
    Bad(
        "a folder that nobody may list",
        both(front("", "See inner/notes.md.\n"), below("inner", closed)),
        "folder-unreadable 1:1",
    ),
    Bad(
        "a skill that nobody may list",
        below("inner", both(front(""), closed)),
        "folder-unreadable 1:1",
    ),
    Bad(
        "a SKILL.md that nobody may read",
        both(front(""), secret("SKILL.md")),
        "file-unreadable 1:1",
    ),
    Bad("a FIFO named SKILL.md", fifo("SKILL.md"), "file-unreadable 1:1"),
    Bad("a FIFO named skill.toml", both(front(""), fifo("skill.toml")), "file-unreadable 1:1"),
    Bad(
        "a FIFO named manifest.json",
        both(front("", "See manifest.json.\n"), fifo("manifest.json")),
        "file-unreadable 1:1",
    ),
    Bad(
        "a FIFO that a manifest names",
        both(
            block(json.dumps(operation()).replace('["true"]', '["bash", "run.sh"]')),
            fifo("run.sh"),
        ),
        "path-missing 6:261",
    ),
    Bad("a folder named SKILL.md", below("SKILL.md", lambda _: None), "file-unreadable 1:1"),
    # Schemas
    Bad(
        "a pattern that backtracks for ever",
        schema_of_input(f'{{type: string, pattern: "{BACKTRACKS}", default: "{LONG_WORD}"}}'),
        "default-on-required 10:53, schema-default-invalid 10:53",
    ),
    Bad(
        "a pattern of a million repetitions",
        schema_of_input('{type: string, pattern: "(a{1,1000}){1,1000}", default: "b"}'),
        "default-on-required 10:65",
        0,
    ),
    Bad(
        "a $ref to http",
        schema_of_input('{$ref: "http://127.0.0.1:9/s.json"}'),
        "schema-ref-remote 10:16",
    ),
    Bad(
        "a $ref to a file",
        schema_of_input('{$ref: "file:///etc/passwd"}'),
        "schema-ref-remote 10:16",
    ),
    Bad(
        "a $ref to http in provenact",
        provenact(inputs_schema={"$ref": "http://127.0.0.1:9/s.json"}),
        "manifest-experimental 1:20, schema-ref-remote 1:263",
    ),
    # Settings
    Bad(
        "settings that are broken",
        both(front(""), files(skillstudio_toml=f"[rules\n{OSC} = 1\n")),
        "syntax-toml 1:1, syntax-toml 2:1",
    ),
    Bad("settings that are a FIFO", both(front(""), fifo("skillstudio.toml")), "", 0),
)


def titles() -> list[str]:
    return [bad.title for bad in BAD_INPUTS]


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Every regular file and what is in it, and what every link says."""
    found = {}
    for above, folders, names in os.walk(folder):
        for name in [*names, *folders]:
            path = os.path.join(above, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                # Nobody but root reads a file that nobody may read.
                can_read = os.access(path, os.R_OK)
                found[path] = Path(path).read_bytes() if can_read else b""
            elif stat.S_ISLNK(mode):
                found[path] = os.readlink(path).encode()
            else:
                found[path] = b""
    return found


def steering(text: str) -> set[str]:
    """The characters in an output that a terminal would obey."""
    kept = {"\n", "\t"}
    return {c for c in text if (ord(c) < 32 or 0x7F <= ord(c) < 0xA0) and c not in kept}


@pytest.fixture
def permissions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody may read what has no permission to be read, not even root."""
    scandir, opened, opened_text = os.scandir, os.open, builtins.open

    def refuse(path: Any) -> None:
        if isinstance(path, str) and os.path.exists(path) and not os.stat(path).st_mode & 0o400:
            raise PermissionError(13, "Permission denied", path)

    def scan(path: Any = ".") -> Any:
        refuse(path)
        return scandir(path)

    def open_(path: Any, *arguments: Any, **options: Any) -> int:
        refuse(path)
        return opened(path, *arguments, **options)

    def open_text(path: Any, *arguments: Any, **options: Any) -> Any:
        refuse(path)
        return opened_text(path, *arguments, **options)

    monkeypatch.setattr(builtins, "open", open_text)
    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(os, "open", open_)
    yield
    monkeypatch.undo()
