"""Where templates are found, and the addresses of which none is fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.scaffold.new.building import of

from skillstudio.files import git
from skillstudio.files.git import GitError, clone_newest
from skillstudio.scaffold.new.catalogue import (
    TemplateNotFound,
    is_address,
    list_templates,
    open_template,
    user_folder,
    without_secret,
)
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.template import read_contents

GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def own(name: str, text: str = "q: 1\n", folder: Path | None = None) -> Path:
    """A template of the user's own."""
    path = (folder or Path(user_folder())) / name
    path.mkdir(parents=True)
    (path / "copier.yml").write_text(text)
    (path / "file.txt").write_text("x")
    return path


def names(which: str, ref: str = "") -> tuple[str, str]:
    with open_template(which, ref) as template:
        return template.name, template.origin


def refused(which: str, ref: str = "") -> str:
    with pytest.raises((TemplateNotFound, TemplateFault)) as caught, open_template(which, ref):
        pass
    return str(caught.value)


def test_the_users_own_come_beside_ours_and_replace_those_of_the_same_name() -> None:
    own("mine")
    own("knowledge", "_skillstudio: {description: Mine.}\n")
    Path(user_folder(), "no-template").mkdir()
    Path(user_folder(), "file").write_text("")
    listing = list_templates()
    assert list(listing.templates) == sorted([*listing.templates])
    assert {"mine", "knowledge", "script-tool"} <= set(listing.templates)
    assert "no-template" not in listing.templates
    assert listing.templates["knowledge"].description == "Mine."
    assert names("knowledge") == ("knowledge", "user")
    assert "no-template: not a template: it does not contain copier.yml" in refused("no-template")
    assert names("script-tool") == ("script-tool", "package")


def test_a_broken_one_is_told_and_takes_no_other_with_it() -> None:
    own("broken", "a: [")
    listing = list_templates()
    assert "script-tool" in listing.templates
    assert [fault.place for fault in listing.faults] == [(1, 5)]
    assert "broken/copier.yml:1:5" in refused("broken")


def test_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own("here", folder=tmp_path)
    own("script-tool", folder=tmp_path)
    monkeypatch.chdir(tmp_path)
    assert names("here") == ("here", "path")
    assert names("./here/") == ("here", "path")
    assert names(str(tmp_path / "here")) == ("here", "path")
    assert names("script-tool") == ("script-tool", "package")
    assert names("./script-tool") == ("script-tool", "path")
    monkeypatch.chdir(tmp_path / "here")
    assert names(".") == ("here", "path")


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("scripttool", "did you mean script-tool?"),
        ("nothing-like-it", "choose one of agent-skills, caro-1.0"),
        ("a/b", "no template or folder is called a/b"),
        ("/etc/hosts", "/etc/hosts is a file"),
        ("/", "not a template: it does not contain copier.yml"),
        ("--upload-pack=touch x", "looks like an option"),
        ("-x", "looks like an option"),
        ("http://example.org/x", "unsupported transport http"),
        ("git://example.org/x", "unsupported transport git"),
        ("ftp://example.org/x", "unsupported transport ftp"),
        ("ext::sh -c touch% mark", "unsupported transport ext"),
        ("fd::17", "unsupported transport fd"),
        ("git+ext::sh -c x", "unsupported transport ext"),
        ("https://", "nothing follows https"),
        ("https://x y", "write a space as %20"),
        ("http://me:hush@example.org/x", "http://example.org/x: unsupported"),
    ],
)
def test_what_is_no_template(which: str, said: str) -> None:
    assert said in refused(which)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:hush@example.org/t", "https://example.org/t"),
        ("https://hush@example.org/t", "https://example.org/t"),
        ("ssh://git:hush@example.org/t", "ssh://example.org/t"),
        ("ssh://git@example.org/t", "ssh://git@example.org/t"),
        ("git@example.org:a/t", "git@example.org:a/t"),
        ("https://example.org/a@b", "https://example.org/a@b"),
    ],
)
def test_no_password_of_an_address_is_shown(address: str, shown: str) -> None:
    assert without_secret(address) == shown


