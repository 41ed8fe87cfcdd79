"""`skillstudio run --save-sample`: a run becomes a sample that `skillstudio test` repeats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, front_skill, offered
from tests.repositories import IDENTITY, needs_git

from skillstudio.dryrun.capturing import possible_passwords
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.files.git import ask_git
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

COUNT = 'wc -w < "$1"\necho "in $PWD"\n[ -z "$2" ] || echo "$3" > "$2"\n'
PLAIN = "---\nname: words\ndescription: Counts words. Use when a text is measured.\n---\nCount.\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text and a skill without a manifest, whose script counts its words."""
    offered("copy")
    folder = tmp_path / "work"
    (folder / "words" / "scripts").mkdir(parents=True)
    (folder / "words" / "SKILL.md").write_text(PLAIN)
    (folder / "words" / "scripts" / "count.sh").write_text(f"#!/bin/sh\n{COUNT}")
    (folder / "text.txt").write_text("a quick fox\n")
    (folder / "unused.txt").write_text("secret plans\n")
    monkeypatch.chdir(folder)
    return folder


SCRIPT = ("run", "words", "scripts/count.sh", "--isolation", "copy")
SAVED = Path("words/samples/scripts/count.sh/fox.yaml")


def value(path: Path) -> dict[str, object]:
    text = path.read_text()
    found = read(Source(text, path.name), "yaml", Span(0, len(text))).value
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_a_run_becomes_a_sample_that_passes_elsewhere(run: Run, work: Path) -> None:
    ran = run(*SCRIPT, "--save-sample", "fox", "--", "text.txt", "out.md", "done")
    assert ran.status == 0, ran.err
    assert "fox.yaml with copies of text.txt as fixtures" in ran.err
    assert value(SAVED) == {
        "inputs": {},
        "arguments": ["text.txt", "out.md", "done"],
        "fixtures": {"text.txt": "a quick fox\n"},
        "expect": {
            # The folder is another one on each machine.
            "stdout": "3\nin [..]\n",
            "files": {"out.md": "done\n"},
            "modes": {},
            "effects": value(SAVED)["expect"]["effects"],  # type: ignore[index]
        },
    }
    (work / "text.txt").unlink()
    assert run("test", "words", "--isolation", "copy").out.endswith("1 passed\n")
    script = work / "words" / "scripts" / "count.sh"
    script.write_text(script.read_text().replace("wc -w", "wc -c"))
    assert run("test", "words", "--isolation", "copy").status == 1


@pytest.mark.parametrize(
    ("path", "text", "places"),
    [
        ("a.ini", "[db]\npassword = hunter2\n", ("a.ini:2",)),
        ("a.json", '{"apiKey": "tea", "n": 1}', ("a.json:1",)),
        ("a.yaml", "DB_PASSWD: x\nclient-secret: y", ("a.yaml:1", "a.yaml:2")),
        ("a.env", "token=$TOKEN\npassword: <yours>\nsecret={{secret}}\n", ()),
        ("a.md", "The password is secret; tokens: many words", ("a.md:1",)),
        ("a.md", "No passwords here.", ()),
        ("sub/.env", "A=1", ("sub/.env",)),
        ("home:.netrc", "machine", ()),
    ],
)
def test_what_may_be_a_password_in_a_fixture(path: str, text: str, places: tuple[str, ...]) -> None:
    assert possible_passwords(Sample("s", "go", fixtures={path: text})) == places


def test_what_may_be_a_password_elsewhere_in_a_sample() -> None:
    sample = Sample(
        "s", "go", {"password": "hunter2", "n": 5}, ("--token=tea",), {"API_KEY": "x", "A": "b"},
        {"stdout": "one\nsecret: two\n", "json": {"rows": [{"apiKey": "tea"}], "key": "K"}},
        stdin="password: three\n",
    )  # fmt: skip
    assert possible_passwords(sample) == (
        *("inputs/password", "arguments", "env/API_KEY", "stdin"),
        *("expect/stdout", "expect/json/rows/apiKey"),
    )


@pytest.mark.slow
def test_a_possible_password_is_saved_only_after_an_answer(
    run: Run, work: Path, at_terminal: Callable[[str], None]
) -> None:
    (work / "text.txt").write_text("user: ada\npassword: hunter2\n")
    refused = run(*SCRIPT, "--save-sample", "fox", "--", "text.txt")
    assert "it may contain a password: text.txt:2" in refused.err
    assert not SAVED.exists()
    at_terminal("y\n")
    assert run(*SCRIPT, "--save-sample", "fox", "--", "text.txt").status == 0
    assert SAVED.exists()


