"""A folder of scripts becomes a skill: what is drafted, what is left open, and nothing is run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run

from skillstudio.cli.main import main
from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.scaffold.new.scripts.drafting import draft_skill
from skillstudio.scaffold.new.scripts.gathering import NoScripts, gather
from skillstudio.skill.analysis import analyse

FOLDERS = Path(__file__).parent / "folders"


def drafted(files: dict[str, str | bytes], name: str = "made") -> dict[str, Any]:
    """The manifest that is drafted of some files."""
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    rendered = draft_skill(gather(MemoryTree(data), "folder"), name)
    made = analyse(rendered.tree)
    assert [each for each in made.diagnostics if each.severity == "error"] == []
    value: dict[str, Any] = made.manifests[1].document.value
    return value


def of_folder(name: str) -> dict[str, Any]:
    rendered = draft_skill(gather(DiskTree(FOLDERS / name), name), "made")
    found = analyse(rendered.tree)
    assert {(each.rule, each.severity) for each in found.diagnostics} <= {
        ("todo-left", "warning"),
        ("entrypoint-windows-missing", "info"),
    }
    assert {"SKILL.md"} | {f"scripts/{path.name}" for path in (FOLDERS / name).iterdir()} == set(
        rendered.files
    )
    value: dict[str, Any] = found.manifests[1].document.value
    return value


def unix(manifest: dict[str, Any]) -> dict[str, str]:
    return {
        name: " ".join(each["entrypoints"]["unix"]) for name, each in manifest["operations"].items()
    }


def inputs(manifest: dict[str, Any]) -> dict[str, str]:
    """Each operation's inputs: name and type, `!` where it is required, else the default."""
    return {
        name: ", ".join(
            f"{key}: {value['type']}{'!' if value['required'] else '=' + str(value['default'])}"
            for key, value in operation["input"].items()
        )
        for name, operation in manifest["operations"].items()
    }


def test_argparse() -> None:
    made = of_folder("argparse")
    assert unix(made) == {
        "links": "python3 scripts/links.py --ending {ending} --limit {limit} --format {format} "
        "{folder}",
        "notes-add": "python3 scripts/notes.py --database {database} add --weight {weight} {text}",
        "notes-find": "python3 scripts/notes.py --database {database} find --limit {limit} {word}",
    }
    assert inputs(made) == {
        "links": "folder: string!, ending: string=.md, limit: integer=20, format: string=text",
        "notes-add": "database: string!, text: string!, weight: number=1.0",
        "notes-find": "database: string!, word: string!, limit: integer=10",
    }
    assert made["effects"] == ["db.read", "db.write", "fs.read"]
    links = made["operations"]["links"]
    assert links["description"] == "List the relative links that lead nowhere."
    assert (
        links["input"]["format"]["description"] == "TODO: describe this input; one of: text, json"
    )
    assert links["entrypoints"]["windows"][:2] == ["python", "scripts\\links.py"]


def test_typer() -> None:
    made = of_folder("typer")
    assert unix(made) == {
        "greet": "python3 scripts/greet.py --language {language} --times {times} {name}",
        "tasks-add": "python3 scripts/tasks.py --file {path} add --priority {priority} {title}",
        "tasks-list": "python3 scripts/tasks.py --file {path} list --kind {kind}",
    }
    assert inputs(made) == {
        "greet": "name: string!, language: string!, times: integer=1",
        "tasks-add": "path: string=tasks.txt, title: string!, priority: integer=3",
        "tasks-list": "path: string=tasks.txt, kind: string=open",
    }
    assert made["effects"] == ["fs.read", "fs.write"]


def test_getopts() -> None:
    made = of_folder("getopts")
    assert unix(made) == {
        "backup": "bash scripts/backup.sh -t {target} -k {keep} {source_folder} {name}",
        "changed": "sh scripts/changed.sh {commit}",
    }
    assert inputs(made) == {
        "backup": "target: string!, keep: integer=7, source_folder: string!, name: string=backup",
        "changed": "commit: string!",
    }
    assert made["effects"] == ["fs.read", "fs.write", "git.read", "proc.exec"]
    assert (
        made["operations"]["backup"]["input"]["target"]["description"] == "where the archives lie"
    )


