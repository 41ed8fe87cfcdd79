"""Help pages, hints for what other tools call it, and completion scripts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.cli.arguments import parse
from skillstudio.cli.verbs import ALIASES, GROUPS, all_verbs, find_verb

VERBS = all_verbs()


@pytest.mark.parametrize("verb", [*VERBS, *ALIASES, "open"])
def test_every_verb_has_a_page(run: Run, verb: str) -> None:
    page = run("help", verb)
    assert page.status == 0
    assert page.out == run(verb, "--help").out == run(verb, "-h").out
    found = find_verb(verb)
    assert found is not None
    assert page.out.startswith(f"{found.summary}\n")
    assert all(each.spec in page.out for each in found.all_arguments())
    assert "\nExamples:\n" in page.out
    assert "\nExit status:\n" in page.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_can_be_parsed(verb: str) -> None:
    import shlex

    for example in VERBS[verb].examples:
        words = shlex.split(re.split(" >>? | < ", example)[0])
        assert words[0] == verb
        parse(VERBS[verb], words[1:])


@pytest.mark.parametrize("verb", VERBS.values(), ids=lambda verb: verb.name)
def test_a_page_shows_the_defaults(verb: object) -> None:
    from skillstudio.cli.arguments import Verb
    from skillstudio.cli.help import page

    assert isinstance(verb, Verb)
    text = re.sub(r"\s+", " ", "\n".join(page(verb)))
    for each in verb.all_arguments():
        if each.default not in (None, "", ()):
            shown = each.default if isinstance(each.default, str) else " ".join(each.default)
            assert f"(default: {shown})" in text, each.spec


def test_the_overview_has_every_verb_in_its_group(run: Run) -> None:
    out = run("--help").out
    assert out == run("help").out == run("-h").out == run("help", "--help").out
    assert [line[:-1] for line in out.splitlines() if line[:-1] in GROUPS] == list(GROUPS)
    assert all(
        verb.group == group
        for group in GROUPS
        for name, verb in VERBS.items()
        if name in GROUPS[group]
    )
    assert all(f"\n  {verb.name} " in out for verb in VERBS.values())


def test_other_names_are_accepted_and_not_listed(run: Run) -> None:
    scripts = [run("completion", shell).out for shell in ("bash", "zsh", "fish", "powershell")]
    for name in (*ALIASES, "open"):
        assert find_verb(name)
        assert name not in VERBS
        assert not re.search(rf"^  {name}\b", run("--help").out, re.M)
        assert not [text for text in scripts if re.search(rf"(?<![\w-]){name}(?=[ )'|])", text)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("init", "use skillstudio new"),
        ("lint", "use skillstudio check"),
        ("rename", "use skillstudio edit PATH rename-input OLD NEW"),
        ("operation", "use skillstudio edit PATH add-operation SCRIPT"),
        ("schema", "use skillstudio config schema NAME"),
        ("hash", "use skillstudio identity --digests"),
        ("explore", "use skillstudio trace explore"),
        ("templates", "use skillstudio new --list"),
        ("validate", "use skillstudio check"),
        ("format", "skillstudio does not reformat files; see skillstudio fix"),
        ("list", "use skillstudio show"),
        ("rules", "use skillstudio explain"),
        ("profiles", "use skillstudio targets"),
        ("keys", "use skillstudio config keys"),
        ("chekc", "did you mean check?"),
    ],
)
def test_what_other_tools_call_it_is_answered(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ((word,), ("help", word)):
        ran = run(*words)
        assert ran.status == 2
        assert said in ran.err
        assert len(ran.err.splitlines()) <= 3


def test_summaries_are_imperative_labels() -> None:
    for verb in VERBS.values():
        assert verb.summary[0].isupper()
        assert not verb.summary.endswith(".")
        assert not verb.summary.split()[0].endswith("s"), verb.summary


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_a_completion_script_is_valid(run: Run, shell: str) -> None:
    script = run("completion", shell).out
    assert all(verb in script for verb in VERBS)
    assert "sarif" in script
    program = shutil.which("pwsh" if shell == "powershell" else shell)
    if program is None:
        pytest.skip(f"there is no {shell} here")
    command = [program, "-n"]
    if shell == "powershell":
        command = [program, "-NoProfile", "-Command", "-"]
    done = subprocess.run(command, input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_for_powershell_has_each_option_with_its_values(run: Run) -> None:
    script = run("completion", "powershell").out
    for name, verb in VERBS.items():
        summary = verb.summary.replace("'", "''")
        assert f"        '{name}' = '{summary}'\n" in script
        block = script.split(f"        '{name}' = [ordered]@{{\n")[1].partition("        }\n")[0]
        rows = dict(re.findall(r"^ +'(-[^']*)' = '(?:[^']|'')+', (.+)$", block, re.MULTILINE))
        flags = {flag: each for each in verb.all_arguments() for flag in each.flags}
        assert rows.keys() == flags.keys()
        for flag, each in flags.items():
            choices = ", ".join(f"'{choice}'" for choice in each.choices)
            if choices:
                assert rows[flag] == f"@({choices})"
            assert (rows[flag] == "$null") == (not each.value)
    # Each quote and bracket is closed.
    code = re.sub(r"'(?:[^'\n]|'')*'", "", re.sub(r"(?m)^ *#.*$", "", script))
    assert "'" not in code
    for opening, closing in ("{}", "()", "[]"):
        assert code.count(opening) == code.count(closing)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_values_that_are_ids_are_completed(run: Run, shell: str) -> None:
    script = run("completion", shell).out
    for word in ("claude-code", "agent-skills", "name-folder", "settings", "security", "waive"):
        assert word in script


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["ch"], {"check"}),
        (["--"], {"--help", "--plain", "--version"}),
        (["op"], set()),
        (["help", "wai"], {"waive"}),
        (["check", "--target", "claude-c"], {"claude-code"}),
        (["check", "--format", "=", "sa"], {"sarif"}),
        (["check", "--output-file", "s"], set()),
        (["diff", "--color", "a"], {"auto", "always"}),
        (["check", "--fa"], {"--fail-on"}),
        (["check", "--format", "s"], {"sarif"}),
        (["config", "k"], {"keys"}),
        (["check", "no"], set()),
    ],
)
def test_bash_completes(run: Run, words: list[str], wanted: set[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    line = " ".join(["skillstudio", *words])
    code = (
        f"{run('completion', 'bash').out}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; "
        '_skillstudio; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run([bash, "-c", code], text=True, capture_output=True, check=False)
    assert done.stderr == ""
    assert set(done.stdout.split()) == wanted


@pytest.mark.parametrize("words", [("help", "trace"), ("--help",), ("explain",)])
def test_a_reader_that_ends_early_is_no_fault(words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "skillstudio", *words]
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_each_page_names_the_documentation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Documentation:" not in run("--help").out + run("check", "--help").out
    address = "https://docs.example.org/skillstudio"
    monkeypatch.setattr("skillstudio.cli.help.docs_address", lambda: address)
    assert run("--help").out.endswith(f"\n\nDocumentation: {address}/\n")
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in all_verbs():
        ending = f"Documentation: {address}/commands/#{name}\n"
        assert run(name, "--help").out.endswith(ending)
        assert f"\n### {name}\n" in page
