"""The end of `check` and `fix`: what can be fixed, and by which command."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

COLON = "---\nname: {name}\ndescription: Use when: asked\n---\nSay.\n"
NAME = "---\nname: Tea\ndescription: Says. Use it.\n---\nSay.\n"
LINK = CLEAN + "See [more](more.md).\n"


@pytest.fixture
def work(
    skill: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    monkeypatch.chdir(tmp_path)
    return skill


def write(skill: Callable[..., Path], texts: str) -> None:
    """Write a skill for each word: colon, name, link, clean."""
    known = {"colon": COLON, "name": NAME, "link": LINK, "clean": CLEAN}
    for word in texts.split():
        skill(f"my skills/{word}", known[word].format(name=word))


@pytest.mark.parametrize(
    ("texts", "words", "ends"),
    [
        ("clean", "check", []),
        ("link", "check", []),
        ("colon", "check", ["1 can be fixed with: skillstudio fix 'my skills'"]),
        (
            "colon name link",
            "check",
            [
                "1 can be fixed with: skillstudio fix 'my skills'",
                "1 more with --unsafe-fixes",
            ],
        ),
        ("name", "check", ["1 can be fixed with: skillstudio fix --unsafe-fixes 'my skills'"]),
        (
            "colon",
            "check --target codex --ignore name-format,body-long --strict",
            [
                "1 can be fixed with: skillstudio fix --strict --target codex --ignore name-format "
                "--ignore body-long 'my skills'"
            ],
        ),
        ("colon", "check . ", ["1 can be fixed with: skillstudio fix . 'my skills'"]),
        ("colon", "check -q", []),
        ("colon", "fix", []),
        ("colon name", "fix", ["1 fix is unsafe: skillstudio fix --unsafe-fixes 'my skills'"]),
        (
            "name",
            "fix",
            ["nothing fixed; 1 fix is unsafe: skillstudio fix --unsafe-fixes 'my skills'"],
        ),
        ("link", "fix", ["nothing can be fixed automatically"]),
        ("link", "check --fix", ["nothing can be fixed automatically"]),
        ("link", "fix -q", []),
        ("clean", "fix", []),
        ("colon", "fix --diff", ["to apply this diff: skillstudio fix 'my skills'"]),
    ],
)
def test_the_last_lines(
    run: Run, work: Callable[..., Path], texts: str, words: str, ends: list[str]
) -> None:
    write(work, texts)
    lines = run(*words.split(), "my skills").out.splitlines()
    summary = next((at for at, line in enumerate(lines) if " checked, " in line), len(lines))
    assert lines[summary + 1 :] == ends


@pytest.mark.parametrize(
    ("text", "words"),
    [("colon", "fix"), ("colon", "fix --unsafe-fixes"), ("name", "fix --unsafe-fixes")],
)
def test_fixes_of_a_protected_file_are_named_as_such(
    run: Run, work: Callable[..., Path], text: str, words: str
) -> None:
    write(work, text)
    Path(f"my skills/{text}/SKILL.md").chmod(0o444)
    ran = run(*words.split(), "my skills")
    assert ran.out.splitlines()[-1] == "1 fix could not be written, for the reasons above"
    assert ran.err == f"skillstudio: my skills/{text}/SKILL.md: read-only\n"
    assert ran.status == 1


def test_a_protected_file_and_an_unsafe_fix_are_two_lines(
    run: Run, work: Callable[..., Path]
) -> None:
    write(work, "colon name")
    Path("my skills/colon/SKILL.md").chmod(0o444)
    assert run("fix", "my skills").out.splitlines()[-2:] == [
        "1 fix could not be written, for the reasons above",
        "1 fix is unsafe: skillstudio fix --unsafe-fixes 'my skills'",
    ]


def test_a_folder_that_looks_like_an_option_is_named_as_a_path(
    run: Run, work: Callable[..., Path]
) -> None:
    work("-x", COLON.format(name="x"))
    *_, last = run("check", "--ignore", "name-format", "--", "-x").out.splitlines()
    assert last == "1 can be fixed with: skillstudio fix --ignore name-format -- -x"
    run(*shlex.split(last.partition("with: skillstudio ")[2]))
    assert '"Use when: asked"' in Path("-x/SKILL.md").read_text()


def test_a_conflict_of_a_merge_is_no_matter_for_fixes(run: Run, work: Callable[..., Path]) -> None:
    text = NAME.replace(
        "name: Tea\n", "name: Tea\n<<<<<<< HEAD\nlicense: MIT\n=======\n>>>>>>> other\n"
    )
    path = work("tea", text) / "SKILL.md"
    ran = run("fix", "--unsafe-fixes", "tea")
    assert "conflict-unresolved" in ran.out
    assert ran.out.endswith("nothing can be fixed automatically\n")
    assert path.read_text() == text


def test_a_file_that_is_not_utf8_has_no_fixes(run: Run, work: Callable[..., Path]) -> None:
    path = work("my skills/colon", COLON.format(name="colon")) / "SKILL.md"
    path.write_bytes(path.read_bytes().replace(b"Say.", b"S\xe4y."))
    assert run("check", "my skills").out.splitlines()[-1] == "1 skill checked, 2 errors"
    assert run("fix", "my skills").out.splitlines()[-1] == "nothing can be fixed automatically"


def test_the_command_fixes_what_it_says(run: Run, work: Callable[..., Path]) -> None:
    write(work, "colon clean")
    *_, last = run("check", "my skills").out.splitlines()
    command = shlex.split(last.partition("with: skillstudio ")[2])
    assert run(*command).status == 0
    assert run("check", "my skills").out == "2 skills checked, no problems\n"
    assert 'description: "Use when: asked"' in Path("my skills/colon/SKILL.md").read_text()
