"""`skillstudio bump` and `skillstudio waive`: what they print, write and refuse."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain

from .conftest import Run

pytestmark = needs_git
WIDER, TIGHTER = "^[a-z]*$", "^[a-f]+$"


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = Repo(tmp_path_factory.mktemp("bump") / "repo")
    made.commit({"one/SKILL.md": plain("one"), "other.txt": "x"}, "one@1.0.0")
    return made


@pytest.fixture
def repo(committed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = committed.copied(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (plain("one"), "1.0.0"),
        (plain("one") + "More.\n", "1.0.1"),
        (plain("one", pattern=WIDER), "1.1.0"),
        (plain("one", pattern=TIGHTER), "2.0.0"),
        (plain("one", "1.0.5", WIDER), "1.1.0"),
        (plain("one", "1.4.0", WIDER), "1.4.0"),
        (plain("one", "0.9.0"), "1.0.1"),
    ],
)
def test_it_prints_the_version_asked_for(run: Run, repo: Repo, text: str, version: str) -> None:
    repo.write({"one/SKILL.md": text})
    ran = run("bump", "one")
    assert (ran.status, ran.out) == (0, f"{version}\n")
    value = run("bump", "one", "--format", "json").json
    assert list(value) == ["path", "version", "bump", "no_release"]
    assert value["version"] == version


HUGE = f"1.{'9' * 5000}.0"
NOT_SEMVER = [
    ('"1.0"', '"1.0"'),
    ("1.0", '"1.0"'),
    ("v1.0.0", '"v1.0.0"'),
    ("01.0.0", '"01.0.0"'),
    ("latest", '"latest"'),
    ("[1]", '"[1]"'),
    ("true", '"true"'),
    (r'"1.0.0\n"', r'"1.0.0\n"'),
    (r'"1\u202e\e[31m"', r'"1<U+202E>\u001b[31m"'),
    (HUGE, '"1.99999999999'),
]


@pytest.mark.parametrize(("version", "shown"), NOT_SEMVER, ids=[row[1] for row in NOT_SEMVER])
@pytest.mark.parametrize(
    "arguments", [[], ["--write"], ["--diff"], ["--tag"], ["--format", "json"]]
)
def test_a_version_that_nothing_can_follow_is_refused_with_its_place(
    run: Run, repo: Repo, version: str, shown: str, arguments: list[str]
) -> None:
    repo.write({"one/SKILL.md": plain("one", version, TIGHTER)})
    before = repo.seen()
    ran = run("bump", "one", *arguments)
    assert (ran.status, ran.result) == (2, "")
    assert f"skillstudio: one/SKILL.md:5:10: the version {shown}" in ran.err
    assert "write 2.0.0 in its place and bump again" in ran.err
    assert not {"\x1b", "\u202e"} & set(ran.err)
    assert repo.seen() == before


def test_an_old_version_that_nothing_can_follow_is_refused_where_there_is_no_new_one(
    run: Run, repo: Repo
) -> None:
    repo.commit({"one/SKILL.md": plain("one", '"1.2"')})
    repo.write({"one/SKILL.md": plain("one", '""', TIGHTER)})
    ran = run("bump", "one", "--against", "HEAD")
    assert (ran.status, ran.result) == (2, "")
    assert 'skillstudio: HEAD:one/SKILL.md:5:10: the version "1.2" is not' in ran.err
    assert "write 1.2.0 in its place" in ran.err
    repo.write({"one/SKILL.md": plain("one", "1.3.0", TIGHTER)})
    assert run("bump", "one", "--against", "HEAD").out == "1.3.0\n"


def test_what_a_manifest_says_is_no_markup_in_the_changelog(run: Run, repo: Repo) -> None:
    named = json.dumps("## 9.9.9\n<script> [a](b) \u202e")
    repo.write({"one/SKILL.md": plain("one").replace("name: topic", f"name: {named}")})
    run("bump", "one", "--write")
    text = (repo.root / "one/CHANGELOG.md").read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        line for line in text.splitlines() if line.startswith("## [2.0.0] - ")
    ]
    assert "\\<script> \\[a\\](b)" in text
    assert "\u202e" not in text


@pytest.mark.parametrize("against", ["HEAD", "one@1.0.0", "1.0.0", "one@HEAD", "HEAD:one"])
def test_the_old_side_can_be_named(run: Run, repo: Repo, against: str) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=WIDER)})
    assert run("bump", "one", "--against", against).out == "1.1.0\n"


def test_writing_changes_the_version_and_the_changelog_alone(run: Run, repo: Repo) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=TIGHTER)})
    before = repo.seen()
    shown = run("bump", "one", "--diff")
    assert "-version: 1.0.0\n+version: 2.0.0\n" in shown.out
    assert "+++ b/one/CHANGELOG.md\n" in shown.out
    assert repo.seen() == before
    ran = run("bump", "one", "--write")
    assert (ran.status, ran.out) == (0, "2.0.0\n")
    after = repo.seen()
    assert {path for path in after if before.get(path) != after[path]} == {
        "one/SKILL.md",
        "one/CHANGELOG.md",
    }
    text = before["one/SKILL.md"][0].decode()
    assert after["one/SKILL.md"][0].decode() == text.replace("version: 1.0.0", "version: 2.0.0")
    changelog = after["one/CHANGELOG.md"][0].decode()
    assert changelog.startswith("# Changelog\n\n## [2.0.0] - ")
    assert "\n### Changed\n\n- **Breaking:** " in changelog


def test_writing_twice_writes_once(run: Run, repo: Repo) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=TIGHTER)})
    run("bump", "one", "--write")
    before = repo.seen()
    assert run("bump", "one", "--write").out == "2.0.0\n"
    assert repo.seen() == before
    repo.commit({}, "one@2.0.0")
    ran = run("bump", "one", "--write")
    assert "nothing changed since one@2.0.0, so nothing was written" in ran.err


@pytest.mark.parametrize("protected", ["SKILL.md", "CHANGELOG.md"])
def test_either_both_files_are_written_or_none(run: Run, repo: Repo, protected: str) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=TIGHTER), "one/CHANGELOG.md": "# Changelog\n"})
    (repo.root / "one" / protected).chmod(0o444)
    before = repo.seen()
    ran = run("bump", "one", "--write")
    assert ran.status == 1
    assert f"one/{protected}: read-only, so nothing was written" in ran.err
    assert repo.seen() == before


def test_what_has_no_digest_is_bumped_when_it_changed(run: Run, repo: Repo) -> None:
    repo.commit({"one/a\nb": "x"})
    repo.write({"one/a\nb": "y"})
    ran = run("bump", "one", "--against", "HEAD", "--write")
    assert (ran.status, ran.out) == (0, "1.0.1\n")
    assert "\nversion: 1.0.1\n" in (repo.root / "one/SKILL.md").read_text()


def test_a_tag_is_named_and_not_made(run: Run, repo: Repo) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=TIGHTER)})
    dirty = run("bump", "one", "--tag")
    assert (dirty.status, dirty.out) == (1, "")
    assert "one has uncommitted changes (one/SKILL.md); commit them, then tag" in dirty.err
    repo.commit({})
    low = run("bump", "one", "--tag")
    assert (low.status, low.out) == (1, "")
    assert "one declares 1.0.0 and needs 2.0.0" in low.err
    repo.commit({"one/SKILL.md": plain("one", "2.0.0", TIGHTER), "other.txt": "y"})
    repo.write({"other.txt": "not of the skill"})
    assert run("bump", "one", "--tag").out == "git tag -a -m 'one 2.0.0' -- one@2.0.0\n"
    assert run("bump", "one", "--tag", "--format", "json").json == {
        "path": "one",
        "version": "2.0.0",
        "tag": "one@2.0.0",
        "command": "git tag -a -m 'one 2.0.0' -- one@2.0.0",
    }
    assert repo.git("tag", "--list") == "one@1.0.0"
    repo.git("tag", "one@2.0.0")
    again = run("bump", "one", "--tag")
    assert (again.status, "the tag one@2.0.0 already exists" in again.err) == (1, True)


def test_the_command_for_a_tag_is_safe_to_paste(run: Run, repo: Repo) -> None:
    name = "a'$(touch${IFS}x)"
    text = plain("odd", "2.0.0").replace("name: odd", f'name: "{name}"')
    repo.commit({"odd/SKILL.md": text})
    out = run("bump", "odd", "--tag", "--against", "HEAD").out
    assert shlex.split(out) == ["git", "tag", "-a", "-m", f"{name} 2.0.0", "--", f"{name}@2.0.0"]
    repo.git(*shlex.split(out)[1:])
    assert repo.git("tag", "--list", "a*") == f"{name}@2.0.0"


@pytest.mark.parametrize("name", ["-d", "a b", "--delete; touch x", "a..b", "a:b", "a\u202e"])
def test_a_name_that_no_tag_can_have_is_refused(run: Run, repo: Repo, name: str) -> None:
    text = plain("odd", "2.0.0").replace("name: odd", f"name: {json.dumps(name)}")
    repo.commit({"odd/SKILL.md": text})
    ran = run("bump", "odd", "--tag", "--against", "HEAD")
    assert (ran.status, ran.out) == (1, "")
    shown = name.replace("\u202e", "<U+202E>")
    assert f"{shown}@2.0.0 is not a git tag name; use letters, digits and hyphens" in ran.err


UNVERSIONED = plain("one").replace("version: 1.0.0\n", "")
BARE = "---\nname: bare\ndescription: Says things. Use when things are said.\n---\nSay.\n"


def test_a_skill_without_a_version_says_where_it_would_go(run: Run, repo: Repo) -> None:
    repo.commit({"new/SKILL.md": UNVERSIONED.replace("one", "new")})
    ran = run("bump", "new", "--against", "HEAD")
    assert ran.out == "0.1.0\n"
    assert "new declares no version; --write adds it to version in SKILL.md" in ran.err
    repo.write({"new/SKILL.md": UNVERSIONED.replace("one", "new") + "More.\n"})
    assert run("bump", "new", "--against", "HEAD", "--write").status == 0
    assert "\nversion: 0.1.0\n" in (repo.root / "new/SKILL.md").read_text()


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        ("", "metadata:\n  version: 0.1.0\n"),
        ("metadata:\n  author: a\n", "metadata:\n  author: a\n  version: 0.1.0\n"),
        ("metadata: {author: a}\n", "metadata: {author: a, version: 0.1.0}\n"),
    ],
)
def test_a_plain_skill_gets_its_version_as_metadata(
    run: Run, repo: Repo, keys: str, written: str
) -> None:
    text = BARE.replace("---\nSay", f"{keys}---\nSay")
    repo.commit({"bare/SKILL.md": text})
    repo.write({"bare/SKILL.md": f"{text}More.\n"})
    ran = run("bump", "bare", "--against", "HEAD")
    assert "bare declares no version; --write adds it to metadata.version in SKILL.md" in ran.err
    assert run("bump", "bare", "--against", "HEAD", "--write").status == 0
    after = BARE.replace("---\nSay", f"{written}---\nSay") + "More.\n"
    assert (repo.root / "bare/SKILL.md").read_text() == after


def test_without_a_place_for_it_the_version_is_not_written(run: Run, repo: Repo) -> None:
    text = BARE.replace("---\nSay", 'metadata:\n  version: "1"\n---\nSay')
    repo.commit({"bare/SKILL.md": text})
    repo.write({"bare/SKILL.md": f"{text}More.\n"})
    before = repo.seen()
    assert (
        "bare declares no version, and it has no manifest that can"
        in run("bump", "bare", "--against", "HEAD").err
    )
    ran = run("bump", "bare", "--against", "HEAD", "--write")
    assert ran.status == 1
    assert "tag it instead: git tag -a -m 'bare 0.1.0' -- bare@0.1.0" in ran.err
    assert repo.seen() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one@HEAD"], "is not on disk, so it cannot be bumped"),
        (["nowhere"], "nowhere is not a file or folder"),
        (["one", "--against", "unknown"], "unknown is not a file or folder"),
        (
            ["one", "--against", "v9"],
            "--against v9: git has no such revision here, and v9 is not a file",
        ),
        (["one", "--against", "9.9.9"], "version 9.9.9 of one not found"),
        ([], "contains several skills"),
    ],
)
def test_wrong_use_is_refused(run: Run, repo: Repo, arguments: list[str], said: str) -> None:
    repo.write({"two/SKILL.md": plain("two")})
    ran = run("bump", *arguments)
    assert (ran.status, ran.result) == (2, "")
    assert said in ran.err


def test_outside_of_a_repository_an_old_version_must_be_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for which, pattern in (("old", WIDER), ("new", TIGHTER)):
        folder = tmp_path / which
        folder.mkdir()
        (folder / "SKILL.md").write_text(plain("one", pattern=pattern))
    ran = run("bump", tmp_path / "new")
    assert (ran.status, "name one with --against" in ran.err) == (2, True)
    assert run("bump", tmp_path / "new", "--against", tmp_path / "old").out == "2.0.0\n"
    ran = run("bump", tmp_path / "new", "--against", tmp_path / "old", "--tag")
    assert (ran.status, "a tag needs a repository" in ran.err) == (2, True)


def test_a_waiver_is_written_to_the_settings(run: Run, repo: Repo) -> None:
    repo.write({"one/SKILL.md": plain("one", pattern=TIGHTER)})
    (change,) = run("diff", "one", "--format", "json").json["changes"]
    fingerprint = change["fingerprint"]
    shown = run("waive", fingerprint, "one", "--reason", "agreed", "--diff")
    assert f'+fingerprint = "{fingerprint}"\n' in shown.out
    assert not (repo.root / "skillstudio.toml").exists()
    assert run("waive", fingerprint, "one", "--reason", "agreed").status == 0
    text = (repo.root / "skillstudio.toml").read_text()
    assert text == f'[[waive]]\nfingerprint = "{fingerprint}"\nreason = "agreed"\n'
    ran = run("diff", "one", "--format", "json")
    assert ran.json["changes"][0]["waived"] == "agreed"
    assert (ran.json["bump"]["required"], ran.json["summary"]["major"]) == ("patch", 0)
    again = run("waive", fingerprint, "one", "--reason", "again")
    assert (again.status, "is already waived: agreed" in again.err) == (1, True)
    assert (repo.root / "skillstudio.toml").read_text() == text


@pytest.mark.parametrize(
    ("settings", "status", "said"),
    [
        (b"a = [\n", 1, "fix it first"),
        (b"\xff\n", 2, "is not UTF-8"),
    ],
)
def test_settings_that_cannot_be_read_are_not_written_to(
    run: Run, repo: Repo, settings: bytes, status: int, said: str
) -> None:
    file = repo.root / "skillstudio.toml"
    file.write_bytes(settings)
    ran = run("waive", "0123456789ab", "--reason", "x")
    assert (ran.status, said in ran.err) == (status, True)
    assert file.read_bytes() == settings
    assert run("waive", "0123456789ab", "nowhere", "--reason", "x").status == 2
    assert run("waive", "0123456789ab").status == 2


def test_faults_of_the_settings_are_told(run: Run, repo: Repo) -> None:
    (repo.root / "skillstudio.toml").write_text('[[waive]]\nfingerprint = "x"\nreason = "y"\n')
    ran = run("diff", "one")
    assert "skillstudio.toml:2:15: the fingerprint must be 12 hexadecimal digits" in ran.err


SKILL = "---\nname: greet\ndescription: {}\n---\nGreet.\n"
SHORT, LONG = SKILL.format("Greets. Use it."), SKILL.format("Greets loudly. Use it.")
PLUGIN = '{{"name": "p", "version": "{}"}}'
MARKET = '{{"name": "m", "plugins": [{{"name": "p", "source": "./p", "version": "{}"}}]}}'


@pytest.mark.parametrize(
    ("file", "text"),
    [("p/.claude-plugin/plugin.json", PLUGIN), (".claude-plugin/marketplace.json", MARKET)],
)
def test_a_skill_has_the_version_of_its_plugin(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    made = Repo(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    made.commit({"p/skills/greet/SKILL.md": SHORT, file: text.format("1.2.0")}, "old")
    made.commit({"p/skills/greet/SKILL.md": LONG}, "forgotten")
    made.commit({file: text.format("1.2.1")}, "new")
    (row,) = run("diff", "old..new", "--format", "json").json["skills"]
    assert (row["old"]["version"], row["new"]["version"]) == ("1.2.0", "1.2.1")
    (row,) = run("diff", "old..forgotten", "--format", "json").json["skills"]
    assert (row["new"]["version"], row["bump"]["ok"]) == ("1.2.0", False)
    made.commit({file: text.format("1.2.0")})
    ran = run("bump", "p/skills/greet", "--against", "old")
    assert (ran.status, ran.out) == (0, "1.2.1\n")
    before = made.seen()
    ran = run("bump", "p/skills/greet", "--against", "old", "--write")
    assert ran.status == 1
    assert f"has the version of its plugin; set 1.2.1 in {file}" in ran.err
    assert made.seen() == before


@pytest.mark.parametrize(
    ("tag", "plugin", "own", "version", "ok"),
    [
        ("p--v1.2.0", "1.2.0", "0.6.0", "1.2.0", False),  # Released with the plugin.
        ("p--v1.2.0", "1.2.0", "0.6.1", "1.2.0", False),
        ("p--v1.2.0", "1.2.1", "0.6.0", "1.2.1", True),
        ("v1.2.0", "1.2.1", "0.6.0", "1.2.1", True),
        ("v1.2.0", "1.2.0", "0.6.0", "1.2.0", False),
        ("greet@0.6.0", "1.2.1", "0.6.0", "0.6.0", False),  # Released by itself.
        ("greet@0.6.0", "1.2.0", "0.6.1", "0.6.1", True),
        ("base", "1.2.1", "0.6.0", "1.2.1", True),  # No release: what changed.
        ("base", "1.2.1", "0.6.1", "0.6.1", True),
        ("base", "1.2.0", "0.6.0", "0.6.0", False),
        ("p--v1.2.0", "2", "0.6.0", "0.6.0", False),  # No semantic version.
    ],
)
def test_a_skill_with_a_version_is_released_with_its_plugin(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    tag: str, plugin: str, own: str, version: str, ok: bool,
) -> None:  # fmt: skip
    made = Repo(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    file, skill = "p/.claude-plugin/plugin.json", "p/skills/greet/SKILL.md"
    stated = "Greets. Use it.\nmetadata: {{version: {}}}"
    text = SKILL.format(stated)
    made.commit({skill: text.format("0.6.0"), file: PLUGIN.format("1.2.0")}, tag)
    made.commit({skill: text.format(own) + "More.\n", file: PLUGIN.format(plugin)})
    (row,) = run("diff", f"{tag}..HEAD", "--format", "json").json["skills"]
    assert (row["new"]["version"], row["bump"]["ok"]) == (version, ok)


def test_the_tag_of_a_skill_of_a_plugin_is_the_plugins(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repo(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    file, skill = "p/.claude-plugin/plugin.json", "p/skills/greet/SKILL.md"
    text = SKILL.format('Greets. Use it.\nmetadata: {version: "0.6"}')
    made.commit({skill: text, file: PLUGIN.format("1.2.0")}, "p--v1.2.0")
    made.commit({skill: text + "More.\n"})
    ran = run("bump", "p/skills/greet", "--tag")
    assert f"p declares 1.2.0 and needs 1.2.1; set it in {file}, then commit" in ran.err
    assert f"1.2.0 → 1.2.1 (files changed, the interface did not) (version in {file})" in (
        run("diff", "p/skills/greet").out
    )
    made.commit({file: PLUGIN.format("1.2.1")})
    assert run("bump", "p/skills/greet", "--tag").out == ("git tag -a -m 'p 1.2.1' -- p--v1.2.1\n")


def test_a_skill_beside_a_plugin_has_no_version_of_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Repo(tmp_path / "repo")
    monkeypatch.chdir(made.root)
    file = ".claude-plugin/plugin.json"
    made.commit({"other/greet/SKILL.md": SHORT, file: PLUGIN.format("1.2.0")}, "old")
    made.commit({"other/greet/SKILL.md": LONG}, "new")
    (row,) = run("diff", "old..new", "--format", "json").json["skills"]
    assert row["new"]["version"] is None


@pytest.mark.parametrize(
    ("pattern", "branch", "options", "is_named"),
    [
        (WIDER, "topic", (), True),
        (WIDER, "topic", ("--against", "main"), False),
        (WIDER, "topic", ("--quiet",), False),
        (None, "topic", (), False),  # Another file differs.
        (WIDER, "main", (), False),
    ],
)
def test_a_skill_that_only_differs_from_main_names_the_command(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pattern: str | None,
    branch: str,
    options: tuple[str, ...],
    is_named: bool,
) -> None:
    repo = Repo(tmp_path / "untagged")
    repo.commit({"my skill/SKILL.md": plain("one"), "other.txt": "x"})
    if branch != "main":
        repo.git("switch", "-q", "-c", branch)
    text = plain("one", pattern=pattern) if pattern else plain("one")
    repo.commit({"my skill/SKILL.md": text, "other.txt": "y"})
    monkeypatch.chdir(repo.root)
    ran = run("bump", "my skill", *options)
    hint = (
        "one changed since main; for the bump since then: skillstudio bump 'my skill' "
        "--against main\n"
    )
    assert (hint in ran.err) is is_named
    if is_named:
        assert run("bump", *shlex.split(hint.strip().partition("skillstudio bump ")[2])).out == (
            "1.1.0\n"
        )