def test_a_name_that_is_taken_is_refused_before_anything_runs(run: Run, work: Path) -> None:
    assert run(*SCRIPT, "--save-sample", "fox", "--", "text.txt").status == 0
    before = SAVED.read_text()
    ran = run(*SCRIPT, "--save-sample", "fox", "--", "unused.txt")
    assert (ran.status, ran.out, SAVED.read_text()) == (2, "", before)
    assert "already exists; choose another name" in ran.err
    assert run(*SCRIPT, "--save-sample", "../fox", "--", "text.txt").status == 2


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "is_replaced"), [("y\n", True), ("n\n", False)])
def test_a_sample_is_replaced_only_when_asked(
    run: Run, work: Path, at_terminal: Callable[[str], None], answer: str, is_replaced: bool
) -> None:
    assert run(*SCRIPT, "--save-sample", "fox", "--", "text.txt").status == 0
    at_terminal(answer)
    ran = run(*SCRIPT, "--save-sample", "fox", "--", "unused.txt")
    assert "Replace the sample in words/samples/scripts/count.sh/fox.yaml? [y/N]" in ran.err
    assert "-  - text.txt" in ran.err or "-- text.txt" in ran.err
    assert ("unused.txt" in SAVED.read_text()) == is_replaced
    assert ran.status == (0 if is_replaced else 1)


def test_a_failed_run_is_expected_only_when_asked(
    run: Run, work: Path, at_terminal: Callable[[str], None]
) -> None:
    failing = ("--save-sample", "fox", "--", "missing.txt")
    (work / "words" / "scripts" / "count.sh").write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    ran = run(*SCRIPT, *failing)
    assert (ran.status, SAVED.exists()) == (1, False)
    assert "no sample was saved: the run failed" in ran.err
    at_terminal("y\n")
    ran = run(*SCRIPT, *failing)
    assert "This run failed. Expect that in" in ran.err
    assert value(SAVED)["expect"] == {
        "exit": 3,
        "stdout": "",
        "stderr": "no\n",
        "files": {},
        "effects": [],
    }
    assert run("test", "words", "--isolation", "copy").status == 0


