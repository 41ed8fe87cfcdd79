"""Templates are programs: what they may do, and how each that does more is ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from skillstudio.dryrun.isolation.landlock import confinement
from skillstudio.scaffold.new import renderer as renderer_module
from skillstudio.scaffold.new.renderer import Renderer, RenderFailure, RenderItem

FILES = {
    "plain.txt": "no template\n",
    "hello.txt": "Hello {{ name }}\n",
    "outer.txt": "{% include 'hello.txt' %}!",
    "wrong.txt": "one\n{% if %}\n",
    "undefined.txt": "one\ntwo {{ nothing }}\n",
    "around.txt": "{% include 'undefined.txt' %}",
    "endless.txt": "{% include 'endless.txt' %}",
    "macros.txt": "{% macro greet(who) %}Hi {{ who }}{% endmacro %}",
    "uses.txt": "{% from 'macros.txt' import greet %}{{ greet(name) }}",
}
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
LIMITED = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux holds a process to its memory"
)


CONFINED = pytest.mark.skipif(confinement() is None, reason="this kernel has no Landlock")


@pytest.fixture(scope="module", params=["free", pytest.param("confined", marks=CONFINED)])
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    policy = confinement() if request.param == "confined" else None
    with Renderer({"keep_trailing_newline": True}, FILES, confinement=policy) as made:
        yield made


def text(renderer: Renderer, source: str) -> str | RenderFailure:
    (said,) = renderer.render({"name": "Ana", "many": ["a", "b"]}, [RenderItem("text", source)])
    return said


def file(renderer: Renderer, name: str) -> str | RenderFailure:
    (said,) = renderer.render({"name": "Ana"}, [RenderItem("file", name)])
    return said


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("plain", "plain"),
        ("", ""),
        ("{{ name }}", "Ana"),
        ("{{ name | upper }}\n", "ANA\n"),
        ("{% for each in many %}{{ each }}{% if not loop.last %}, {% endif %}{% endfor %}", "a, b"),
        ("{{ many | join('-') * 2 }}", "a-ba-b"),
        ("{{ {'a': [1]} | to_json }}", '{"a": [1]}'),
        ("{{ {'a': 1} | to_nice_json }}", '{\n    "a": 1\n}'),
        ("{{ 'a b' | quote }}", "'a b'"),
        ("{{ 'A-b c' | regex_replace('[^a-z]+', '_', ignorecase=true) }}", "A_b_c"),
        ("{{ 'a1b2' | regex_replace('([a-z])([0-9])', '\\\\2\\\\1') }}", "1a2b"),
        ("{{ 'a1' | regex_search('^[a-z]') }}", "a"),
        ("{{ 'x=3' | regex_search('(?P<k>.)=(.)', '\\\\g<k>', '\\\\2') | join('+') }}", "x+3"),
        ("{{ 'A' | regex_search('^[a-z]') }}", ""),
        ("{% if not ('1a' | regex_search('^[a-z]')) %}no{% endif %}", "no"),
        ("{{ 'yes' | bool }}{{ 'no' | bool }}{{ 1 | bool }}", "TrueFalseTrue"),
        ("{{ '%Y-%m' | strftime(0, utc=true) }}", "1970-01"),
        ("{{ '%Y' | strftime | int > 2000 }}", "True"),
        ("{{ '%s and %5d' % ('x', 3) }}", "x and     3"),
        ("{{ 2 ** 10 * 3 }}", "3072"),
        ("{# nothing #}", ""),
    ],
)
def test_what_templates_may_do(renderer: Renderer, source: str, becomes: str) -> None:
    assert text(renderer, source) == becomes


def test_files_take_in_others(renderer: Renderer) -> None:
    assert file(renderer, "plain.txt") == "no template\n"
    assert file(renderer, "outer.txt") == "Hello Ana\n!"
    assert file(renderer, "uses.txt") == "Hi Ana"


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("{% if %}", "syntax", "Expected an expression"),
        ("{{ x", "syntax", "unexpected end of template"),
        ("{{ 1 | no_such }}", "syntax", "No filter named 'no_such'"),
        ("{% yield x from many %}", "syntax", "unknown tag"),
        ("{{ nothing }}", "undefined", "'nothing' is undefined"),
        ("{{ name.nothing }}", "undefined", "no attribute 'nothing'"),
        ("{{ 1 / 0 }}", "failed", "ZeroDivisionError"),
        ("{{ 'a' | regex_search('(') }}", "failed", "unterminated subpattern"),
        ("{% include '/etc/passwd' %}", "missing", "includes '/etc/passwd'"),
        ("{% include '../outer.txt' %}", "missing", "which does not exist"),
        ("{{ ''.__class__.__mro__ }}", "unsafe", "__class__"),
        ("{{ cycler.__init__.__globals__ }}", "unsafe", "__init__"),
        ("{{ many.append(1) }}", "unsafe", "append"),
        ("{{ '{0.__class__}'.format(1) }}", "unsafe", "__class__"),
        ("{{ ('{0.__clas' ~ 's__}') | format }}", "", "{0.__class__}"),
        ("{{ 'a' * 10 ** 10 }}", "large", "a repetition"),
        ("{{ 10 ** 10 * 'a' }}", "large", "a repetition"),
        ("{{ [1] * 10 ** 9 }}", "large", "a repetition"),
        ("{{ 10 ** 100000 }}", "large", "bits"),
        ("{{ '%1000000000d' % 1 }}", "large", "a format width"),
        ("{{ range(10 ** 9) | list }}", "large", "Range too big"),
        ("{% for a in range(99999) %}{{ 'a' * 1000 }}{% endfor %}", "large", "8 MiB of text"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "large", "calls itself"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "large", "nested too deeply"),
    ],
)
def test_what_they_may_not(renderer: Renderer, source: str, kind: str, said: str) -> None:
    found = text(renderer, source)
    if isinstance(found, str):
        assert (kind, found) == ("", said)
    else:
        assert (found.kind, said in found.message) == (kind, True), found


@LIMITED
@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' | center(10 ** 10) }}",
        "{{ '{:9999999999}'.format(1) }}",
        "{{ '%*d' % (1000000000, 1) }}",
    ],
)
def test_memory_has_an_end(renderer: Renderer, source: str) -> None:
    found = text(renderer, source)
    assert isinstance(found, RenderFailure)
    assert "memory" in found.message
    assert text(renderer, "{{ name }}") == "Ana"


@pytest.mark.parametrize(
    ("name", "at", "line"),
    [
        ("wrong.txt", "wrong.txt", 2),
        ("undefined.txt", "undefined.txt", 2),
        ("around.txt", "undefined.txt", 2),
        ("endless.txt", "endless.txt", 1),
    ],
)
def test_the_place_of_a_fault(renderer: Renderer, name: str, at: str, line: int) -> None:
    found = file(renderer, name)
    assert isinstance(found, RenderFailure)
    assert (found.name, found.line) == (at, line)


@pytest.mark.slow
def test_an_endless_loop_is_ended_and_the_next_item_works() -> None:
    with Renderer({}, {}, seconds=0.5) as renderer:
        start = monotonic()
        said = renderer.render(
            {},
            [
                RenderItem("text", "{{ 1 }}"),
                RenderItem("text", LOOP),
                RenderItem("text", "{{ 2 }}"),
            ],
        )
        assert monotonic() - start < 30
        assert said[0] == "1"
        for each in said[1:]:
            assert isinstance(each, RenderFailure)
            assert each.message == "takes longer than 0.5 seconds to render"
        assert renderer.render({}, [RenderItem("text", "{{ 3 }}")]) == ["3"]


@pytest.mark.slow
def test_a_pattern_that_tries_for_ever_is_ended() -> None:
    pattern = "{{ ('a' * 40 ~ 'b') | regex_search('^(a+)+$') }}"
    with Renderer({}, {}, seconds=0.5) as renderer:
        (said,) = renderer.render({}, [RenderItem("text", pattern)])
        assert isinstance(said, RenderFailure)
        assert said.kind == "time"


def test_plain_texts_start_no_process() -> None:
    with Renderer({}, {}) as renderer:
        assert renderer.render({}, [RenderItem("text", "a [[ b ]]"), RenderItem("text", "")]) == [
            "a [[ b ]]",
            "",
        ]
        assert renderer._process is None


@pytest.mark.slow
def test_options_of_jinja() -> None:
    options = {
        "variable_start_string": "[[", "variable_end_string": "]]",
        "block_start_string": "[%", "block_end_string": "%]",
        "comment_start_string": "[#", "comment_end_string": "#]",
        "trim_blocks": True, "keep_trailing_newline": True,
    }  # fmt: skip
    with Renderer(options, {}) as renderer:
        source = "{{ kept }} [[ name ]]\n[% if true %]\nyes\n[% endif %]\n"
        assert renderer.render({"name": "x"}, [RenderItem("text", source)]) == [
            "{{ kept }} x\nyes\n"
        ]
    with Renderer({"line_statement_prefix": "%"}, {}) as renderer:
        source = "% for a in [1, 2]\n{{ a }}\n% endfor"
        assert renderer.render({}, [RenderItem("text", source)]) == ["1\n2\n"]
    with Renderer({"undefined": "jinja2.Undefined"}, {}) as renderer:
        assert renderer.render({}, [RenderItem("text", "a{{ nothing }}b")]) == ["ab"]
    with Renderer({}, {}, ["jinja2.ext.do", "jinja2.ext.loopcontrols"]) as renderer:
        source = "{% for a in [1, 2] %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% endfor %}"
        assert renderer.render({}, [RenderItem("text", source)]) == ["1"]


def test_the_process_has_nothing_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module of the user's folder is not imported, and no variable is handed on."""
    mark = tmp_path / "mark"
    for name in ("jinja2", "json", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.chdir(tmp_path)
    with Renderer({}, {}) as renderer:
        assert renderer.render({}, [RenderItem("text", "{{ 1 }}")]) == ["1"]
    assert not mark.exists()


def test_options_that_jinja_refuses_are_told() -> None:
    with Renderer({"newline_sequence": "x"}, {}) as renderer:
        (said,) = renderer.render({}, [RenderItem("text", "{{ 1 }}")])
        assert isinstance(said, RenderFailure)
        assert said.kind == "options"
        assert said.message.startswith("Jinja rejects the options in _envops")


def test_it_ends_with_its_renderer() -> None:
    renderer = Renderer({}, {})
    renderer.render({}, [RenderItem("text", "{{ 1 }}")])
    process = renderer._process
    assert process is not None
    assert process.poll() is None
    renderer.close()
    assert process.poll() is not None
    renderer.close()


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_process_that_dies_is_a_failure_and_not_a_crash() -> None:
    with Renderer({}, {}) as renderer:
        renderer.render({}, [RenderItem("text", "{{ 1 }}")])
        assert renderer._process is not None
        renderer._process.kill()
        renderer._process.wait()
        (said,) = renderer.render({}, [RenderItem("text", "{{ 1 }}")])
        assert isinstance(said, RenderFailure)
        assert said.kind == "ended"
        assert renderer.render({}, [RenderItem("text", "{{ 1 }}")]) == ["1"]


ESCAPE = """
import socket

def escape(what):
    try:
        exec(what, {"os": os, "socket": socket})
    except OSError as error:
        return f"refused: {error.strerror}"
    return "done"

FILTERS["escape"] = escape
sys.exit(main())
"""
"""What a hole in Jinja's sandbox would let a template do."""


@pytest.mark.parametrize("how", ["free", pytest.param("confined", marks=CONFINED)])
@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd').read()",
        "os.listdir('/')",
        "open('FOLDER/new', 'w')",
        "os.unlink('FOLDER/child.py')",
        "socket.socket()",
        "os.posix_spawn('/bin/true', ['true'], {})",
    ],
)
def test_what_escapes_from_jinja_stays_confined(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attempt: str, how: str
) -> None:
    child, _, _ = (
        Path(renderer_module.__file__).with_name("child.py").read_text().rpartition("\nif ")
    )
    (tmp_path / "child.py").write_text(child + ESCAPE)
    monkeypatch.setattr(renderer_module, "_CHILD", str(tmp_path / "child.py"))
    policy = confinement() if how == "confined" else None
    with Renderer({}, {}, confinement=policy) as opened:
        said = text(opened, f'{{{{ "{attempt.replace("FOLDER", str(tmp_path))}" | escape }}}}')
    assert str(said).startswith("done" if how == "free" else "refused: "), said
