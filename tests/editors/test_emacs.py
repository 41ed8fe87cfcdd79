"""Emacs with the repository's configuration: it finds a server and uses what it offers."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from tests.editors.protocol_log import count_messages, read_log
from tests.editors.workspaces import (
    CASES,
    EditorSession,
    environment,
    write_programs,
    write_server,
    write_skill,
)
from tests.lsp.meta_model import Conversation

HERE = Path(__file__).parent
CONFIGURATION = HERE.parents[1] / "editors" / "emacs" / "skillstudio.el"
EMACS = shutil.which("emacs")


@cache
def has_eglot() -> bool:
    if EMACS is None:
        return False
    code = "(progn (require 'package) (package-initialize) (require 'eglot))"
    command = [EMACS, "--batch", "--eval", code]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", autouse=True)
def emacs() -> None:
    if EMACS is None:
        pytest.skip("emacs is not installed")
    if not has_eglot():
        pytest.skip("the package eglot of Emacs is not installed")


pytestmark = pytest.mark.slow


def start_emacs(variables: dict[str, str], form: str = "nil") -> str:
    """Run the session in Emacs; return what Emacs printed."""
    script = str(HERE / "emacs.el")
    done = subprocess.run(
        [str(EMACS), "--batch", "--eval", form, "-l", script],
        env=variables | {"CONFIGURATION": str(CONFIGURATION)}, cwd=variables["HOME"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> EditorSession:
    folder = tmp_path_factory.mktemp("emacs")
    skill = write_skill(folder / "work")
    log, said = folder / "log", folder / "said"
    write_server(folder / "bin" / "skillstudio", log)
    variables = environment(folder / "home", folder / "bin", SKILL=str(skill), SAID=str(said))
    start_emacs(variables)
    answer = json.loads(said.read_text())
    assert "error" not in answer, answer["error"]
    return EditorSession(answer, skill.parent, read_log(log))


def test_the_program_on_the_path_is_started(session: EditorSession) -> None:
    program = session.folder.parents[1] / "bin" / "skillstudio"
    assert session.answer["command"] == [str(program), "lsp"]


def test_a_colon_is_reported_and_fixed(session: EditorSession) -> None:
    assert "[description-unquoted]" in session.answer["problem"]
    assert session.answer["titles"][0] == "Quote this value"
    assert session.answer["fixed"] == 'description: "Makes tea. Use when asked.: now"'


def test_a_key_is_explained_and_symbols_are_listed(session: EditorSession) -> None:
    assert "description" in session.answer["hover"]
    assert session.answer["symbols"] > 0


def test_an_input_is_renamed_in_all_files_and_leads_to_its_definition(
    session: EditorSession,
) -> None:
    assert session.answer["definition"] == [8, 12]
    assert session.answer["references"] == 3
    assert session.answer["renamed"] == [
        "- name: leaf", '- pattern: "cups/{{leaf}}.md"', "leaf: green"
    ]  # fmt: skip


def test_safe_fixes_are_applied_on_save(session: EditorSession) -> None:
    assert session.answer["saved"] == 'license: "MIT: x"'
    assert 'license: "MIT: x"' in (session.folder / "SKILL.md").read_text()


def test_the_server_answers_with_messages_of_the_protocol(session: EditorSession) -> None:
    count = count_messages(session.log)
    assert not [name for name in count if name.startswith("server error")]
    conversation = Conversation()
    errors = [str(conversation.check(entry.message, entry.sender) or "") for entry in session.log]
    assert [error for error in errors if error.startswith("server")] == []


@pytest.mark.parametrize("case", CASES)
def test_a_program_is_found_in_this_order(case: str, tmp_path: Path) -> None:
    names, is_trusted, expected = CASES[case]
    variables, started = write_programs(tmp_path, names)
    trusted = f'(setq skillstudio-trusted (list "{tmp_path}/work/"))' if is_trusted else "nil"
    start_emacs(variables, trusted)
    assert started.read_text().splitlines()[0] == f"{tmp_path}/{expected}"