REFUSED = {
    "what the manifest does not allow": (
        {"effects": []},
        "touch new\n",
        "effect fs.write is undeclared",
    ),
    "a file that is no text": (
        {"effects": ["fs.write"]},
        "printf x >> data.bin\n",
        "the run used data.bin, which is no text",
    ),
    "a file with a credential": (
        {"effects": ["fs.write"]},
        "echo more >> .env\n",
        "the run used .env, which contains what looks like a credential",
    ),
    "a credential in the output": (
        {"effects": []},
        "echo 'token: ghp_" + "a1B2" * 9 + "'\n",
        "the sample would contain what looks like a credential in line 4: token:",
    ),
    "something that only this folder has": (
        {"effects": ["fs.read", "proc.exec"]},
        "ls | wc -l\n",
        "alone in a new folder, with no files, it does not do the same",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_sample_may_contain_is_refused(run: Run, work: Path, case: str) -> None:
    options, script, why = REFUSED[case]
    # The operation works in the folder around the skill.
    block_skill(work / "tool", f'cd "{work}"\n{script}', **options)
    (work / "data.bin").write_bytes(b"\0\1")
    (work / ".env").write_text("TOKEN=ghp_" + "a1B2" * 9 + "\n")
    offered("isolated")
    ran = run("run", "tool", "--isolation", "isolated", "--save-sample", "one")
    assert (ran.status, why in ran.err) == (1, True), ran.err
    assert not (work / "tool" / "samples").exists()


@pytest.mark.slow
@needs_git
def test_a_run_on_a_repository_is_repeated_on_one(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, given in IDENTITY.items():
        monkeypatch.setenv(name, given)
    ask_git(str(work), "init", "--quiet")
    script = "#!/bin/sh\ngit rev-parse --is-inside-work-tree\ngit tag made\n"
    (work / "words" / "scripts" / "count.sh").write_text(script)
    ask_git(str(work), "add", ".")
    ask_git(str(work), "commit", "--quiet", "-m", "one")
    ran = run(*SCRIPT, "--save-sample", "fox")
    assert ran.status == 0, ran.err
    assert value(SAVED)["workspace"] == {"git": True}


def test_standard_input_and_variables_are_part_of_it(run: Run, work: Path) -> None:
    (work / "words" / "scripts" / "count.sh").write_text('#!/bin/sh\ncat; echo "$TONE"\n')
    given = ("--stdin", "text.txt", "--env", "TONE=loud")
    assert run(*SCRIPT, *given, "--save-sample", "fox").status == 0
    saved = value(SAVED)
    assert (saved["stdin"], saved["env"]) == ("a quick fox\n", {"TONE": "loud"})
    assert saved["expect"]["stdout"] == "a quick fox\nloud\n"  # type: ignore[index]


def test_a_sensitive_input_is_never_saved(run: Run, work: Path) -> None:
    head = (
        "inputs:\n  required:\n    - {name: login, schema: {type: string}, sensitive: true}\n"
        "  optional: []\n"
    )
    front_skill(work / "tool", head, "#!/bin/sh\necho hello\n")
    given = ("run", "tool", "scripts/go.sh", "--isolation", "copy", "--save-sample", "one")
    ran = run(*given, "--secret", "login=env:HOME", "--anyway")
    assert (ran.status, "no sample was saved: login is sensitive" in ran.err) == (1, True), ran.err
    assert not (work / "tool" / "samples").exists()
    # Without a value of ours, the placeholder of every test is used.
    ran = run(*given, "--anyway")
    assert "saved tool/samples/scripts/go.sh/one.yaml" in ran.err
    assert "login" not in (work / "tool/samples/scripts/go.sh/one.yaml").read_text()


CLOCK = """\
#!/bin/sh
at="$(cat {offset}) minutes"
date -d "$at" '+written %F %T by me'
echo "pid $$ in $(mktemp -u XXXXXXXX)"
date -d "$at" '+made %a %b %e %H:%M:%S %Y' > made.txt
date -d "$at" +%s > "log-$(date -u -d "$at" +%Y%m%dT%H%M%SZ).txt"
chmod 755 made.txt
date -d "$at" '+{{"at": "%FT%T", "seconds": %s, "count": 3}}'
"""


@pytest.fixture
def clock(work: Path, tmp_path: Path) -> Path:
    """A file with the minutes by which the clock of the script is wrong."""
    offset = tmp_path / "offset"
    offset.write_text("0")
    (work / "words" / "scripts" / "count.sh").write_text(CLOCK.format(offset=offset))
    return offset


@pytest.mark.slow
def test_a_sample_of_a_program_with_a_clock_lasts(run: Run, work: Path, clock: Path) -> None:
    ran = run(*SCRIPT, "--save-sample", "fox")
    assert ran.status == 0, ran.err
    expect = value(SAVED)["expect"]
    assert isinstance(expect, dict)
    assert expect == {
        "stdout": (
            'written [..] by me\npid [..] in [..]\n{"at": "[..]", "seconds": [..], "count": 3}\n'
        ),
        "json": {"at": "<date>", "seconds": "<int>", "count": 3},
        "files": {"log-*.txt": "[..]\n", "made.txt": "made [..]\n"},
        "modes": {"made.txt": "755"},
        "effects": expect["effects"],
    }
    for minutes in ("1", "61", "1501", "50000"):
        clock.write_text(minutes)
        ran = run("test", "words", "--isolation", "copy")
        assert ran.out.endswith("1 passed\n"), ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("by me", "by you", "standard output differs"),
        ("chmod 755", "chmod 777", "file made.txt: expected permissions 755, got 777"),
        (
            "chmod 755",
            "chmod 600 log-*;:",
            "file made.txt: expected permissions 755, got usual ones",
        ),
    ],
)
def test_what_else_changes_is_a_difference(
    run: Run, work: Path, clock: Path, old: str, new: str, message: str
) -> None:
    assert run(*SCRIPT, "--save-sample", "fox").status == 0
    script = work / "words" / "scripts" / "count.sh"
    script.write_text(script.read_text().replace(old, new))
    ran = run("test", "words", "--isolation", "copy")
    assert (ran.status, message in ran.out) == (1, True), ran.out


def test_lines_before_a_json_line_are_expected(run: Run, work: Path) -> None:
    (work / "words" / "scripts" / "count.sh").write_text(
        """#!/bin/sh\necho one\necho '{"n": 1}'\n"""
    )
    assert run(*SCRIPT, "--save-sample", "fox").status == 0
    expect = value(SAVED)["expect"]
    assert isinstance(expect, dict)
    assert (expect["stdout"], expect["json"]) == ('one\n{"n": 1}\n', {"n": 1})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("orders", "stdout"),
    [
        # The run, those of the sample, and one more.
        (["c b a", "a b c", "a b c", "b c a"], "words ([..]) of 3\n"),
        (["c b a", "a b c", "a b c", "a b c"], None),
    ],
)
def test_what_is_equal_by_chance_is_sought_with_more_runs(
    run: Run, work: Path, tmp_path: Path, orders: list[str], stdout: str | None
) -> None:
    left = tmp_path / "orders"
    left.write_text("\n".join((*orders, "")))
    (work / "words" / "scripts" / "count.sh").write_text(
        f'#!/bin/sh\necho "words ($(head -n 1 {left})) of 3"\nsed -i 1d {left}\n'
    )
    ran = run(*SCRIPT, "--yes", "--anyway", "--save-sample", "fox")
    assert left.read_text() == ""
    assert SAVED.exists() == (stdout is not None), ran.err
    if stdout is not None:
        expect = value(SAVED)["expect"]
        assert isinstance(expect, dict)
        assert expect["stdout"] == stdout
