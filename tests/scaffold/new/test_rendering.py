"""What a template's files become, and the templates of which nothing is made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.scaffold.new.building import rendered

from skillstudio.files.disk import DiskTree
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.rendering import render
from skillstudio.scaffold.new.template import MAX_FILES, read_template

Files = dict[str, str | bytes]
ASK = "who: {type: str, default: Ana}\n"


def made(files: Files, **given: Any) -> dict[str, bytes]:
    return rendered({"copier.yml": ASK, **files}, **given).files


@pytest.mark.parametrize(
    ("files", "becomes"),
    [
        ({"a.txt": "{{ who }}\n"}, {"a.txt": b"{{ who }}\n"}),
        ({"a.txt.jinja": "{{ who }}\n"}, {"a.txt": b"Ana\n"}),
        ({"a.txt.jinja": "no end"}, {"a.txt": b"no end"}),
        ({"a.jinja": "a\r\nb\r\n"}, {"a": b"a\nb\n"}),
        ({"a.txt": "a\r\n"}, {"a.txt": b"a\r\n"}),
        ({"a.bin": b"\xff\x00"}, {"a.bin": b"\xff\x00"}),
        ({"{{ who }}.txt": "x"}, {"Ana.txt": b"x"}),
        ({"{{ who }}/{{ who|lower }}.txt.jinja": "{{ who }}"}, {"Ana/ana.txt": b"Ana"}),
        ({"{% if who == 'Ben' %}b{% endif %}/x": "x", "y": ""}, {"y": b""}),
        ({"{% if who == 'Ana' %}a{% endif %}/x": "x"}, {"a/x": b"x"}),
        ({"a.txt": "plain", "a.txt.jinja": "{{ who }}"}, {"a.txt": b"Ana"}),
        ({"b": "", "~b": "", "c.pyc": "", "__pycache__/d": "", ".DS_Store": ""}, {"b": b""}),
        ({"b": "", ".git/config": "", "x/.git/HEAD": "", ".gitignore": "y"},
         {"b": b"", ".gitignore": b"y"}),
        ({"a.jinja": "{% include 'b' %}", "b": "{{ who }}"}, {"a": b"Ana", "b": b"{{ who }}"}),
    ],
)  # fmt: skip
def test_files(files: Files, becomes: dict[str, bytes]) -> None:
    assert made(files) == becomes


def test_settings_of_the_rendering() -> None:
    files: Files = {
        "copier.yml": "_subdirectory: '{{ which }}'\n_templates_suffix: .tpl\n"
        "_exclude: ['*.bak', \"{% if not more %}extra{% endif %}\"]\n"
        "which: {default: one}\nmore: {default: false}\n",
        "README.md": "of the template",
        "one/a.tpl": "{{ which }}",
        "one/b.jinja": "{{ which }}",
        "one/c.bak": "",
        "one/extra/d": "d",
        "two/a.tpl": "{{ which }}",
    }
    assert rendered(files).files == {"a": b"one", "b.jinja": b"{{ which }}"}
    assert set(rendered(files, more="yes").files) == {"a", "b.jinja", "extra/d"}
    assert rendered(files, which="two").files == {"a": b"two"}


def test_with_an_empty_suffix_every_text_is_a_template() -> None:
    files: Files = {
        "copier.yml": '_templates_suffix: ""\nwho: {default: Ana}\n',
        "a.txt": "{{ who }}",
        "b.bin": b"\xff{{ who }}",
    }
    assert rendered(files).files == {"a.txt": b"Ana", "b.bin": b"\xff{{ who }}"}


def test_a_template_does_not_write_the_file_of_answers() -> None:
    """Copier writes the template's path into it; `create` writes our own record."""
    files: Files = {
        "copier.yml": ASK,
        "{{ _copier_conf.answers_file }}.jinja": "{{ _copier_answers | to_nice_yaml }}",
        "a": "",
    }
    done = rendered(files)
    assert set(done.files) == {"a"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "t: the template renders no files"),
        ({"{{ '.git' }}/hooks/x": ""}, "renders to '.git/hooks/x', which has the part .git"),
        ({"{{ '..' }}/x": ""}, "t/{{ '..' }}/x: its name renders to '../x', which points outside"),
        ({"{{ 'C:' }}x": ""}, "contains a character"),
        ({"{{ 'a\\\\b' }}": ""}, "contains a character"),
        ({"{{ 'a\\nb' }}": ""}, "contains a character"),
        ({"{{ 'con' }}": ""}, "device"),
        ({"a": "1", "{{ 'a' }}": "2"}, "it renders to a, and so does a"),
        ({"a": "1", "{{ 'A' }}": "2"}, "same file on some systems"),
        ({"a": "1", "{{ 'a' }}/b": "2"}, "both a file and a folder"),
        ({"{{ nothing }}": ""}, "t/{{ nothing }}: its name: 'nothing' is undefined"),
        ({"{% if %}": ""}, "its name: Expected an expression"),
        ({"a.jinja": "one\n two {% if %}"}, "t/a.jinja:2:6: Expected an expression"),
        ({"a.jinja": "one\n  {{ nothing }}"}, "t/a.jinja:2:3: 'nothing' is undefined"),
        ({"a.jinja": "{% include 'b' %}", "b": "\n\n{{ x }}"}, "t/b:3:1: 'x' is undefined"),
        ({"a.jinja": "{% include 'none' %}"}, "t/a.jinja:1:1: the template includes 'none'"),
        ({"a.jinja": "{{ 'a' * 10 ** 10 }}"}, "t/a.jinja:1:1: a repetition produces more"),
        ({"a.jinja": b"\xff"}, "t/a.jinja:1:1: not UTF-8"),
    ],
)  # fmt: skip
def test_templates_of_which_nothing_is_made(files: Files, said: str) -> None:
    with pytest.raises(TemplateFault) as caught:
        made(files)
    assert said in str(caught.value)


