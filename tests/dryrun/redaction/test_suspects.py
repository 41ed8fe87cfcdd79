"""Credentials that nobody marked are seen, and told without being repeated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.dryrun.plan import IsolationChoice, Plan, Roots, Step
from skillstudio.dryrun.redaction.suspects import (
    MOST,
    flag,
    mask_suspects,
    mask_suspects_in,
    suspects,
)
from skillstudio.dryrun.report import JudgedEffect, RunReport, not_started
from skillstudio.interface.wording import SENSITIVE

TOKEN = "ghp_" + "Zk3" * 12
DIGEST = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
LISTED = f"a.py,sha256={DIGEST},0\nb.py,sha256={DIGEST},0\n"
RANDOM = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v"

TEXTS: list[tuple[str, list[int], str]] = [
    ("nothing to see\nhere", [], "nothing to see\nhere"),
    (f"{TOKEN} {RANDOM}", [1, 1], f"{SENSITIVE} {SENSITIVE}"),
    (f"token: {TOKEN}\n", [1], f"token: {SENSITIVE}\n"),
    (f'one\n{{"key": "{RANDOM}"}}', [2], f'one\n{{"key": "{SENSITIVE}"}}'),
    ("sha256 " + "0123456789abcdef" * 4, [], "sha256 " + "0123456789abcdef" * 4),
    (LISTED, [], LISTED),
    (f"a.py,sha256={DIGEST},0\n{RANDOM}\n", [2], f"a.py,sha256={DIGEST},0\n{SENSITIVE}\n"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest",
        [1],
        f"{SENSITIVE}\nrest",
    ),
]


@pytest.mark.parametrize(("text", "lines", "masked"), TEXTS)
def test_a_credential_is_told_by_its_place(text: str, lines: list[int], masked: str) -> None:
    assert suspects(text) == lines
    assert mask_suspects(text) == masked


def test_a_dump_of_keys_is_told_by_its_first_ones() -> None:
    assert len(suspects("\n".join([TOKEN] * 100))) == MOST


def a_report(**plan: object) -> RunReport:
    made = Plan(
        "s",
        "",
        "d",
        {},
        "/",
        (),
        {},
        (),
        (),
        (),
        IsolationChoice("copy", (), {}),
        (),
        (),
        Roots("/", "/"),
    )
    return not_started(made._replace(**plan), "")


def test_every_place_is_looked_at_and_none_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text(f"one\ntoken: {TOKEN}\n")
    (tmp_path / "stderr").write_text(f"{RANDOM}\n" * 3)
    (tmp_path / "file").write_text(f"a\nb\n{TOKEN}")
    (tmp_path / "binary").write_bytes(b"\0" + TOKEN.encode())
    report = a_report(
        inputs={"plain": "tea", "deep": [{"key": TOKEN}]},
        steps=(Step(("sh", "-c", TOKEN)), Step(("sh", TOKEN), "two")),
    )._replace(effects=(JudgedEffect("net.fetch", True, "blocked", (f"sent {TOKEN}",)),))
    files = [("file", "file"), ("binary", "binary"), (f"x-{TOKEN}", "none"), ("gone", "gone")]
    found = flag(report, str(tmp_path), [(told, str(tmp_path / at)) for told, at in files])
    assert found == (
        "the input deep",
        "argument 2",
        "argument 1 of the step two",
        "standard output, line 2",
        "standard error, line 1",
        "standard error, line 2",
        "standard error, line 3",
        "file, line 3",
        f"the name of a file, {SENSITIVE}",
        "the evidence of the effect net.fetch",
    )


def test_a_file_that_is_a_pipe_or_a_link_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_text(TOKEN)
    (tmp_path / "link").symlink_to("real")
    files = [(name, str(tmp_path / name)) for name in ("pipe", "link")]
    assert flag(a_report(), str(tmp_path), files) == ()


def test_a_value_is_masked_wherever_it_holds_one() -> None:
    value = {TOKEN: [TOKEN, 1, None, {"a": f"x {TOKEN}"}], "plain": "tea"}
    assert mask_suspects_in(value) == {
        SENSITIVE: [SENSITIVE, 1, None, {"a": f"x {SENSITIVE}"}],
        "plain": "tea",
    }
