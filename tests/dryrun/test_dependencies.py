"""Environments with the packages of a script: what is prepared, used again, and refused."""

from __future__ import annotations

import json
import os
import shlex
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import PROCESSES, front_skill, offered

from skillstudio.dryrun import dependencies
from skillstudio.dryrun.planning.environments import (
    declared_packages,
    missing_packages,
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
    add_wheel(folder, "tinypkg")
    for name in ("PIP", "UV"):
        monkeypatch.setenv(f"{name}_NO_INDEX", "1")
        monkeypatch.setenv(f"{name}_FIND_LINKS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return folder


def add_wheel(folder: Path, name: str, metadata: str = "") -> None:
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "WORD = 'tiny'\n")
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}"
        wheel.writestr(f"{about}/METADATA", head)
        tag = "Root-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: test\n{tag}")
        wheel.writestr(f"{about}/RECORD", "")


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
        ran = run("run", skill, "scripts/go.py", "--with-deps", "-v", "--isolation", level)
        assert ran.status == 0, ran.out
        assert ("prepared in" if number == 0 else "used again") in ran.err
        (made,) = environments(tmp_path)
        place = str(tmp_path / "cache" / "skillstudio-environments" / made / "bin" / "python3")
        # The interpreter is named, and the path of the copy is that of the original.
        printed = ran.out.partition("stdout\n")[2].split("\n")[0]
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
     "requirements.txt:2:1: '--index-url http://a.example' is an option; declare packages only"),
    ("a folder", {"requirements__txt": "tinypkg\n  -e .\n"}, "requirements.txt:2:3: '-e .' is an"),
    ("another file", {"requirements__txt": "-r base.txt\n"}, "requirements.txt:1:1: '-r base.txt'"),
    ("a URL", {"pyproject__toml": '[project]\ndependencies = ["a @ https://a.example/a.whl"]\n'},
     "pyproject.toml:2:17: 'a @ https://a.example/a.whl' names a URL"),
    ("two lines", {"pyproject__toml": '[project]\ndependencies = ["a;x>\'3\'\\n-e ."]\n'},
     "pyproject.toml:2:17: \"a;x>'3'\\n-e .\" contains a line break"),
    ("broken", {"pyproject__toml": "[project]\ndependencies = [\n"},
     "pyproject.toml:2:16: the packages cannot be read, because this is not TOML 1.0"),
    ("a path", {"requirements__txt": "tinypkg\n./evil.whl\n"},
     "requirements.txt:2:1: './evil.whl' names a path"),
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

    def cancelled(plan: Any, environ: Any, cancel: threading.Event, *others: Any) -> Any:
        cancel.set()
        return prepare(plan, environ, cancel, *others)

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
        dependencies._key(lines, str(python), variables, builds)
        for lines in (["a"], ["a>=1"])
        for python in (one, other)
        for variables in ({}, {"PIP_INDEX_URL": "https://a.example"})
        for builds in (False, True)
    }
    assert len(keys) == 16
    assert dependencies._key(["a"], str(one), {"PATH": "/bin", "HTTP_PROXY": "p"}) in keys


EVIL = "raise SystemExit(open({!r}, 'a').write('ran'))\n"
"""A program that leaves a mark."""


class Index(NamedTuple):
    """A server on loopback, and the paths that were asked for."""

    url: str
    paths: list[str]