def test_an_answer_may_name_a_folder_within() -> None:
    assert made({"{{ who }}.txt": "z"}, who="x/y") == {"x/y.txt": b"z"}


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("..", "points outside of the folder"),
        ("../x", "points outside of the folder"),
        ("a/../../x", "points outside of the folder"),
        ("/etc/passwd", "is absolute"),
        ("C:\\x", "contains a character"),
        ("a//b", "has an empty part"),
    ],
)
def test_an_answer_leads_nowhere_else(who: str, said: str) -> None:
    with pytest.raises(TemplateFault, match=said):
        made({"{{ who }}": ""}, who=who)


@pytest.mark.parametrize("below", ["../x", "/etc", "{{ '..' }}", "a/../../b"])
def test_a_subdirectory_lies_within(below: str) -> None:
    with pytest.raises(TemplateFault, match=r"t/copier.yml:1:1: _subdirectory"):
        rendered({"copier.yml": f'_subdirectory: "{below}"', "a": ""})


def test_too_many_files() -> None:
    with pytest.raises(TemplateFault, match="more than 2000 files"):
        made({f"f{n}": "" for n in range(MAX_FILES)})


def test_too_many_bytes() -> None:
    with pytest.raises(TemplateFault, match="16 MiB"):
        made({"a": b"x" * (9 << 20), "b": b"x" * (9 << 20)})


def on_disk(folder: Path) -> dict[str, bytes]:
    template = read_template(DiskTree(folder), "t", "path", "t")
    with Interview(template, "made") as opened:
        done = render(opened, {})
        assert all(done.tree.mode(path) == 0o755 for path in done.executable)
        return done.files


@pytest.mark.skipif(os.name == "nt", reason="links and modes of Unix")
def test_links_modes_and_devices(tmp_path: Path) -> None:
    folder = tmp_path / "template"
    folder.mkdir()
    (folder / "copier.yml").write_text("")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "again").symlink_to("run")
    assert on_disk(folder) == {"run": b"#!/bin/sh\n", "again": b"#!/bin/sh\n"}
    (tmp_path / "secret").write_text("s")
    (folder / "out").symlink_to("../secret")
    with pytest.raises(TemplateFault, match=r"t/out: a link that points outside of the template"):
        on_disk(folder)
    (folder / "out").unlink()
    (folder / "loop").symlink_to(".")
    with pytest.raises(TemplateFault, match=r"t/loop: a link to something other than a file"):
        on_disk(folder)
    (folder / "loop").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(TemplateFault, match=r"t/pipe: not a file or folder"):
        on_disk(folder)
