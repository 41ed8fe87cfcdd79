"""Environments with the packages of a script: what is prepared, used again, and refused."""

from __future__ import annotations

import os
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import PROCESSES, front_skill, offered

from skillstudio.dryrun import dependencies
from skillstudio.dryrun.planning.environments import (
    declared_packages,
    missing_packages,
    requirement_lines,
)
from skillstudio.files.disk import DiskTree

SCRIPT = "import sys, tinypkg\nprint(tinypkg.WORD, sys.executable, __file__)\n"
INLINE = '# /// script\n# dependencies = ["tinypkg>=1"]\n# ///\n'
INLINE_SCRIPT = f"{INLINE}{SCRIPT}"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of one package, the only one that installers find."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    about = "tinypkg-1.0.dist-info"
    with zipfile.ZipFile(folder / "tinypkg-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinypkg.py", "WORD = 'tiny'\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tinypkg\nVersion: 1.0\n")
        tag = "Root-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: test\n{tag}")
        wheel.writestr(f"{about}/RECORD", "")
    for name in ("PIP", "UV"):
        monkeypatch.setenv(f"{name}_NO_INDEX", "1")
        monkeypatch.setenv(f"{name}_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return folder


def needing(folder: Path, script: str = SCRIPT, **files: str) -> Path:
    """A skill with a script that imports a package."""
    skill = front_skill(folder, "", script, "scripts/go.py")
    for name, text in files.items():
        (skill / name.replace("__", ".")).write_text(text)
    return skill


def environments(tmp_path: Path) -> list[str]:
    folder = tmp_path / "cache" / "skillstudio-environments"
    return sorted(os.listdir(folder)) if folder.exists() else []


@pytest.mark.slow
def test_an_environment_is_prepared_and_used_again(run: Run, tmp_path: Path, wheels: Path) -> None:
    skill = needing(tmp_path / "skill", INLINE_SCRIPT)
    levels = [each for each in PROCESSES if _is_offered(each)]
    for number, level in enumerate([*levels, levels[-1]]):
        ran = run("run", skill, "scripts/go.py", "--with-deps", "--all", "--isolation", level)
        assert ran.status == 0, ran.out
        assert ("prepared in" if number == 0 else "used again") in ran.err
        (made,) = environments(tmp_path)
        place = str(tmp_path / "cache" / "skillstudio-environments" / made / "bin" / "python3")
        # The interpreter is named, and the path of the copy is that of the original.
        printed = ran.out.partition("End of stdout\n")[2].split("\n")[0]
        assert printed.split() == ["tiny", place, str(skill / "scripts/go.py")]
        assert f"python3 is {place}" in ran.out
        assert "The packages of scripts/go.py came from an environment" in ran.out
    # Its own packages are no effect of the skill.
    found = run("run", skill, "scripts/go.py", "--with-deps", "--format", "json").json
    assert [each["effect"] for each in found["effects"]] == []


def _is_offered(level: str) -> bool:
    try:
        offered(level)
    except pytest.skip.Exception:
        return False
    return True


@pytest.mark.slow
def test_a_sample_runs_with_its_packages(run: Run, tmp_path: Path, wheels: Path) -> None:
    script = f"{INLINE}try:\n    import tinypkg\nexcept ImportError:\n    raise SystemExit(1)\n"
    skill = needing(tmp_path / "skill", script)
    assert run("sample", skill, "scripts/go.py", "--save", "tea").status == 0
    assert run("test", skill).status == 1
    assert "1 passed" in run("test", skill, "--with-deps").out


@pytest.mark.slow
def test_an_environment_cannot_be_changed_by_a_run(run: Run, tmp_path: Path, wheels: Path) -> None:
    offered("confined")
    script = (
        f"{INLINE}import tinypkg\ntry:\n    open(tinypkg.__file__, 'a').write('bad')\n"
        "except OSError:\n    print('refused')\n"
    )
    skill = needing(tmp_path / "skill", script)
    assert "refused" in run("run", skill, "scripts/go.py", "--with-deps").out
    (made,) = environments(tmp_path)
    place = tmp_path / "cache" / "skillstudio-environments" / made
    (module,) = place.glob("lib/python*/site-packages/tinypkg.py")
    assert module.read_text() == "WORD = 'tiny'\n"


CANNOT: list[tuple[str, dict[str, str], str]] = [
    ("no such package", {"requirements__txt": "nosuchpkg\n"}, "requirements.txt cannot be install"),
    ("an option", {"requirements__txt": "tinypkg\n--index-url http://a.example\n"},
     "requirements.txt:2: '--index-url http://a.example' is not a package"),
    ("a folder", {"requirements__txt": "tinypkg\n-e .\n"}, "requirements.txt:2: '-e .' is not"),
    ("a URL", {"pyproject__toml": '[project]\ndependencies = ["a @ https://a.example/a.whl"]\n'},
     "pyproject.toml: 'a @ https://a.example/a.whl' is not a package"),
    ("a path", {"requirements__txt": "tinypkg\n./evil.whl\n"}, "requirements.txt:2: './evil.whl'"),
    ("another language", {"package__json": '{"dependencies": {"a": "1"}}'}, "npm install"),
]  # fmt: skip


@pytest.mark.slow_cases("no such package-files0-requirements.txt cannot be install")
@pytest.mark.parametrize(("_what", "files", "why"), CANNOT)
def test_an_environment_that_cannot_be_prepared(
    run: Run, tmp_path: Path, wheels: Path, _what: str, files: dict[str, str], why: str
) -> None:
    skill = needing(tmp_path / "skill", **files)
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 3
    assert why in ran.err
    assert "✗ not run: " in ran.out
    assert environments(tmp_path) == []
    assert run("run", skill, "scripts/go.py", "--with-deps", "--format", "json").json["error"]


@pytest.mark.slow
def test_a_source_distribution_is_not_built(run: Run, tmp_path: Path, wheels: Path) -> None:
    import tarfile

    source = tmp_path / "evil-1.0"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with tarfile.open(wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "evil-1.0")
    skill = needing(tmp_path / "skill", requirements__txt="evil\n")
    assert run("run", skill, "scripts/go.py", "--with-deps").status == 3
    assert not (tmp_path / "ran").exists()


def test_nothing_is_left_of_a_cancelled_preparation(
    run: Run, tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = dependencies.prepare_environment

    def cancelled(plan: Any, environ: Any, cancel: threading.Event) -> Any:
        cancel.set()
        return prepare(plan, environ, cancel)

    monkeypatch.setattr(dependencies, "prepare_environment", cancelled)
    skill = needing(tmp_path / "skill", INLINE_SCRIPT)
    assert run("run", skill, "scripts/go.py", "--with-deps").status == 130
    assert environments(tmp_path) == []


def test_a_script_without_packages_needs_no_environment(
    run: Run, tmp_path: Path, wheels: Path
) -> None:
    skill = needing(tmp_path / "skill", "print('plain')\n")
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 0
    assert "declares no packages" in ran.err


def test_other_packages_or_another_interpreter_are_another_environment(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("")
    other.write_text("")
    keys = {
        dependencies._key(lines, str(python))
        for lines in (["a"], ["a>=1"])
        for python in (one, other)
    }
    assert len(keys) == 4
    assert dependencies._key(["a"], str(one)) in keys


LINES = """\
# about
a>=1  # why
b[extra]==1 ; python_version > "3"
c==1 \\
    --hash=sha256:ab

-r other.txt
"""


def test_every_line_of_a_requirements_file_is_seen(tmp_path: Path) -> None:
    skill = needing(tmp_path / "skill", requirements__txt=LINES)
    tree = DiskTree(str(skill))
    (declared,) = declared_packages(tree, "scripts/go.py")
    assert list(requirement_lines(tree, declared)) == [
        (2, "a>=1"),
        (3, 'b[extra]==1 ; python_version > "3"'),
        (4, "c==1 --hash=sha256:ab"),
        (7, "-r other.txt"),
    ]


MISSING = "Traceback\nModuleNotFoundError: No module named 'tinypkg'\n"


@pytest.mark.parametrize(
    ("script", "is_prepared", "hint"),
    [
        (INLINE_SCRIPT, False, "run it with --with-deps, which prepares an environment"),
        (INLINE_SCRIPT, True, "python3 -m venv ENV && ENV/bin/pip install"),
        (SCRIPT, False, "python3 -m venv ENV && ENV/bin/pip install tinypkg"),
    ],
)
def test_a_missing_module_is_one_sentence_with_what_to_do(
    tmp_path: Path, script: str, is_prepared: bool, hint: str
) -> None:
    tree = DiskTree(str(needing(tmp_path / "skill", script)))
    (found,) = missing_packages(tree, "scripts/go.py", MISSING, "/usr/bin/python3", is_prepared)
    assert found.message.startswith("/usr/bin/python3 has no module tinypkg; ")
    assert hint in found.message
    assert "\n" not in found.message
