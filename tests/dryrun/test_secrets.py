"""No sensitive value is in any byte that is shown or kept, however a program prints it."""

from __future__ import annotations

import base64
import json
import os
import shlex
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import PROCESSES, block_skill, front_skill, offered

from skillstudio.dryrun.traces.store import copies_folder, default_folder
from skillstudio.interface.wording import SENSITIVE

TOKEN = 'tok\'en/Käse+9 "q"'
KEY = "-----BEGIN KEY-----\nbm90IGEga2V5IGF0\nYWxsIGJ1dCBsaW5l\n-----END KEY-----\n"
PIN = 48151623
LONG = "L0ng" + "".join(chr(97 + number % 26) for number in range(700))

PRINTS = """\
import base64, json, os, subprocess, sys, time
from urllib.parse import quote, quote_plus
token, key, pin, long, how = sys.argv[1:6]

def say(*parts):
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        for at in range(0, len(data), 3):  # A write for every three bytes.
            os.write(1, data[at:at + 3])
        os.write(1, b"\\n")

say(token, quote(token), quote_plus(token), json.dumps(token), json.dumps([{"t": token}]))
say(json.dumps(json.dumps(token)), token.encode().hex(), repr(token))
for before in ("", "u", "us"):
    say(base64.b64encode((before + token).encode()))
    say(base64.urlsafe_b64encode((before + key).encode()))
say(key, *key.splitlines(), *reversed(key.splitlines()), key.replace("\\n", "\\r\\n"), long, pin)
os.write(2, b"x" * 70000 + token.encode() + key.encode() + b"\\n")
os.makedirs("out", exist_ok=True)
for number, name in enumerate((token.replace("/", "_"), key.splitlines()[1], pin)):
    with open("out/" + name, "w") as file:
        file.write(token + key + pin + long)
with open("plain.txt", "w") as file:
    file.write(base64.b64encode(token.encode()).decode())
subprocess.run(["true", token, key, pin, "a" * 100 + long, "x" + long])
subprocess.run(["sh", "-c", "true # " + token])
try:
    open("/nowhere/" + token + "/" + pin)
    os.mkdir("/nowhere-" + pin)
except OSError:
    pass
if how != "end":
    time.sleep(60)
print(json.dumps({"status": "ok", "pin": int(pin), "token": token, "nested": [{token: int(pin)}]}))
sys.exit(token)
"""


def forms() -> list[bytes]:
    """What must be nowhere, by our own reckoning and not by the program's."""
    found: list[bytes] = [
        str(PIN).encode(),
        LONG.encode(),
        LONG[:150].encode(),
        LONG[50:300].encode(),
    ]
    for text in (TOKEN, *KEY.splitlines()):
        raw = text.encode()
        found += [raw, quote(text).encode(), quote_plus(text).encode(), raw.hex().encode()]
        found += [
            json.dumps(text)[1:-1].encode(),
            json.dumps(text, ensure_ascii=False)[1:-1].encode(),
        ]
        found.append(shlex.quote(text)[1:-1].encode())
        for before in range(3):
            whole = base64.b64encode(bytes(before) + raw)
            found.append(whole[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6])
    return found


@contextmanager
def the_secrets(folder: Path) -> Iterator[list[str]]:
    words: list[str] = []
    values = {"token": TOKEN, "key": KEY, "pin": str(PIN), "long": LONG}
    folder.mkdir()
    for name, value in values.items():
        (folder / name).write_text(value + ("\n" if name != "key" else ""))
        words += ["--secret", f"{name}=@{folder / name}"]
    yield words


def tool_at(folder: Path) -> Path:
    text = {"type": "string", "required": True}
    return block_skill(
        folder,
        PRINTS,
        interpreter=sys.executable,
        inputs={"token": text, "key": text, "pin": {"type": "integer", "required": True},
                "long": text, "how": text},
        fields={"status": "ok | error", "pin": "integer", "token": "string", "nested": "array"},
    )  # fmt: skip


def everything(*folders: Path) -> Iterator[tuple[str, bytes]]:
    """Every name and every byte below some folders."""
    for folder in folders:
        for where, names, files in os.walk(folder):
            for name in (*names, *files):
                yield f"{where}/{name}", os.fsencode(name)
            for name in files:
                yield f"{where}/{name}", Path(where, name).read_bytes()


def assert_clean(where: str, data: bytes) -> None:
    found = [form for form in forms() if form in data]
    assert not found, f"{where} holds {found[0]!r}"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow_cases("standard-copy")