def test_powershell_serves_windows_and_the_shell_unix() -> None:
    made = drafted(
        {
            "copy.ps1": "param([Parameter(Mandatory)]$SourceFolder)\n",
            "copy.sh": '#!/bin/sh\nsource_folder="${1:?}"\n',
            "only.ps1": "param($Count = 3, [switch]$Force)\n",
        }
    )
    copy = made["operations"]["copy"]["entrypoints"]
    assert copy == {
        "unix": ["sh", "scripts/copy.sh", "{source_folder}"],
        "windows": [
            "powershell.exe", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File",
            "scripts\\copy.ps1", "-SourceFolder", "{source_folder}",
        ],
    }  # fmt: skip
    only = made["operations"]["only"]["entrypoints"]
    assert only["unix"] == ["pwsh", "-NoProfile", "-File", "scripts/only.ps1", "-Count", "{count}"]


def test_one_program_with_commands_has_them_as_operations() -> None:
    text = (FOLDERS / "argparse" / "notes.py").read_text()
    assert set(drafted({"notes.py": text})["operations"]) == {"add", "find"}


def test_names_that_clash_are_kept_apart() -> None:
    python, shell = "#!/usr/bin/env python3\n", "#!/bin/sh\n"
    paths = {"a/run.py": python, "b/run.py": python, "b/run.sh": shell, "run.sh": shell,
             "run.tool.sh": shell, "ünï.py": python, "счёт.py": python}  # fmt: skip
    assert unix(drafted(dict(paths))) == {
        "run": "python3 scripts/a/run.py",
        "b-run": "python3 scripts/b/run.py",
        "run-sh": "sh scripts/b/run.sh",
        "run-2": "sh scripts/run.sh",
        "run-tool-sh": "sh scripts/run.tool.sh",
        "uni": "python3 scripts/ünï.py",
        "run-py": "python3 scripts/счёт.py",
    }


