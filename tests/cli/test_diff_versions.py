"""Where `diff` finds versions, what it says without one, and its report of a whole repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Ran, Run
from tests.repositories import Repo, needs_git

pytestmark = needs_git
SKILL = "---\nname: {0}\ndescription: {1}\n{2}---\nDo it.\n"
ABOUT = "Does a thing. Use it."
PLUGIN = '{{"name": "p", "version": "{}"}}'


def skill(name: str, about: str = ABOUT, more: str = "") -> str:
    return SKILL.format(name, about, more)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    ("old", "new", "versions", "declared"),
    [
        ("notes@1.2.0", "notes@1.3.0", ("1.2.0", "1.3.0"), "minor"),
        ("notes-v1.2.0", "notes-v1.2.1", ("1.2.0", "1.2.1"), "patch"),
        ("notes/v1.2.0", "notes/v1.2.1", ("1.2.0", "1.2.1"), "patch"),
        ("v1.2.0", "v2.0.0", ("1.2.0", "2.0.0"), "major"),
        ("1.2.0", "1.2.1", ("1.2.0", "1.2.1"), "patch"),
        ("v1.2.0", "other@2.0.0", ("1.2.0", None), "unknown"),
        ("start", "end", (None, None), "unknown"),
    ],
)
def test_a_tag_is_the_version_of_what_has_none(
    run: Run, repo: Repo, old: str, new: str, versions: tuple[str, str], declared: str
) -> None:
    repo.commit({"notes/SKILL.md": skill("notes")}, old)
    repo.commit({"notes/SKILL.md": skill("notes", "Other words. Use it.")}, new)
    (row,) = run("diff", f"{old}..{new}", "--format", "json").json["skills"]
    assert (row["old"]["version"], row["new"]["version"]) == versions
    assert row["bump"]["declared"] == declared
    single = run("diff", f"notes@{old}", f"notes@{new}", "--format", "json").json
    assert (single["old"]["version"], single["new"]["version"]) == versions


def test_the_manifest_counts_before_the_plugin_and_the_plugin_before_the_tag(
    run: Run, repo: Repo
) -> None:
    files: dict[str, str | None] = {
        "p/.claude-plugin/plugin.json": PLUGIN.format("2.0.0"),
        "p/skills/own/SKILL.md": skill("own", more='metadata:\n  version: "3.0.0"\n'),
        "p/skills/plain/SKILL.md": skill("plain"),
        "loose/SKILL.md": skill("loose"),
    }
    repo.commit(files, "v1.0.0")
    repo.commit({path: f"{text}More.\n" for path, text in files.items() if "SKILL" in path})
    rows = run("diff", "v1.0.0..HEAD", "--format", "json").json["skills"]
    found = {row["new"]["path"]: row["old"]["version"] for row in rows}
    assert found == {"loose": "1.0.0", "p/skills/own": "3.0.0", "p/skills/plain": "2.0.0"}


def test_after_a_tag_the_next_version_is_known(run: Run, repo: Repo) -> None:
    repo.commit({"notes/SKILL.md": skill("notes")}, "notes-v1.2.0")
    repo.commit({"notes/SKILL.md": skill("notes") + "More.\n"})
    ran = run("diff", "notes")
    assert "notes: notes@1.2.0 → notes (no version)\n" in ran.out
    assert "i needs a patch bump: 1.2.0 → 1.2.1" in ran.out
    assert "removed" not in ran.out
    assert run("bump", "notes").out == "1.2.1\n"


@pytest.mark.parametrize("old", ["", "version: today\n"])
def test_without_a_version_nothing_is_called_right(run: Run, repo: Repo, old: str) -> None:
    repo.commit({"notes/SKILL.md": skill("notes", more=old)}, "start")
    repo.commit({"notes/SKILL.md": skill("notes") + "More.\n"}, "end")
    ran = run("diff", "start..end")
    assert "✓" not in ran.out
    assert "no bump" not in ran.out
    (row,) = run("diff", "start..end", "--format", "json").json["skills"]
    if old:
        assert (row["bump"]["required"], row["bump"]["ok"]) == ("patch", False)
    else:
        assert ran.out.startswith("? required bump unknown: no version is declared; from 1.0.0 on")
        assert ran.out.splitlines()[1] == "notes: notes start → end"
        assert (row["bump"]["required"], row["bump"]["ok"]) == ("unknown", None)
        assert run("diff", "start..end", "--fail-on", "bump").status == 0


@pytest.mark.parametrize(
    ("gone", "to", "verdict", "status"),
    [
        (True, "1.2.0", "✗ needs a major bump: 1.2.0 → 2.0.0", 1),
        (True, "1.3.0", "✗ needs a major bump: 1.2.0 → 2.0.0; minor is too small", 1),
        (True, "2.0.0", "✓ major bump, as required", 0),
        (False, "1.2.0", "✗ needs a minor bump: 1.2.0 → 1.3.0", 1),
        (False, "1.3.0", "✓ minor bump, as required", 0),
    ],
)
def test_a_plugin_that_gains_or_loses_a_skill_needs_a_bump(
    run: Run, repo: Repo, gone: bool, to: str, verdict: str, status: int
) -> None:
    plugin = "p/.claude-plugin/plugin.json"
    few = {"p/skills/a/SKILL.md": skill("a")}
    many = {**few, "p/skills/b/SKILL.md": skill("b")}
    repo.commit({plugin: PLUGIN.format("1.2.0"), **(many if gone else few)}, "start")
    changed = {"p/skills/b/SKILL.md": None if gone else skill("b")}
    repo.commit({plugin: PLUGIN.format(to), **changed}, "end")
    ran = run("diff", "start..end", "--fail-on", "bump")
    assert ran.out.splitlines()[0] == f"{verdict} (version in {plugin})"
    assert ran.status == status


def test_the_report_of_a_repository(run: Run, repo: Repo) -> None:
    tools = "allowed-tools: Bash\n"
    plugin = "p/.claude-plugin/plugin.json"
    repo.commit(
        {
            plugin: PLUGIN.format("1.0.0"),
            "p/skills/a/SKILL.md": skill("a"),
            "p/skills/b/SKILL.md": skill("b"),
            "bare/SKILL.md": skill("bare"),
            "gone/SKILL.md": skill("gone"),
            "own/SKILL.md": skill("own", more='metadata:\n  version: "1.0.0"\n'),
        },
        "start",
    )
    repo.commit(
        {
            "p/skills/a/SKILL.md": skill("a", "Other words. Use it.", tools),
            "bare/SKILL.md": skill("bare") + "More.\n",
            "gone/SKILL.md": None,
            "new/SKILL.md": skill("new"),
            "own/SKILL.md": skill("own", more='metadata:\n  version: "1.0.1"\n'),
        },
        "end",
    )
    out = run("diff", "start..end", "--format", "markdown").out
    lines = out.splitlines()
    assert lines[2] == (
        "**Changes in 5 skills:** 1 needs a bump, 1 cannot be judged, 1 removed, 1 added; "
        "1 major, 2 minor, 1 patch, 1 for review"
    )
    legend = lines[4]
    assert legend.startswith("\\[review\\] a person should check the change")
    assert "\\[routing\\] agents choose the skill by this text" in legend
    start = lines.index("| skill | version | bump | changes |")
    assert lines[start + 2 : start + 7] == [
        f"| a | 1.0.0 | ✗ needs minor → 1.1.0 in {plugin} | 1 minor, 1 patch, 1 for review |",
        "| bare | – | ? unknown: no version is declared | no interface changes; files differ |",
        "| gone | – | removed | 1 major |",
        "| new | – | added | 1 minor |",
        "| own | 1.0.0 → 1.0.1 | ✓ patch | no interface changes; files differ |",
    ]
    titles = [line for line in lines if line.startswith("### ")]
    assert titles == [
        "### gone: removed in gone@⁠end",
        "### a: p/skills/a start (1.0.0) → end (1.0.0)",
    ]
    assert out.count("fingerprint") == 1, "only a major change is waived"
    assert "source" not in out
    assert 'allowed-tools-added:** the skill may now use "Bash"' in out
    assert "SKILL.md:4" in out


def test_one_skill_has_no_overview(run: Run, repo: Repo) -> None:
    repo.commit({"notes/SKILL.md": skill("notes")}, "notes@1.0.0")
    repo.commit({"notes/SKILL.md": skill("notes") + "More.\n"}, "notes@1.0.1")
    out = run("diff", "notes@1.0.0", "notes@1.0.1", "--format", "markdown").out
    assert "| skill |" not in out
    assert "### notes: notes 1.0.0 → 1.0.1" in out.replace("notes@⁠", "")


OWN = 'metadata:\n  version: "1.0.0"\n'
UNRELEASED = "? required bump unknown: no release found; HEAD has the same files"
UNSHALLOW = "git fetch --unshallow --tags, or set fetch-depth: 0 for actions/checkout"


def test_without_a_release_the_bump_is_unknown(run: Run, repo: Repo) -> None:
    repo.commit({"notes/SKILL.md": skill("notes", more=OWN)})
    repo.commit({"notes/SKILL.md": skill("notes", more=OWN) + "More.\n"})
    ran = run("diff", "notes")
    assert ran.out.splitlines()[0] == UNRELEASED
    assert "skillstudio diff BASE..HEAD, or skillstudio bump --against BASE" in ran.out
    assert "✓" not in ran.out
    assert (ran.status, run("diff", "notes", "--fail-on", "bump").status) == (0, 1)
    row = run("diff", "notes", "--format", "json").json
    assert (row["bump"]["required"], row["bump"]["ok"]) == ("unknown", None)
    assert row["no_release"] == "no release found"
    ran = run("bump", "notes")
    assert "notes since notes@HEAD: ? required bump unknown: no release found" in ran.err
    assert run("diff", "notes@HEAD~1", "notes", "--format", "json").json["no_release"] is None


def test_uncommitted_changes_need_a_bump_without_a_release_too(run: Run, repo: Repo) -> None:
    repo.commit({"notes/SKILL.md": skill("notes", more=OWN)})
    repo.write({"notes/SKILL.md": skill("notes", more=OWN) + "More.\n"})
    ran = run("diff", "notes", "--fail-on", "bump")
    assert (ran.status, ran.out.splitlines()[0][:36]) == (1, "✗ needs a patch bump: 1.0.0 → 1.0.1 ")
    assert "no release found, so notes was compared with HEAD" in ran.out


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("diff", "notes"), "out"),
        (("diff", "HEAD~1..HEAD"), "err"),
        (("diff", "notes@1.0.0", "notes"), "err"),
        (("bump", "notes", "--against", "HEAD~1"), "err"),
        (("check", ".", "--changed-since", "main~1"), "err"),
    ],
)
def test_a_shallow_clone_is_named(
    run: Run, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...], place: str,
) -> None:  # fmt: skip
    repo.commit({"notes/SKILL.md": skill("notes")}, "notes-v1.0.0")
    repo.commit({"notes/SKILL.md": skill("notes") + "More.\n"})
    url = repo.root.as_uri()
    repo.git("clone", "-q", "--depth", "1", url, str(tmp_path / "shallow"))
    monkeypatch.chdir(tmp_path / "shallow")
    assert UNSHALLOW in getattr(run(*words), place)


@pytest.mark.parametrize(
    ("tags", "label"),
    [
        (["v0.1.0"], "p/skills/notes@v0.1.0"),
        (["v0.1.0", "p--v1.0.0"], "p/skills/notes@p--v1.0.0"),
        (["p--v1.0.0", "v0.1.0"], "p/skills/notes@p--v1.0.0"),
        (["p@1.0.0"], "p/skills/notes@p@1.0.0"),
        (["notes@1.2.0", "p--v1.3.0"], "p/skills/notes@1.2.0"),
        (["notes--v1.2.0"], "p/skills/notes@1.2.0"),
        (["p/skills/notes/v2.0.0", "notes@1.2.0"], "p/skills/notes@2.0.0"),
        (["other--v1.0.0", "p-v1", "notes-x-v1.0.0"], "p/skills/notes@HEAD"),
    ],
)
def test_the_most_specific_tag_is_the_last_release(
    run: Run, repo: Repo, tags: list[str], label: str
) -> None:
    path = "p/skills/notes/SKILL.md"
    repo.commit({"p/.claude-plugin/plugin.json": '{"name": "p"}', path: skill("notes")})
    for number, tag in enumerate(tags):
        repo.commit({path: skill("notes") + f"{number}\n"}, tag)
    repo.commit({path: skill("notes") + "More.\n"})
    value = run("diff", "p/skills/notes", "--format", "json").json
    assert run("diff", "p/skills/notes").out.splitlines()[1].startswith(f"notes: {label} ")
    assert (value["no_release"] is None) == (not label.endswith("HEAD"))


def test_a_tag_of_a_plugin_is_a_release_of_its_skills(run: Run, repo: Repo) -> None:
    plugin, own = "p/.claude-plugin/plugin.json", "p/skills/own/SKILL.md"
    files: dict[str, str | None] = {
        plugin: PLUGIN.format("1.0.0"),
        own: skill("own", more='metadata:\n  version: "3.0.0"\n'),
        "p/skills/plain/SKILL.md": skill("plain"),
        "elsewhere/SKILL.md": skill("elsewhere"),
    }
    repo.commit(files, "p--v1.0.0")
    more = {path: f"{text}More.\n" for path, text in files.items() if path != plugin}
    repo.commit({**more, plugin: PLUGIN.format("1.0.1")})
    assert run("diff", "p/skills/plain").out.startswith("✓ patch bump, as required")
    ran = run("diff", "p/skills/own")
    assert ran.out.startswith("✓ patch bump, as required")
    assert "differs from its tag" not in ran.out
    assert run("diff", "plain@1.0.0", "plain").out.splitlines()[1].startswith("plain: p/skills/")
    assert run("diff", "elsewhere").out.startswith("? required bump unknown: no release found")


@pytest.fixture
def superproject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose submodule moved by a commit that changes a skill."""
    inner, outer = Repo(tmp_path / "inner"), Repo(tmp_path / "outer")
    inner.commit({"skills/notes/SKILL.md": skill("notes", more=OWN)})
    adding = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    outer.git(*adding, str(inner.root), "vendor/lib")
    outer.commit({})
    moved = Repo(outer.root / "vendor/lib")
    moved.commit({"skills/notes/SKILL.md": skill("notes", more=OWN) + "More.\n"})
    outer.commit({})
    monkeypatch.chdir(outer.root)
    return outer