@pytest.mark.parametrize("isolation", PROCESSES)
@pytest.mark.parametrize("mode", ["standard", "aggressive"])
def test_nothing_sensitive_is_shown_or_kept(
    run: Run, tmp_path: Path, work: Path, isolation: str, mode: str
) -> None:
    offered(isolation)
    tool = tool_at(tmp_path / "tool")
    with the_secrets(tmp_path / "secrets") as secrets:
        words = (
            "run",
            tool,
            "go",
            *secrets,
            "-i",
            "how=end",
            "--isolation",
            isolation,
            "--trace",
            mode,
        )
        ran = run(*words, "--format", "json")
        shown = run(*words)
        listed = [run("trace", *each) for each in (
            ("list",), ("show", "last"), ("show", "last", "--format", "json"),
            ("export", "last", "--share", "--reviewed"),
        )]  # fmt: skip
    report = ran.json
    assert report["exit_code"] == 1, report
    for number, each in enumerate((ran, shown, *listed)):
        assert_clean(f"output {number}", (each.out + each.err).encode())
    kept = [Path(default_folder()).parent, Path(copies_folder())]
    for where, data in everything(*kept):
        assert_clean(where, data)
    assert not list(Path(copies_folder()).iterdir())
    streams = list(Path(default_folder()).rglob("stdout"))
    assert len(streams) == (2 if mode == "standard" else 0)
    if mode == "standard":
        assert streams[0].read_text().count(SENSITIVE) > 20
    assert {each["path"] for each in report["changes"]["added"]} >= {"plain.txt"}
    assert SENSITIVE in json.dumps(report["changes"], ensure_ascii=False)


def test_a_number_that_is_sensitive_leaves_the_contract_whole(
    run: Run, tmp_path: Path, work: Path
) -> None:
    """A mask in its place would be no JSON: the promise is held against what was printed."""
    offered("copy")
    script = 'printf \'{"status": "ok", "pin": %s, "sum": [%s, 7]}\\n\' "$1" "$1"\n'
    tool = block_skill(
        tmp_path / "tool", script,
        inputs={"pin": {"type": "integer", "required": True}},
        fields={"status": "ok | error", "pin": "integer", "sum": "array"},
    )  # fmt: skip
    (tmp_path / "pin").write_text(str(PIN))
    ran = run("run", tool, "go", "--secret", f"pin=@{tmp_path / 'pin'}", "--isolation", "copy",
              "--format", "json")  # fmt: skip
    contract = ran.json["contract"]
    assert contract == {
        "ok": True,
        "problems": [],
        "value": {"status": "ok", "pin": SENSITIVE, "sum": [SENSITIVE, 7]},
    }
    assert ran.status == 0
    assert_clean("the report", ran.out.encode())


def test_what_breaks_the_contract_is_told_without_the_value(
    run: Run, tmp_path: Path, work: Path
) -> None:
    offered("copy")
    script = 'printf \'{"status": "ok", "%s": 1, "n": %s}\\n\' "$1" "$2"\n'
    tool = block_skill(
        tmp_path / "tool", script,
        inputs={"word": {"type": "string"}, "pin": {"type": "integer"}},
        fields={"status": "ok | error", "n": "string"},
    )  # fmt: skip
    for name, value in (("word", "swordfish-7"), ("pin", str(PIN))):
        (tmp_path / name).write_text(value)
    ran = run("run", tool, "go", "--secret", f"pin=@{tmp_path / 'pin'}", "--secret",
              f"word=@{tmp_path / 'word'}", "--isolation", "copy", "--format", "json")  # fmt: skip
    problems = ran.json["contract"]["problems"]
    assert len(problems) == 2
    assert SENSITIVE in " ".join(problems)
    assert "swordfish" not in ran.out
    assert_clean("the report", ran.out.encode())


def private(folder: Path) -> list[str]:
    """Which files of a run others than its owner could open, the folders above them seen too."""
    open_ = []
    for where, names, files in os.walk(folder):
        names[:] = [n for n in names if stat.S_IMODE(os.lstat(f"{where}/{n}").st_mode) & 0o077]
        open_ += [f"{where}/{n}" for n in files
                  if stat.S_IMODE(os.lstat(f"{where}/{n}").st_mode) & 0o077]  # fmt: skip
    return open_


