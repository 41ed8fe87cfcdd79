"""A patch makes in git's hands the same tree that `apply` makes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.dryrun.applying.ground import AFTER, BEFORE, Tree, changes, make, seen
from tests.repositories import IDENTITY, needs_git

from skillstudio.dryrun.applying.apply import apply
from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.applying.patch import PatchRefused, header, patches, quote_path


def one_patch(wanted: list[ApplyChange]) -> bytes:
    """The patch of changes below one root; b"" where git knows of none."""
    found = patches(wanted).patches
    assert len(found) <= 1
    return found[0].data if found else b""


class Pair:
    """Two work trees of one repository, each with an index of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "--bare", str(folder / "git"))

    def git(self, *arguments: str, tree: str = "", data: bytes = b"") -> str:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        if tree:
            own["GIT_DIR"] = str(self.folder / "git")
            own["GIT_WORK_TREE"] = str(self.folder / tree)
            own["GIT_INDEX_FILE"] = str(self.folder / f"{tree}.index")
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "core.bare=false", *arguments],
            cwd=self.folder / tree,
            input=data,
            capture_output=True,
            env={**os.environ, **IDENTITY, **own},
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace") + repr(data)
        return done.stdout.decode().strip()

    def tree_of(self, name: str) -> str:
        self.git("add", "-A", tree=name)
        return self.git("write-tree", tree=name)

    def check(self, before: Tree, after: Tree) -> bytes:
        """Both ways come to one tree, and the patch taken back to the first; the patch."""
        for name in ("real", "clone", "copy"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        real = make(self.folder / "real", before)
        make(self.folder / "clone", before)
        copy = make(self.folder / "copy", after)
        wanted = changes(real, copy)
        made = one_patch(wanted)
        first = self.tree_of("clone")
        apply(wanted)
        if made:
            self.git("apply", tree="clone", data=made)
        wanted_tree = self.tree_of("real")
        assert self.tree_of("clone") == wanted_tree
        kept = {path: state for path, state in seen(copy).items() if state[0] != "folder"}
        assert {path: s for path, s in seen(real).items() if s[0] != "folder"} == kept
        if made:
            self.git("apply", "-R", tree="clone", data=made)
        assert self.tree_of("clone") == first
        return made


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return Pair(tmp_path_factory.mktemp("pair"))


LINES = b"".join(b"line %d\n" % n for n in range(40))
CASES: dict[str, tuple[Tree, Tree]] = {
    "every kind of change": (BEFORE, AFTER),
    "nothing": ({"a": b"a"}, {"a": b"a"}),
    "an empty file comes and one goes": ({"a": b""}, {"b": b""}),
    "mode alone": ({"a": b"x\n"}, {"a": (b"x\n", 0o755)}),
    "mode of an empty file alone": ({"a b": b""}, {"a b": (b"", 0o755)}),
    "mode and text": ({"a": b"x\n"}, {"a": (b"y\n", 0o755)}),
    "mode and bytes": ({"a": b"\0x"}, {"a": (b"\0y", 0o755)}),
    "no newline at the end, then one": ({"a": b"x"}, {"a": b"x\n"}),
    "a newline at the end, then none": ({"a": b"x\ny\n"}, {"a": b"x\ny"}),
    "no newline on both sides": ({"a": b"x\ny"}, {"a": b"z\ny"}),
    "CRLF becomes LF": ({"a": b"x\r\ny\r\n"}, {"a": b"x\ny\n"}),
    "CR alone ends no line": ({"a": b"x\ry"}, {"a": b"x\rz"}),
    "empty, then filled": ({"a": b""}, {"a": b"x\n"}),
    "filled, then empty": ({"a": b"x\n"}, {"a": b""}),
    "binary": ({"a": bytes(range(256)) * 9}, {"a": os.urandom(3000) + b"\0"}),
    "binary, empty before": ({"a": b""}, {"a": b"\0"}),
    "text becomes binary": ({"a": b"x\n"}, {"a": b"x\0\n"}),
    "no UTF-8": ({"a": b"\xff\xfe\n"}, {"a": b"\xfe\xff\nx"}),
    "two far places": ({"a": LINES}, {"a": LINES.replace(b"4\n", b"4!\n", 1) + b"end\n"}),
    "a block moves": ({"a": LINES}, {"a": LINES[100:] + LINES[:100]}),
    "lines that look like a patch": ({"a": b"--- a\n+++ b\n@@\n"}, {"a": b"-- x\n++ y\n\\ z\n"}),
    "a link leads elsewhere": ({"a": "b", "b": b"x"}, {"a": "c", "b": b"x"}),
    "names": (
        {"a b": b"1", 'q"q': b"1", "t\tt": b"1", "n\nn": b"1", "é": b"1"},
        {"a b": b"2", 'q"q': b"2", "t\tt": b"2", "b\\b": b"2", "-d": b"2", "x/\udcff \x01": b"2"},
    ),
    "an end in a space": ({"a ": b"1\n", "b /c": b"\0"}, {"a ": b"2\n", "b /c": b"\0\0"}),
}


@needs_git
@pytest.mark.parametrize("case", CASES)
def test_git_takes_the_patch(pair: Pair, case: str) -> None:
    made = pair.check(*CASES[case])
    assert bool(made) == (case != "nothing")


names = st.sampled_from(
    ["a", "b", "c d", 'e"', "f\n", "é", "\udcfe", "g\\", "h\t ", "i ", " ", "b "]
)
contents = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from([b"", b"x", b"y\r", b"\xff", b"-z"]), max_size=30).map(b"\n".join),
)
files: st.SearchStrategy[Any] = st.one_of(
    contents,
    st.tuples(contents, st.just(0o755)),
    st.sampled_from(["a", "nowhere"]),
)
trees: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(names, files, max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(files, inner), max_size=4),
    max_leaves=6,
)


