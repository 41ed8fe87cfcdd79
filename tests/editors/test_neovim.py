"""Neovim with the repository's configuration: it finds a server and uses what it offers."""

from __future__ import annotations

import json
import shutil
import subprocess
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
ROOT = HERE.parents[1]
CONFIGURATION = ROOT / "editors" / "neovim" / "skillstudio.lua"
NEOVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NEOVIM is None, reason="nvim is not installed")


def start_neovim(variables: dict[str, str], script: str, init: str = "") -> None:
    """Run a command of Lua in Neovim with the configuration in its plugin folder."""
    folder = Path(variables["XDG_CONFIG_HOME"]) / "nvim"
    (folder / "plugin").mkdir(parents=True)
    shutil.copy(CONFIGURATION, folder / "plugin")
    (folder / "init.lua").write_text(init)
    done = subprocess.run(
        [str(NEOVIM), "--headless", "-i", "NONE", "-c", script],
        env=variables, cwd=variables["HOME"], capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> EditorSession:
    folder = tmp_path_factory.mktemp("neovim")
    skill = write_skill(folder / "work")
    log, said = folder / "log", folder / "said"
    write_server(folder / "bin" / "skillstudio", log)
    variables = environment(
        folder / "home", folder / "bin", SKILL=str(skill), SAID=str(said),
        SCRIPT=str(HERE / "neovim.lua"),
    )  # fmt: skip
    start_neovim(variables, "lua dofile(vim.env.SCRIPT)", "vim.g.skillstudio_fix_on_save = true\n")
    answer = json.loads(said.read_text())
    assert "error" not in answer, answer["error"]
    return EditorSession(answer, skill.parent, read_log(log))


def test_the_program_on_the_path_is_started_for_the_repository(session: EditorSession) -> None:
    top = session.folder.parents[1]
    assert session.answer["command"] == [str(top / "bin" / "skillstudio"), "lsp"]
    assert session.answer["root"] == str(top / "work")


def test_a_colon_is_reported_and_fixed(session: EditorSession) -> None:
    assert session.answer["problem"] == "4:39 description-unquoted"
    assert session.answer["titles"][0] == "Quote this value"
    assert session.answer["fixed"] == 'description: "Makes tea. Use when asked.: now"'


def test_a_key_is_explained_and_completed(session: EditorSession) -> None:
    assert "description" in session.answer["hover"]
    assert session.answer["completions"] > 0
    assert session.answer["folds"] > 3
    assert session.answer["links"] == 1


def test_an_input_is_renamed_in_all_files_and_leads_to_its_definition(
    session: EditorSession,
) -> None:
    assert session.answer["definition"] == [8, 12]
    assert session.answer["references"] == 3
    assert session.answer["renamed"] == [
        "- name: leaf", '- pattern: "cups/{{leaf}}.md"', "leaf: green"
    ]  # fmt: skip
    assert (session.folder / "samples" / "day.yaml").read_text() == "inputs:\n  leaf: green\n"


def test_safe_fixes_are_applied_on_save(session: EditorSession) -> None:
    assert 'license: "MIT: x"' in session.answer["saved"]
    assert 'license: "MIT: x"' in (session.folder / "SKILL.md").read_text()


def test_lenses_have_titles_and_run(session: EditorSession) -> None:
    tokens, targets, bump = session.answer["lenses"]
    assert "tokens always loaded" in tokens
    assert targets.startswith("loads in ")
    assert bump
    assert session.answer["messages"][0]


METHODS = (
    "textDocument/codeAction", "textDocument/codeLens", "codeLens/resolve",
    "textDocument/completion", "textDocument/definition", "textDocument/documentLink",
    "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/hover",
    "textDocument/references", "textDocument/prepareRename", "textDocument/rename",
    "workspace/executeCommand", "initialize", "shutdown",
)  # fmt: skip


def test_the_log_has_every_feature_and_only_messages_of_the_protocol(
    session: EditorSession,
) -> None:
    count = count_messages(session.log)
    assert [name for name in METHODS if not count[f"server response {name}"]] == []
    # Whatever Neovim asks after the shutdown is refused.
    methods = [entry.message.get("method") for entry in session.log]
    early = count_messages(session.log[: methods.index("shutdown")])
    assert not [name for name in early if " error " in name]
    conversation = Conversation()
    errors = [str(conversation.check(entry.message, entry.sender) or "") for entry in session.log]
    assert [error for error in errors if error.startswith("server")] == []


OPEN = """lua vim.cmd("edit " .. vim.env.SKILL) \
vim.wait(60000, function() return vim.fn.getfsize(vim.env.STARTED) > 0 end, 5) vim.cmd("qall!")"""


@pytest.mark.parametrize("case", CASES)
def test_a_program_is_found_in_this_order(case: str, tmp_path: Path) -> None:
    names, is_trusted, expected = CASES[case]
    variables, started = write_programs(tmp_path, names)
    init = f'vim.g.skillstudio_trusted = {{ "{tmp_path}/work/" }}\n' if is_trusted else ""
    start_neovim(variables, OPEN, init)
    (line,) = started.read_text().splitlines()
    assert line == f"{tmp_path}/{expected}"