def test_the_skills_of_a_moved_submodule_are_compared(run: Run, superproject: Repo) -> None:
    ran = run("diff", "HEAD~1..HEAD")
    assert ran.out.splitlines()[:2] == [
        "✗ needs a patch bump: 1.0.0 → 1.0.1 (files changed, the interface did not)",
        "notes: vendor/lib/skills/notes HEAD~1 (1.0.0) → HEAD (1.0.0)",
    ]
    (row,) = run("diff", "HEAD~1..HEAD", "vendor", "--format", "json").json["skills"]
    assert row["new"]["path"] == "vendor/lib/skills/notes"
    superproject.git("rm", "-q", "-f", "--cached", "vendor/lib")
    superproject.git("commit", "-q", "-m", "removed")
    assert (
        run("diff", "HEAD~1..HEAD").out.splitlines()[1]
        == "notes: removed in vendor/lib/skills/notes@HEAD"
    )


def test_a_submodule_that_is_not_checked_out_is_named(
    run: Run, superproject: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    superproject.git("clone", "-q", str(superproject.root), str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    command = "git submodule update --init vendor/lib"
    out = run("diff", "HEAD~1..HEAD").out
    assert "note: the submodule vendor/lib changed (" in out
    assert command in out
    for path in (".", "vendor/lib"):
        assert (
            f"the submodule vendor/lib is not checked out, nor are its skills; run {command}"
            in (run("check", path).err)
        )


def test_the_skills_of_a_submodule_with_another_staged_commit_are_compared(
    run: Run, superproject: Repo
) -> None:
    superproject.git("reset", "-q", "--soft", "HEAD~1")
    for words in ((), ("vendor",)):
        assert run("diff", "--staged", *words).out.splitlines()[:2] == [
            "✗ needs a patch bump: 1.0.0 → 1.0.1 (files changed, the interface did not)",
            "notes: vendor/lib/skills/notes HEAD (1.0.0) → index (1.0.0)",
        ]
    superproject.git("submodule", "deinit", "-q", "-f", "vendor/lib")
    out = run("diff", "--staged").out
    assert "note: the submodule vendor/lib changed (" in out
    assert "git submodule update --init vendor/lib" in out
    superproject.git("reset", "-q", "vendor/lib")
    assert run("diff", "--staged").out == "no skill changed\n"


def changed(ran: Ran) -> list[str]:
    return sorted(skill["path"].removeprefix("./") for skill in ran.json["skills"])


def test_check_sees_the_skills_of_a_moved_submodule(
    run: Run, superproject: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Repo(superproject.root / "vendor/lib")
    notes, other = "vendor/lib/skills/notes", "vendor/lib/skills/other"
    superproject.write({"own/SKILL.md": skill("own")})
    inner.commit({"skills/other/SKILL.md": skill("other")})
    superproject.commit({})
    check = ("check", ".", "--format", "json", "--changed-since")
    assert changed(run(*check, "HEAD")) == []
    assert changed(run(*check, "HEAD~1")) == ["own", other]
    assert changed(run(*check, "HEAD~2")) == ["own", notes, other]
    inner.git("switch", "-q", "--detach", "HEAD~1")  # Moved, and not committed outside.
    inner.write({"skills/notes/new.md": "new"})
    assert changed(run(*check, "HEAD")) == [notes]
    monkeypatch.chdir(inner.root)
    assert changed(run(*check, "HEAD")) == ["skills/notes"]


def test_skills_of_a_submodule_whose_earlier_commit_is_absent_count_as_changed(
    run: Run, superproject: Repo, tmp_path: Path
) -> None:
    inner = Repo(superproject.root / "vendor/lib")
    inner.commit({"skills/other/SKILL.md": skill("other")})
    superproject.git("update-index", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    superproject.git("commit", "-q", "-m", "elsewhere")
    ran = run("check", ".", "--format", "json", "--changed-since", "HEAD")
    assert changed(ran) == ["vendor/lib/skills/notes", "vendor/lib/skills/other"]
    assert (
        "the submodule vendor/lib does not contain 111111111111, its commit at HEAD, so all of its "
        "skills count as changed; run git fetch in it"
    ) in ran.err


def test_several_submodules_that_are_not_checked_out_are_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a", "b", "c", "d", "e")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitmodules").write_text(
        "".join(f'[submodule "{name}"]\n\tpath = {name}\n\turl = ../{name}\n' for name in names)
    )
    for name in names:
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    assert (
        "the submodules a, b, c and 2 more are not checked out, nor are their skills; run git "
        "submodule update --init\n"
    ) in run("check", ".").err