def flat(tree: dict[str, Any], above: str = "") -> Tree:
    found: Tree = {}
    for name, what in tree.items():
        if isinstance(what, dict):
            found.update(flat(what, f"{above}{name}/"))
        elif not (isinstance(what, str) and (above or name == what)):
            # Git does not get past a link that leads to itself.
            found[above + name] = what
    return found


@pytest.mark.slow
@needs_git
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(before=trees, after=trees)
def test_git_makes_the_same_tree(pair: Pair, before: Any, after: Any) -> None:
    pair.check(flat(before), flat(after))


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (b"a/plain.txt", b"a/plain.txt"),
        (b"a/b c", b'"a/b c"'),
        (b"a/\xc3\xa9", b'"a/\\303\\251"'),
        (b'a/"\\', b'"a/\\"\\\\"'),
        (b"a/\n\t\x01\x7f", b'"a/\\n\\t\\001\\177"'),
    ],
)
def test_names_are_quoted_as_git_reads_them(path: bytes, written: bytes) -> None:
    assert quote_path(path) == written


def test_a_text_differs_by_lines(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"a b.txt": LINES})
    copy = make(tmp_path / "copy", {"a b.txt": LINES.replace(b"line 20\n", b"line twenty\n")})
    assert one_patch(changes(real, copy)).splitlines()[2:] == [
        b'--- "a/a b.txt"',
        b'+++ "b/a b.txt"',
        b"@@ -18,7 +18,7 @@",
        b" line 17",
        b" line 18",
        b" line 19",
        b"-line 20",
        b"+line twenty",
        b" line 21",
        b" line 22",
        b" line 23",
    ]


def test_a_skill_in_the_workspace_is_told_from_there(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"w": b"1\n", "skills/s/f": b"1\n"})
    copy = make(tmp_path / "copy", {"w": b"2\n", "skills/s/f": b"2\n"})
    found = [
        each._replace(root="skill", folder=str(real / "skills/s"), path="f")
        if each.path == "skills/s/f"
        else each
        for each in changes(real, copy)
    ]
    made = one_patch(found)
    assert b"+++ b/skills/s/f\n" in made
    assert b"+++ b/w\n" in made


