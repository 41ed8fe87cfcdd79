"""Templates with `_preserve_symlinks`: links that are kept, and those that are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.creation import create, draft
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.rendering import RenderedSkill, render
from skillstudio.scaffold.new.template import read_template

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
SKILL = "---\nname: {{ _folder_name }}\ndescription: Makes tea. Use it for tea.\n---\nMake it.\n"
KEPT = "_preserve_symlinks: true\nwho: {default: Ana}\n"


def template(folder: Path, links: dict[str, str], settings: str = KEPT) -> Interview:
    (folder / "docs").mkdir(parents=True)
    (folder / "copier.yml").write_text(settings)
    (folder / "SKILL.md.jinja").write_text(SKILL)
    (folder / "docs" / "{{ who }}.md").write_text("x")
    for name, target in links.items():
        (folder / name).symlink_to(target)
    return Interview(read_template(DiskTree(str(folder)), "t", "path", "t"), "tea")


def rendered(folder: Path, links: dict[str, str], settings: str = KEPT) -> RenderedSkill:
    with template(folder, links, settings) as interview:
        return render(interview, {"who": "Ana"})


@pytest.mark.parametrize(
    ("name", "target", "path", "kept"),
    [
        ("CLAUDE.md", "SKILL.md", "CLAUDE.md", "SKILL.md"),
        ("{{ who }}.txt", "./SKILL.md", "Ana.txt", "./SKILL.md"),
        ("x.jinja", "docs/{{ who }}.md", "x", "docs/Ana.md"),
        ("docs/up.md", "../SKILL.md", "docs/up.md", "../SKILL.md"),
        ("folder", "docs", "folder", "docs"),
    ],
)
def test_a_link_is_kept(tmp_path: Path, name: str, target: str, path: str, kept: str) -> None:
    found = rendered(tmp_path / "t", {name: target})
    assert dict(found.links) == {path: kept}
    assert sorted(found.files) == ["SKILL.md", "docs/Ana.md"]


@pytest.mark.parametrize(
    "links",
    [
        {"a": "../secret"},
        {"a": "/etc/passwd"},
        {"a": "gone.md"},
        {"a": "SKILL.md.jinja"},
        {"a": "a"},
        {"docs/top": "..", "a": "docs/top/../secret"},
        {"x.jinja": "{{ '../' }}secret"},
    ],
)
def test_a_link_out_of_the_rendered_files_is_refused(tmp_path: Path, links: dict[str, str]) -> None:
    (tmp_path / "secret").write_text("s")
    with pytest.raises(TemplateFault, match="outside of the rendered files or not one of them"):
        rendered(tmp_path / "t", links)


def test_without_the_setting_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    found = rendered(tmp_path / "a", {"b.txt": "docs/{{ who }}.md"}, "who: {default: Ana}\n")
    assert not found.links
    assert found.files["b.txt"] == b"x"
    with pytest.raises(TemplateFault, match="outside of the template or to a file"):
        rendered(tmp_path / "b", {"CLAUDE.md": "SKILL.md"}, "who: {default: Ana}\n")


def test_the_skill_has_the_link(tmp_path: Path) -> None:
    with template(tmp_path / "t", {"CLAUDE.md": "SKILL.md"}) as interview:
        made = draft(interview, {"who": "Ana"})
        assert made.errors == 0
        create(made, str(tmp_path / "tea"))
    link = tmp_path / "tea" / "CLAUDE.md"
    assert link.readlink() == Path("SKILL.md")
    assert link.read_text().startswith("---\nname: tea\n")