@pytest.mark.parametrize(
    ("path", "data", "note"),
    [
        ("tool.rb", b"puts 1\n", "tool.rb was not read: unsupported language"),
        ("tool", b"\x7fELF\0\0", "tool was not read: binary"),
        ("big.py", b"#" * (300 << 10), "big.py was not read: larger than 256 KiB"),
        ("old.py", b"print 'x'\n", "old.py was not read: not valid Python 3: line 1"),
        ("latin.sh", b"#!/bin/sh\n# \xe9\n", "latin.sh was not read: not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_kept_and_named(path: str, data: bytes, note: str) -> None:
    files = {"run.sh": b"#!/bin/sh\necho $1\n", path: data}
    rendered = draft_skill(gather(MemoryTree(files), "folder"), "made")
    assert rendered.files[f"scripts/{path}"] == data
    assert any(each.startswith(note) for each in rendered.notes)
    assert note.replace("`", "'") in rendered.files["SKILL.md"].decode()
    manifest = analyse(rendered.tree).manifests[1].document.value
    assert set(manifest["operations"]) == {"run"}


def test_what_is_no_script_is_kept_without_a_word() -> None:
    files = {"run.sh": b"#!/bin/sh\n", "README.md": b"#", "data.csv": b"a,b", "x.png": b"\0"}
    rendered = draft_skill(gather(MemoryTree(files), "folder"), "made")
    assert set(rendered.files) == {"SKILL.md"} | {f"scripts/{path}" for path in files}
    assert rendered.notes == ()


def test_what_stays_behind(tmp_path: Path) -> None:
    for path in (".env", ".git/config", "__pycache__/a.pyc", "b.pyc", "run.sh", "con.sh"):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n")
    os.symlink("/etc/passwd", tmp_path / "link")
    found = gather(DiskTree(tmp_path), "folder")
    assert set(found.files) == {"run.sh"}
    assert sorted(note.path for note in found.notes) == [
        ".env", ".git", "__pycache__", "b.pyc", "con.sh", "link",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "contains no program; the folder is empty"),
        ({"a.csv": b""}, "contains no program: a.csv is not a program: neither its name"),
        ({"a.rb": b""}, "contains no program: a.rb was not read"),
        ({"SKILL.md": b"", "a.sh": b"#!/bin/sh\n"}, "is already a skill"),
        ({"a.sh": b"#!/bin/sh\n", "b": bytes(65 << 20)}, "more than 1000 files or 64 MiB"),
        ({f"{n}.sh": b"#!/bin/sh\n" for n in range(1001)}, "more than 1000 files"),
    ],
)
def test_folders_of_which_nothing_is_drafted(files: dict[str, bytes], said: str) -> None:
    with pytest.raises(NoScripts, match=said):
        gather(MemoryTree(files), "folder")


def test_hostile_texts_stay_texts() -> None:
    text = """
import argparse
p = argparse.ArgumentParser(description="```\\n# Heading\\x1b[31m \\u202e")
p.add_argument("--x", default="\\ud800", help="```skill-manifest \\x07 {y} {{z}}", required=True)
p.add_argument("a\\nb", help="line\\n```\\nmore")
"""
    rendered = draft_skill(gather(MemoryTree({"evil.py": text.encode()}), "folder"), "made")
    shown = rendered.files["SKILL.md"].decode()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("\n```") == 2
    found = analyse(rendered.tree)
    assert [each for each in found.diagnostics if each.severity == "error"] == []
    assert set(found.manifests[1].document.value["operations"]["evil"]["input"]) == {"x", "a_b"}


MARKS = {
    "mark.py": "import os\nopen({mark!r}, 'w')\nimport argparse\n"
    "p = argparse.ArgumentParser()\np.add_argument('--x', default=open({mark!r}, 'w'))\n",
    "mark_click.py": "import click\nopen({mark!r}, 'w')\n@click.command()\n"
    "@click.option('--x', default=open({mark!r}, 'w'))\ndef f(x): open({mark!r}, 'w')\n",
    "mark.sh": "#!/bin/sh\ntouch {mark}\nx=$(touch {mark})\nwhile getopts a: o; do :; done\n",
    "mark.ps1": "New-Item {mark}\nparam($X = (New-Item {mark}))\n",
    "conftest.py": "open({mark!r}, 'w')\n",
    "argparse.py": "open({mark!r}, 'w')\n",
    "sitecustomize.py": "open({mark!r}, 'w')\n",
}


def test_no_script_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "mark"
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in MARKS.items():
        (folder / name).write_text(
            text.replace("{mark!r}", repr(str(mark))).replace("{mark}", str(mark))
        )
        (folder / name).chmod(0o755)
    monkeypatch.chdir(folder)
    assert main(["new", "--from", ".", str(tmp_path / "made")]) == 0
    assert main(["check", str(tmp_path / "made")]) == 0
    capsys.readouterr()
    assert not mark.exists()
    assert (tmp_path / "made" / "scripts" / "mark.sh").exists()


def test_the_command(tmp_path: Path, run: Run) -> None:
    made = tmp_path / "note-keeper"
    done = run("new", "--from", FOLDERS / "argparse", made)
    assert done.status == 0
    assert "todo-left" in done.out
    assert "links.py: --quiet is not in the operation: a switch" in done.err
    assert f"created {made}" in done.out
    found = analyse(DiskTree(made))
    assert [each for each in found.diagnostics if each.severity == "error"] == []
    assert (made / "scripts" / "links.py").read_bytes() == (
        FOLDERS / "argparse" / "links.py"
    ).read_bytes()
    if os.name != "nt":
        assert (made / "scripts" / "links.py").stat().st_mode & 0o100


@pytest.mark.parametrize("name", ["123", "null", "1e5", "on", "2026-01-01", "memory"])
def test_a_name_stays_a_string(tmp_path: Path, run: Run, name: str) -> None:
    assert run("new", "--from", FOLDERS / "argparse", tmp_path / name).status == 0
    found = analyse(DiskTree(tmp_path / name))
    assert {each.rule for each in found.diagnostics if each.severity != "info"} == {"todo-left"}
    assert found.manifests[0].document.value["name"] == name


def test_as_json(tmp_path: Path, run: Run) -> None:
    about = "Keeps notes. Use when something is to be noted."
    done = run(
        "new", "--from", FOLDERS / "typer", tmp_path / "made", "--dry-run",
        "-D", f"description={about}", "--format", "json",
    )  # fmt: skip
    value = json.loads(done.out)
    assert (value["template"], value["made"], value["answers"]) == (
        None,
        False,
        {"name": "made", "description": about},
    )
    assert [each["path"] for each in value["files"]] == [
        "SKILL.md", "scripts/greet.py", "scripts/tasks.py",
    ]  # fmt: skip
    assert "description" not in [each["pointer"][1:] for each in value["diagnostics"]]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "nowhere", "made"], "nowhere: no such folder"),
        (["--from", "folder/run.sh", "made"], "folder/run.sh is a file; choose its folder"),
        (["--from", "empty", "made"], "empty contains no program; the folder is empty"),
        (
            ["--from", "folder", "script-tool", "made"],
            "unexpected argument made: --from needs",
        ),
        (["--from", "folder", "made", "--ref", "main"], "--ref selects a version of a template"),
        (["--from", "folder", "Made"], "name rejected by skill-creator, skills-ref, spec"),
        (["--from", "folder", "folder"], "it already exists"),
        (["--from", "folder", "made", "-D", "name=x"], "the name differs from the folder name"),
        (["--from", "folder", "made", "-D", "nam=x"], "has no question nam; did you mean name?"),
        (["--from", "folder", "made", "-D", "words=x"], "its questions: name, description"),
        (["--from", "folder", "made", "-D", "description"], "expected KEY=VALUE"),
        (
            ["--from", "folder", "made", "-D", "description=a\x1b"],
            "description contains the invisible character",
        ),
    ],
)
def test_wrong_use(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
    arguments: list[str],
    said: str,
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    done = run("new", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert sorted(os.listdir(tmp_path)) == ["empty", "folder"]
    assert os.listdir(tmp_path / "folder") == ["run.sh"]


def test_a_skill_within_the_folder_stays_behind() -> None:
    script = b"#!/usr/bin/env python3\nimport argparse\nargparse.ArgumentParser().parse_args()\n"
    skill = b"---\nname: x\ndescription: Does it. Use when asked.\n---\n"
    files = {"a.py": script, "x/SKILL.md": skill, "x/scripts/b.py": script}
    found = gather(MemoryTree(files), "folder")
    assert set(found.files) == {"a.py"}
    assert [each.text for each in found.notes] == ["x is excluded: a separate skill"]


MERGE = """// Merge files.
const args = {};
for (let i = 2; i < process.argv.length; i++) {
  const a = process.argv[i];
  if (a.startsWith('--')) args[a.slice(2)] = process.argv[++i];
}
if (!args.base || !args.out) process.exit(2);
if (args.title) console.log(args.title);
"""


def test_options_that_a_script_needs_and_collects_itself() -> None:
    made = drafted({"merge.mjs": MERGE})
    assert unix(made) == {"merge": "node scripts/merge.mjs --base {base} --out {out}"}
    assert inputs(made) == {"merge": "base: string!, out: string!"}


OPTIONAL = {
    "a.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--limit', type=int)\n"
    "p.add_argument('--all', action='store_true')\np.add_argument('--tag', nargs='*')\n"
    "p.add_argument('--kind', choices=['x', 'y'])\np.parse_args()\n",
    "b.sh": "#!/bin/sh\nwhile getopts 'l:v' o; do\n"
    "case $o in l) limit=$OPTARG;; v) v=1;; esac; done\n",
    "c.mjs": "import { parseArgs } from 'node:util';\nparseArgs({ options: "
    "{ limit: { type: 'string' }, all: { type: 'boolean' } } });\n",
    "d.mjs": "import { program } from 'commander';\nprogram.option('--limit <n>', 'x', parseInt)"
    ".option('-v, --verbose').parse();\n",
}


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("a.py", ["--limit", "--all", "--tag", "--kind"]),
        ("b.sh", ["-l", "-v"]),
        ("c.mjs", ["--limit", "--all"]),
        ("d.mjs", ["--limit", "--verbose"]),
    ],
)
def test_options_that_may_be_left_out_are_no_inputs(path: str, left_out: list[str]) -> None:
    # An entrypoint is a fixed list of arguments, and `--limit ""` is not the same as no --limit.
    rendered = draft_skill(gather(MemoryTree({path: OPTIONAL[path].encode()}), "folder"), "made")
    made: Any = analyse(rendered.tree).manifests[1].document.value
    (operation,) = made["operations"].values()
    assert operation["input"] == {}
    assert operation["entrypoints"]["unix"][-1] == f"scripts/{path}"
    notes = [note for note in rendered.notes if " is not in the operation: " in note]
    assert [note.split()[1] for note in notes] == left_out
    assert sum("cannot leave out an option" in note for note in rendered.notes) == 1


def test_an_operation_without_known_arguments_says_so() -> None:
    made = drafted({"x.mjs": "const all = process.argv.includes('--all');\nconsole.log(all);\n"})
    about = made["operations"]["x"]["description"]
    assert about == "TODO: pass the arguments that it needs (--all, or others)."