LAYOUTS: dict[str, tuple[list[str], str, str, dict[str, list[str]]]] = {
    # repositories; the workspace and the skill of a run; what each patch has, by its root
    "a skill in a folder of a repository": (
        ["repo"], "repo", "repo/skills/g",
        {"repo": ["work.txt", "skills/g/config.yml", "skills/g/new/deep.txt"]},
    ),
    "a workspace that is a folder of a repository": (
        ["repo"], "repo/sub", "repo/skills/g",
        {"repo": ["sub/work.txt", "skills/g/config.yml", "skills/g/new/deep.txt"]},
    ),
    "a skill that is a repository": (
        ["g"], "g", "g", {"g": ["work.txt", "config.yml", "new/deep.txt"]},
    ),
    "two repositories": (
        ["repo", "lib"], "repo", "lib/g",
        {"repo": ["work.txt"], "lib": ["g/config.yml", "g/new/deep.txt"]},
    ),
    "a repository in a repository": (
        ["repo", "repo/vendor/g"], "repo", "repo/vendor/g",
        {"repo": ["work.txt"], "repo/vendor/g": ["config.yml", "new/deep.txt"]},
    ),
    "a workspace in no repository": (
        ["lib"], "plain", "lib/g",
        {"plain": ["work.txt"], "lib": ["g/config.yml", "g/new/deep.txt"]},
    ),
    "no repository": (
        [], "plain", "plain/g", {"plain": ["work.txt", "g/config.yml", "g/new/deep.txt"]},
    ),
    "two folders in no repository": (
        [], "plain", "other", {"plain": ["work.txt"], "other": ["config.yml", "new/deep.txt"]},
    ),
}  # fmt: skip
OLD, NEW = b"mode: old\nlast\n", b"mode: new\nlast\n"


def laid_out(base: Path, name: str) -> list[ApplyChange]:
    """The changes of a run that wrote to its workspace and its skill, with namesakes around."""
    repositories, workspace, skill, _ = LAYOUTS[name]
    found: list[ApplyChange] = []
    for each in ("repo", "lib", "plain", workspace, skill):
        for file in ("config.yml", "work.txt"):
            (base / each).mkdir(parents=True, exist_ok=True)
            (base / each / file).write_bytes(OLD)
    for each in repositories:
        subprocess.run(["git", "init", "-q", base / each], check=True)
    for root, folder, before, after in (
        ("workspace", workspace, {"work.txt": OLD}, {"work.txt": NEW}),
        ("skill", skill, {"config.yml": OLD}, {"config.yml": NEW, "new/deep.txt": b"made\n"}),
    ):
        there = make(base.parent / f"{base.name}-{root}-before", dict(before))
        copy = make(base.parent / f"{base.name}-{root}-after", dict(after))
        found += [
            each._replace(root=root, folder=str(base / folder)) for each in changes(there, copy)
        ]
    return found


def contents(base: Path) -> dict[str, bytes]:
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