def test_a_branch_is_of_a_repository() -> None:
    assert "looks like an option" in refused("gh:a/b", "--output=x")
    assert "not a git repository URL" in refused("script-tool", "main")


def test_a_branch_of_a_repository_on_disk_needs_its_url(tmp_path: Path) -> None:
    repository = tmp_path / "my template"
    (repository / ".git").mkdir(parents=True)
    url = f"{tmp_path.as_uri()}/my%20template"
    assert refused(str(repository), "v1").endswith(
        f"is not a git repository URL; v1 needs one: {url}"
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://example.org/t.git", True),
        ("ssh://git@example.org/t", True),
        ("git@example.org:a/t.git", True),
        ("file:///srv/t.git", True),
        ("gh:a/b", True),
        ("ext::sh", True),
        ("script-tool", False),
        ("./a:b", False),
        ("a/b", False),
        ("C:/templates/t", False),
        ("C:\\templates\\t", False),
    ],
)
def test_what_is_an_address(text: str, address: bool) -> None:
    assert is_address(text) is address


ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def run_git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    subprocess.run(command, check=True, env=ENVIRONMENT, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a template, an older version on a branch, a link and a script."""
    folder = own("template", "q: old\n", tmp_path)
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "old")
    run_git(folder, "branch", "old")
    (folder / "copier.yml").write_text("q: new\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "new")
    return folder


@GIT
def test_a_git_repository(repository: Path) -> None:
    with open_template(f"file://{repository}") as template:
        assert (template.name, template.origin) == ("template", "git")
        assert template.questions[0].default == "new"
        contents = read_contents(template.tree, template.location)
        assert contents.files == {
            "copier.yml": b"q: new\n", "file.txt": b"x", "run.sh": b"#!/bin/sh\n",
        }  # fmt: skip
        assert contents.executable == {"run.sh"}
    with open_template(f"file://{repository}", "old") as template:
        assert template.questions[0].default == "old"
    assert "git: " in refused(f"file://{repository}", "nothing")
    gone = refused(f"file://{repository}-not-there")
    assert "-not-there' does not appear to be a git repository" in gone


@GIT
def test_nothing_of_it_is_run_and_nothing_stays(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters, hooks and submodules of a repository are programs; none is started."""
    mark = tmp_path / "mark"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (hooks / "post-checkout").chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n[init]\n\ttemplateDir = {hooks}\n"
        f'[filter "evil"]\n\tsmudge = touch {mark}; cat\n\trequired = true\n'
        f'[url "ext::sh -c touch% {mark}"]\n\tinsteadOf = "file:///rewritten"\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    (repository / ".gitattributes").write_text("* filter=evil\n")
    (repository / ".gitmodules").write_text(
        f'[submodule "m"]\n\tpath = m\n\turl = ext::sh -c touch% {mark}\n'
    )
    run_git(repository, "add", "-A")
    run_git(repository, "commit", "-q", "-m", "evil")
    with open_template(f"file://{repository}") as template:
        assert read_contents(template.tree, "t").files["file.txt"] == b"x"
    assert "git: " in refused("file:///rewritten/x")
    assert not mark.exists()
    assert list(temporary.iterdir()) == []


@GIT
def test_a_repository_that_is_too_large_is_given_up(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitError, match="more than 0 MiB"):
        git._watch_git(
            subprocess.Popen(
                ["sleep", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            ),
            str(repository),
            10,
        )  # fmt: skip
    monkeypatch.setattr(git, "_TIMEOUT", 0.2)
    with pytest.raises(GitError, match=r"longer than 0\.2 seconds"):
        git._watch_git(
            subprocess.Popen(
                ["sleep", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            ),
            str(repository),
            1 << 30,
        )  # fmt: skip


@GIT
def test_the_net_is_only_asked_in_ways_that_are_safe(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(GitError, match="not allowed"):
        clone_newest(f"ext::sh -c touch% {mark}", str(tmp_path / "into"), "", 1 << 20)
    assert not mark.exists()


def test_a_template_in_memory_is_one_too() -> None:
    assert of({"copier.yml": b"q: 1"}).origin == "path"