@pytest.mark.parametrize("isolation", PROCESSES)
@pytest.mark.parametrize("how", ["timeout", "cancel"])
def test_a_run_that_is_ended_leaves_nothing(
    tmp_path: Path, work: Path, run: Run, isolation: str, how: str
) -> None:
    offered(isolation)
    tool = tool_at(tmp_path / "tool")
    seen: dict[str, Any] = {"open": [], "folders": 0}

    def watch(then: Callable[[], None]) -> None:
        """Look at what lies there while the program sleeps."""
        there = Path(copies_folder())
        wait = threading.Event()
        for _ in range(400):
            if list(there.rglob("plain.txt")):
                break
            wait.wait(0.05)
        else:
            return
        wait.wait(0.2)
        seen["folders"] = len(list(there.iterdir()))
        seen["open"] = [each for folder in there.iterdir() for each in private(folder)
                        if stat.S_IMODE(folder.stat().st_mode) & 0o077]  # fmt: skip
        then()

    end = (lambda: os.kill(os.getpid(), signal.SIGINT)) if how == "cancel" else (lambda: None)
    watcher = threading.Thread(target=watch, args=(end,))
    watcher.start()
    with the_secrets(tmp_path / "secrets") as secrets:
        ran = run("run", tool, "go", *secrets, "-i", "how=wait", "--isolation", isolation,
                  "--format",
                  "json", *(("--timeout", "3") if how == "timeout" else ()))  # fmt: skip
    watcher.join()
    assert ran.status == (124 if how == "timeout" else 130)
    assert ran.json["timed_out"] == (how == "timeout")
    assert (seen["folders"], seen["open"]) == (1, [])
    assert_clean("the report", ran.out.encode())
    assert not list(Path(copies_folder()).iterdir())
    for where, data in everything(Path(default_folder()).parent):
        assert_clean(where, data)


def test_a_credential_that_nobody_marked_is_flagged_and_not_kept(
    run: Run, tmp_path: Path, work: Path
) -> None:
    offered("copy")
    found = "ghp_" + "Zk3" * 12
    tool = block_skill(
        tmp_path / "tool",
        f'echo "token: {found}"\necho {found} >&2\necho "{found}" > kept.txt\ntrue "$1"\n',
        inputs={"word": {"type": "string", "required": True}},
    )
    ran = run(
        "run", tool, "go", "-i", f"word=Bearer {found}", "--isolation", "copy", "--format", "json"
    )
    places = ran.json["suspects"]
    assert places[:5] == [
        "the input word",
        "argument 2",
        "standard output, line 1",
        "standard error, line 1",
        "kept.txt, line 1",
    ]
    shown = run("run", tool, "go", "-i", f"word=Bearer {found}", "--isolation", "copy").out
    assert "Possible credentials\n  the input word\n  argument 2\n" in shown
    for where, data in everything(Path(default_folder()).parent):
        assert found.encode() not in data, where
    refused = run("trace", "replay", "last")
    assert refused.status == 2
    assert "word is not in the trace" in refused.err


def test_what_is_nested_in_a_secret_is_masked_part_by_part(
    run: Run, tmp_path: Path, work: Path
) -> None:
    """Of a secret that is an object every text and number is one, however it is laid out."""
    offered("copy")
    head = (
        "inputs:\n  required:\n    - name: login\n      sensitive: true\n"
        "      schema: {type: object}\n"
        "env:\n  required:\n    - {name: TOKEN, description: x, sensitive: true}\n"
    )
    script = (
        '#!/bin/sh\nprintf "%s\\n" "$SKILL_INPUT_LOGIN" "$TOKEN" >&2\ncat "$SKILL_INPUTS"\n'
        'tr , "\\n" < "$SKILL_INPUTS"\ncp "$SKILL_INPUTS" copy.json\ntrue "$TOKEN"\n'
    )
    tool = front_skill(tmp_path / "tool", head, script)
    login = {"user": "somebody-here", "codes": [73551284, 90210.75], "d": {"k": ["pass phrase"]}}
    (tmp_path / "login").write_text(json.dumps(login, indent=2))
    (tmp_path / "token").write_text("t0ken-of-mine\n")
    words = (
        "run",
        tool,
        "scripts/go.sh",
        "--isolation",
        "copy",
        "--secret",
        f"login=@{tmp_path / 'login'}",
        "--secret",
        f"TOKEN=@{tmp_path / 'token'}",
    )
    ran = run(*words)
    told = run(*words, "--format", "json")
    assert told.json["inputs"] == {"login": SENSITIVE}
    shown = [("text", (ran.out + ran.err).encode()), ("JSON", told.out.encode())]
    for where, data in [*shown, *everything(Path(default_folder()).parent)]:
        for part in (b"somebody-here", b"73551284", b"90210.75", b"pass phrase", b"t0ken-of-mine"):
            assert part not in data, where
