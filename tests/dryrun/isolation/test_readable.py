"""What a program can read: the system, and the tools on PATH wherever they are."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from skillstudio.dryrun.isolation.host import Host, this_host
from skillstudio.dryrun.isolation.known_gaps import known_gaps
from skillstudio.dryrun.isolation.readable import readable

if sys.platform != "linux":
    pytest.skip(
        "no isolation level that contains reading is on this system", allow_module_level=True
    )

LAYOUTS: list[tuple[str, list[str], list[str], list[str]]] = [
    # what it is, the files of a home (`a -> b` a link, `a+` a program), PATH, what is granted
    ("cargo", [".cargo/bin/cargo+", ".cargo/credentials.toml", ".cargo/registry/x"], [".cargo/bin"],
     [".cargo/bin"]),
    ("pyenv", [".pyenv/shims/python3+", ".pyenv/versions/3.12.1/bin/python3.12+",
               ".pyenv/libexec/pyenv+"], [".pyenv/shims"], [".pyenv"]),
    ("nvm", [".nvm/versions/node/v20/bin/node+", ".nvm/versions/node/v20/lib/node_modules/x",
             ".nvm/alias/default"], [".nvm/versions/node/v20/bin"],
     [".nvm/versions/node/v20/bin", ".nvm/versions/node/v20/lib"]),
    ("asdf", [".asdf/shims/ruby+", ".asdf/installs/ruby/3/bin/ruby+"], [".asdf/shims"], [".asdf"]),
    ("a virtual environment", ["proj/.venv/bin/python -> py/bin/python3", "proj/.venv/pyvenv.cfg",
                               "py/bin/python3+", "py/lib/os.py", "py/notes", "proj/secret"],
     ["proj/.venv/bin"], ["proj/.venv", "py/bin", "py/lib"]),
    ("uv", [".local/bin/ruff -> .local/share/uv/tools/ruff/bin/ruff",
            ".local/share/uv/tools/ruff/bin/ruff+", ".local/share/uv/tools/ruff/pyvenv.cfg",
            ".local/share/keyrings/login.keyring", ".local/lib/python3/site-packages/x"],
     [".local/bin"], [".local/bin", ".local/lib", ".local/share/uv/tools/ruff"]),
    ("a script of pip", [".local/bin/black+ =tools/black/bin/python", "tools/black/bin/python+",
                         "tools/black/lib/x"], [".local/bin"],
     [".local/bin", "tools/black/bin", "tools/black/lib"]),
    ("own scripts", ["bin/mine+", "lib/private", "share/private"], ["bin"], ["bin"]),
    ("a link to a program of a project", ["bin/mine -> src/mine/run.py", "src/mine/run.py+",
                                          "src/mine/.env"], ["bin"], ["bin", "src/mine/run.py"]),
    ("a link to what is no program", ["bin/key -> .ssh/id", ".ssh/id"], ["bin"], ["bin"]),
    ("node_modules", ["proj/node_modules/.bin/tsc+", "proj/.env"], ["proj/node_modules/.bin"],
     ["proj/node_modules"]),
    ("a JDK", [".sdkman/candidates/java/21/bin/java+", ".sdkman/candidates/java/21/conf/x",
               ".sdkman/candidates/java/21/release"], [".sdkman/candidates/java/21/bin"],
     [".sdkman/candidates/java/21/bin", ".sdkman/candidates/java/21/conf",
      ".sdkman/candidates/java/21/release"]),
    ("home itself", ["tool+"], ["."], []),
    ("what holds home", ["tool+"], [".."], []),
    ("a folder that is not there", [], ["none/bin"], []),
    ("a folder by a link", ["current -> apps/one", "apps/one/bin/tool+", "apps/one/lib/x"],
     ["current/bin"], ["apps/one/bin", "apps/one/lib", "current/bin", "current/lib"]),
]  # fmt: skip

PIPES = "The program can write to named pipes"


def make(home: Path, layout: list[str]) -> None:
    for each in layout:
        name, _, target = each.partition(" -> ")
        name, _, interpreter = name.partition(" =")
        path = home / name.rstrip("+")
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(home / target)
            continue
        path.write_text(f"#!{home / interpreter}\n" if interpreter else "s3cret\n")
        if name.endswith("+"):
            path.chmod(0o755)


def host_of(home: Path, path: list[str], **more: str) -> Host:
    # Below /var/tmp, so that no folder is one of the interpreter that runs this.
    folders = os.pathsep.join(str(home / each) for each in path)
    return this_host()._replace(
        home=str(home), path=folders, python="/usr/bin/python3", own_folders=(), **more
    )


@pytest.mark.parametrize(
    ("what", "layout", "path", "granted"), LAYOUTS, ids=[row[0] for row in LAYOUTS]
)
def test_what_belongs_to_the_tools_on_path_is_granted(
    tmp_path: Path, what: str, layout: list[str], path: list[str], granted: list[str]
) -> None:
    make(tmp_path, layout)
    found = readable(host_of(tmp_path, path))
    assert sorted(os.path.relpath(each, tmp_path) for each in found.tools) == sorted(granted)


@pytest.mark.parametrize("home", ["", "/", "~", "/no-such-home"])
def test_without_a_home_the_system_can_be_read(home: str) -> None:
    found = readable(host_of(Path("/"), [])._replace(home=home))
    assert found.shows("/usr/bin")
    assert not found.shows("/var/tmp")
    assert not found.home


def test_a_link_to_home_is_home(tmp_path: Path) -> None:
    make(tmp_path / "real", ["bin/tool+", "notes"])
    (tmp_path / "home").symlink_to("real")
    found = readable(host_of(tmp_path / "home", ["bin"]))
    assert not found.shows(str(tmp_path / "home" / "notes"))
    assert not found.shows(str(tmp_path / "real" / "notes"))
    assert found.shows(str(tmp_path / "home" / "bin" / "tool"))
    names = [str(tmp_path / each / "bin") for each in ("home", "real")]
    assert sorted(found.tools) == names


def test_state_is_hidden_inside_a_tool(tmp_path: Path) -> None:
    make(tmp_path, ["tool/bin/tool+", "tool/lib/state/trace.key", "tool/lib/code"])
    own = (str(tmp_path / "tool" / "lib" / "state"),)
    found = readable(host_of(tmp_path, ["tool/bin"])._replace(own_folders=own))
    assert found.shows(str(tmp_path / "tool" / "lib" / "code"))
    assert not found.shows(str(tmp_path / "tool" / "lib" / "state" / "trace.key"))
    allowed = [each for each in found.collect_paths() if each.startswith(str(tmp_path))]
    assert [os.path.relpath(each, tmp_path) for each in allowed] == ["tool/bin", "tool/lib/code"]


@pytest.mark.parametrize("isolation", ["confined", "isolated"])
def test_what_can_be_read_is_a_known_gap(tmp_path: Path, isolation: str) -> None:
    make(tmp_path, [".cargo/bin/cargo+"])
    said = known_gaps(isolation, host_of(tmp_path, [".cargo/bin"]), is_traced=True)
    [system] = [each for each in said if "/etc" in each]
    assert all(each in system for each in ("/usr", "/etc"))
    assert [each for each in said if "~/.cargo/bin" in each]
    without = known_gaps(isolation, host_of(tmp_path, []), is_traced=True)
    assert not [each for each in without if "tools on PATH" in each]


@pytest.mark.parametrize(
    ("isolation", "abi", "traced", "gaps"),
    [
        ("copy", 6, True, ["The program can reach the tracer"]),
        ("copy", 6, False, []),
        ("confined", 1, True, []),
        ("isolated", 6, True, []),
        ("isolated", 0, True, ["The program can reach the tracer", PIPES]),
        ("isolated", 0, False, [PIPES]),
    ],
)
def test_pipes_and_the_tracer_are_gaps_without_landlock(
    tmp_path: Path, isolation: str, abi: int, traced: bool, gaps: list[str]
) -> None:
    said = known_gaps(isolation, host_of(tmp_path, [])._replace(landlock=abi), traced)
    starts = ("The program can reach the tracer", PIPES)
    found = sorted(start for each in said for start in starts if each.startswith(start))
    assert found == sorted(gaps)


@pytest.mark.parametrize(("isolation", "is_gap"), [("isolated", True), ("confined", False)])
def test_pipes_among_tools_below_tmp_are_a_gap(
    tmp_path: Path, isolation: str, is_gap: bool
) -> None:
    """Landlock grants writing to all that is below a folder: `/tmp` is the run's own there."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        make(Path(folder), ["tools/bin/tool+"])
        host = host_of(tmp_path, [f"{folder}/tools/bin"])
        said = [
            each for each in known_gaps(isolation, host, is_traced=True) if "named pipes in" in each
        ]
        assert [f"{folder}/tools/bin" in each for each in said] == [True] * is_gap