@pytest.fixture
def index(wheels: Path) -> Iterator[Index]:
    """A server without packages."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Index(f"http://127.0.0.1:{server.server_address[1]}", paths)
        server.shutdown()
        thread.join()


def with_evil(folder: Path, marker: Path, script: str = SCRIPT, **files: str) -> Path:
    """A skill that also has a package whose build leaves a mark, and settings of installers."""
    skill = needing(folder, script, **files)
    evil = skill / "evil"
    evil.mkdir()
    backend = 'requires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (evil / "pyproject.toml").write_text(f"[build-system]\n{backend}")
    for name in ("backend.py", "setup.py", "python3"):
        (evil / name).write_text(EVIL.format(str(marker)))
    return skill


@pytest.mark.parametrize("declared", ["inline", "pyproject__toml", "requirements__txt"])
@pytest.mark.parametrize(
    "ending", ["${EVIL}", "evil @ file://${EVIL}", "--index-url {url}/${MY_TOKEN}/simple"]
)
def test_lines_within_a_requirement_run_and_send_nothing(
    run: Run,
    tmp_path: Path,
    index: Index,
    monkeypatch: pytest.MonkeyPatch,
    declared: str,
    ending: str,
) -> None:
    for name in ("PIP", "UV"):
        monkeypatch.delenv(f"{name}_NO_INDEX")
    ending = ending.replace("{url}", index.url)
    requirement = f"tinypkg; python_version > '3'\n{ending}"
    inline, files = SCRIPT, {declared: f"{requirement}\n"}
    if declared != "requirements__txt":
        line = f"dependencies = [{json.dumps(requirement)}]"
        inline = f"# /// script\n# {line}\n# ///\n{SCRIPT}" if declared == "inline" else SCRIPT
        files = {} if declared == "inline" else {declared: f"[project]\n{line}\n"}
    marker = tmp_path / "marker"
    skill = with_evil(tmp_path / "skill", marker, inline, **files)
    monkeypatch.setenv("EVIL", str(skill / "evil"))
    monkeypatch.setenv("MY_TOKEN", "secret-of-the-shell")
    assert run("run", skill, "scripts/go.py", "--with-deps").status == 3
    assert not marker.exists()
    assert index.paths == []
    assert environments(tmp_path) == []


@pytest.mark.slow
def test_a_wheel_cannot_name_a_source_distribution(run: Run, tmp_path: Path, wheels: Path) -> None:
    marker = tmp_path / "marker"
    skill = with_evil(tmp_path / "skill", marker, requirements__txt="tricky\n")
    add_wheel(wheels, "tricky", f"Requires-Dist: evil @ file://{skill / 'evil'}\n")
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 3, ran.out
    assert "only wheels are installed" in ran.err
    assert not marker.exists()
    assert environments(tmp_path) == []


GRANTING = {
    "data/pyvenv.cfg": "home = {}\n",
    "scripts/tool": "#!{}/program\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRANTING)
def test_a_package_cannot_let_runs_read_more(
    run: Run, tmp_path: Path, wheels: Path, name: str
) -> None:
    programs = tmp_path / "private/bin"
    programs.mkdir(parents=True)
    (programs / "program").write_text("#!/bin/sh\n")
    (programs / "program").chmod(0o755)
    with zipfile.ZipFile(wheels / "tinypkg-1.0-py3-none-any.whl", "a") as wheel:
        wheel.writestr(f"tinypkg-1.0.data/{name}", GRANTING[name].format(programs))
    skill = needing(tmp_path / "skill", INLINE_SCRIPT)
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 3, ran.out
    assert "runs could read more of the machine with it" in ran.err
    assert environments(tmp_path) == []


@pytest.mark.slow
def test_settings_of_the_skill_and_other_variables_change_nothing(
    run: Run, tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    url = f"{index.url}/simple"
    settings = f"[global]\nindex-url = {url}\nno-binary = :all:\n"
    uv = f'index-url = "{url}"\nno-binary = true\n'
    skill = with_evil(tmp_path / "skill", marker, INLINE_SCRIPT, uv__toml=uv,
                      pip__conf=settings, pyproject__toml=f"[tool.uv]\n{uv}")  # fmt: skip
    monkeypatch.chdir(skill)
    monkeypatch.setenv("MY_TOKEN", "secret-of-the-shell")
    monkeypatch.setenv("PIP_NO_BINARY", ":all:")
    monkeypatch.setenv("UV_NO_BINARY", "1")
    monkeypatch.setenv("PIP_REQUIREMENT", str(skill / "evil"))
    monkeypatch.setenv("PYTHONPATH", str(skill / "evil"))
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 0, ran.err
    assert index.paths == []
    assert not marker.exists()


def test_the_interpreter_of_a_skill_is_not_started(tmp_path: Path, run: Run, wheels: Path) -> None:
    marker = tmp_path / "marker"
    skill = with_evil(tmp_path / "skill", marker)
    program = skill / "evil/python3"
    program.write_text(f"#!/bin/sh\necho ran > {marker}\n")
    program.chmod(0o755)
    (skill / "scripts/go.py").write_text(f"#!{program}\n{INLINE_SCRIPT}")
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 3
    assert "is in the skill or the workspace" in ran.err
    assert not marker.exists()


def test_installers_get_few_variables(tmp_path: Path, wheels: Path) -> None:
    inside, link = tmp_path / "skill/bin", tmp_path / "link"
    inside.mkdir(parents=True)
    link.symlink_to(inside)
    other = tmp_path / "cache/skillstudio-environments/0/bin"
    path = os.pathsep.join([".", "", "bin", str(inside), str(link), str(other), "/usr/bin"])
    environ = {
        "PATH": path, "HOME": "/h", "MY_TOKEN": "t", "PYTHONPATH": "/p", "PIP_NO_BINARY": "a",
        "PIP_INDEX_URL": "https://a.example", "UV_NO_BINARY": "1", "UV_INDEX_OWN_PASSWORD": "p",
        "UV_CONFIG_FILE": "a", "UV_PROJECT": "a", "https_proxy": "http://p.example",
        "LD_PRELOAD": "l",
    }  # fmt: skip
    assert dependencies.installer_variables(environ, str(tmp_path / "skill")) == {
        "PATH": "/usr/bin", "HOME": "/h", "PIP_INDEX_URL": "https://a.example",
        "UV_INDEX_OWN_PASSWORD": "p", "https_proxy": "http://p.example",
    }  # fmt: skip


def test_equal_packages_share_an_environment_however_they_are_written(tmp_path: Path) -> None:
    forms = ("Six >=1, <2\nzope.interface\n", "# a\nzope_interface # b\nsix (<2,>=1)\n")
    packages = set()
    for number, text in enumerate(forms):
        skill = needing(tmp_path / str(number), requirements__txt=text)
        (declared,) = declared_packages(DiskTree(str(skill)), "scripts/go.py")
        packages.add(frozenset(declared.packages))
    assert packages == {frozenset({"six<2,>=1", "zope-interface"})}


def test_suggested_commands_are_quoted(tmp_path: Path) -> None:
    folder = "a;touch b"
    skill = needing(tmp_path / "skill")
    (skill / folder).mkdir()
    (skill / folder / "requirements.txt").write_text("six; os_name == 'x'\n")
    (skill / folder / "package.json").write_text('{"dependencies": {"a": "1"}}')
    (skill / "pyproject.toml").write_text("[project]\ndependencies = [\"six; os_name == 'x'\"]\n")
    commands = [
        shlex.split(declared.command)
        for declared in declared_packages(DiskTree(str(skill)), f"{folder}/go.py")
    ]
    assert commands == [
        ["pip", "install", "-r", f"{folder}/requirements.txt"],
        ["npm", "install", "--ignore-scripts", "--prefix", folder],
        ["pip", "install", 'six; os_name == "x"'],
    ]


MISSING = "Traceback\nModuleNotFoundError: No module named 'tinypkg'\n"


@pytest.mark.parametrize(
    ("script", "is_prepared", "hint"),
    [
        (INLINE_SCRIPT, False, "run it with --with-deps, which prepares an environment"),
        (INLINE_SCRIPT, True, "the environment has tinypkg, as declared, but no such module"),
        (
            SCRIPT,
            False,
            "if that is a package of the index, run it with --with tinypkg, which prep",
        ),
        (SCRIPT, True, "if that is a package of the index, run it with --with tinypkg, which prep"),
        (INLINE_SCRIPT.replace("tinypkg>=1", "six"), False, "or with --with tinypkg if that"),
        (INLINE_SCRIPT.replace("tinypkg>=1", "six"), True, "run it with --with tinypkg, which"),
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


def test_a_module_of_the_repository_is_none_to_install(tmp_path: Path) -> None:
    tree = DiskTree(str(needing(tmp_path / "skills/skill")))
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/tinypkg.py").touch()
    around = DiskTree(str(tmp_path))
    (problem,) = missing_packages(tree, "scripts/go.py", MISSING, "python3", around=around)
    assert "and shared/tinypkg.py of the repository is outside the skill" in problem.message
    assert f"run with --workspace {tmp_path}, or move" in problem.message
    assert "--with tinypkg" not in problem.message


def test_the_repository_of_the_skill_is_searched_for_a_module(tmp_path: Path, run: Run) -> None:
    script = "import tinypkg\n"
    skill = needing(tmp_path / "repository/skills/skill", script)
    (tmp_path / "repository/.git").mkdir()
    (tmp_path / "repository/tinypkg.py").touch()
    (tmp_path / "work").mkdir()
    options = ("--workspace", tmp_path / "work", "--isolation", "copy", "--yes")
    ran = run("run", skill, "scripts/go.py", *options)
    assert f"run with --workspace {tmp_path / 'repository'}, or move" in ran.out


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("yaml", "pyyaml"), ("cv2", "opencv-python"), ("PIL.Image", "pillow"),
        ("bs4", "beautifulsoup4"), ("sklearn", "scikit-learn"), ("dotenv", "python-dotenv"),
        ("docx", "python-docx"), ("fitz", "pymupdf"), ("some_thing.part", "some-thing"),
    ],
)  # fmt: skip
def test_a_missing_module_is_named_by_its_package(
    tmp_path: Path, module: str, package: str
) -> None:
    tree = DiskTree(str(needing(tmp_path / "skill")))
    stderr = f"ModuleNotFoundError: No module named '{module}'\n"
    (problem,) = missing_packages(tree, "scripts/go.py", stderr, "python3")
    assert f"run it with --with {package}, " in problem.message
    (tmp_path / "skill/requirements.txt").write_text(f"{package}==1.0\n")
    (problem,) = missing_packages(tree, "scripts/go.py", stderr, "python3")
    assert "run it with --with-deps, which prepares an environment (requ" in problem.message


@pytest.mark.parametrize(
    "text",
    ["./six", "six.whl", "-r x.txt", "--index-url=http://a.example", "six @ http://a.example/a.whl",
     "git+https://a.example/six", "six\n--pre", "$HOME", "~/six", ".", "six; --pre"],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["run", "plan"])
def test_only_names_and_versions_are_prepared(
    run: Run, tmp_path: Path, verb: str, text: str
) -> None:
    skill = needing(tmp_path / "skill")
    ran = run(verb, skill, "scripts/go.py", f"--with={text}")
    assert (ran.status, ran.out) == (2, "")
    assert "name packages only by name and version" in ran.err


@pytest.mark.slow
def test_packages_that_nothing_declares_are_prepared(
    run: Run, tmp_path: Path, wheels: Path
) -> None:
    add_wheel(wheels, "otherpkg")
    script = f"#!/usr/bin/env -S uv run --script\n{INLINE}import otherpkg\n{SCRIPT}"
    skill = needing(tmp_path / "skill", script)
    ran = run("run", skill, "scripts/go.py", "--with", "otherpkg>=1", "--with", "tinypkg")
    assert ran.status == 0, ran.out + ran.err
    assert "prepared in" in ran.err
    (name,) = environments(tmp_path)
    mark = tmp_path / "cache" / "skillstudio-environments" / name / "skillstudio.json"
    packages = {item["name"] for item in json.loads(mark.read_text())["installed"]}
    assert {"tinypkg", "otherpkg"} <= packages


def test_packages_are_for_python_only(run: Run, tmp_path: Path, wheels: Path) -> None:
    skill = needing(tmp_path / "skill")
    (skill / "go.sh").write_text("#!/bin/sh\necho a\n")
    (skill / "go.sh").chmod(0o755)
    ran = run("run", skill, "go.sh", "--with", "tinypkg")
    assert ran.status == 3
    assert "packages are prepared for python only; go.sh is started with" in ran.err