@needs_git
@pytest.mark.parametrize("changed", ["both", "skill", "workspace"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_git_apply_at_the_root_that_is_named_changes_the_right_files(
    tmp_path: Path, name: str, changed: str
) -> None:
    base = tmp_path.resolve() / "base"
    found = patches(
        [each for each in laid_out(base, name) if changed in ("both", each.root)]
    ).patches
    expected = LAYOUTS[name][3]
    if changed == "both":
        assert {each.root: each.is_repository for each in found} == {
            str(base / root): root in LAYOUTS[name][0] for root in expected
        }
    wanted = contents(base)
    for each in found:
        head = header(each, "RUN", "g", str(tmp_path)).decode()
        kind = "root of the git repository" if each.is_repository else "folder"
        assert f"the {kind} ~/{os.path.relpath(each.root, tmp_path)}: run git apply there" in head
        file = tmp_path / "one.patch"
        file.write_bytes(head.encode() + each.data)
        subprocess.run(["git", "apply", "--check", file], cwd=each.root, check=True)
        subprocess.run(["git", "apply", file], cwd=each.root, check=True)
    for root, paths in expected.items():
        for path in paths:
            if changed == ("skill" if path.endswith("work.txt") else "workspace"):
                continue
            wanted[f"{root}/{path}"] = b"made\n" if path.endswith("deep.txt") else NEW
    assert contents(base) == wanted


def test_a_header_cannot_be_forged_by_a_name(tmp_path: Path) -> None:
    real = make(tmp_path / "re\nal", {"f": b"1\n"})
    [one] = patches(changes(real, make(tmp_path / "copy", {"f": b"2\n"}))).patches
    made = header(one, "RUN", "tea\n--- a/x\n+++ b/x", "")
    assert all(line.startswith(b"# ") for line in made.splitlines())
    assert len(made.splitlines()) == 2


KEY = b"key: hunter2\n"
FAR = b"".join(b"line %d\n" % n for n in range(9))
SENSITIVE: dict[str, tuple[Tree, Tree, str]] = {
    "it comes": ({"f": b"1\n"}, {"f": KEY}, "f holds"),
    "it goes": ({"f": KEY}, {"f": b"1\n"}, "f holds"),
    "a file with it is removed": ({"f": KEY}, {}, "f holds"),
    "it stands beside a change": ({"f": KEY + b"1\n"}, {"f": KEY + b"2\n"}, "f holds"),
    "over two lines of a file": ({"f": b"1\n"}, {"f": b"hun\nter2\n"}, "f holds"),
    "in a binary file": ({"f": b"\0"}, {"f": b"\0" * 9 + KEY}, "f holds"),
    "in a name": ({}, {"hunter2": b"1\n"}, "a path contains"),
    "in where a link leads": ({}, {"l": "to/hunter2"}, "l holds"),
    "far from the change": ({"f": KEY + FAR + b"1\n"}, {"f": KEY + FAR + b"2\n"}, ""),
    "the mode alone": ({"f": KEY}, {"f": (KEY, 0o755)}, ""),
}


@pytest.mark.parametrize("case", SENSITIVE)
def test_what_shows_a_sensitive_value_is_refused_or_left_out(tmp_path: Path, case: str) -> None:
    before, after, told = SENSITIVE[case]
    real = make(tmp_path / "real", {**before, "fine": b"1\n"})
    found = changes(real, make(tmp_path / "copy", {**after, "fine": b"2\n"}))

    def why(data: bytes) -> str:
        return "holds it" if b"hunter2" in data.replace(b"\n", b"") else ""

    if told:
        with pytest.raises(PatchRefused, match=rf"{told}.*--skip-sensitive") as refused:
            patches(found, why)
        assert "hunter2" not in str(refused.value)
    made = patches(found, why, skips_sensitive=True)
    assert b"hunter2" not in made.patches[0].data
    assert b"+++ b/fine\n" in made.patches[0].data
    assert len(made.exclusions) == bool(told)


def test_what_changed_since_makes_no_patch(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"f": b"1\n"})
    found = changes(real, make(tmp_path / "copy", {"f": b"2\n"}))
    (real / "f").write_bytes(b"3\n")
    with pytest.raises(PatchRefused, match="f has changed since the run began"):
        patches(found)


def test_what_is_not_kept_makes_no_patch(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"f": b"1\n"})
    [one] = changes(real, make(tmp_path / "copy", {"f": b"2\n"}))
    with pytest.raises(PatchRefused, match="f is not recorded as the run left it"):
        patches([one._replace(source=str(tmp_path / "gone"))])


def test_a_file_of_2_gib_makes_no_patch(tmp_path: Path) -> None:
    real = make(tmp_path / "real", {"f": b"1\n"})
    [one] = changes(real, make(tmp_path / "copy", {"f": b"2\n"}))
    assert one.after is not None
    with pytest.raises(PatchRefused, match="exceed 256 MiB"):
        patches([one._replace(after=one.after._replace(size=2 << 30))])
