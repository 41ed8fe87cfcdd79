"""A real editor: Neovim opens a skill, shows a problem, and applies the fix."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("nvim") is None, reason="nvim is not installed")

TEXT = "---\nname: tea\ndescription: Makes tea when asked.\n---\nMake tea.\n"
SCRIPT = """
local said = {}
local function say(text) table.insert(said, text) end
vim.o.swapfile = false
vim.cmd("edit " .. vim.env.SKILL)
local id = vim.lsp.start_client({
  name = "skillstudio",
  cmd = { vim.env.PYTHON, "-m", "skillstudio", "lsp" },
  root_dir = vim.env.ROOT,
})
vim.lsp.buf_attach_client(0, id)
local function wait(what, done)
  if not vim.wait(60000, done, 5) then error("no " .. what) end
end
local function line() return vim.api.nvim_buf_get_lines(0, 2, 3, true)[1] end
local client
wait("start", function()
  client = vim.lsp.get_client_by_id(id)
  return client and client.initialized
end)
vim.api.nvim_win_set_cursor(0, { 3, 0 })
vim.cmd("normal! fwi: ")
wait("a problem", function() return #vim.diagnostic.get(0) > 0 end)
for _, each in ipairs(vim.diagnostic.get(0)) do
  say(each.lnum .. ":" .. each.col .. " " .. each.message)
end
say(line())
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)
local action = answers[id].result[1]
say(action.title)
vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
say(line())
wait("fixed problem", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("silent write")
vim.fn.writefile(said, vim.env.SAID)
vim.cmd("qall!")
"""


def test_a_colon_is_reported_and_fixed(tmp_path: Path) -> None:
    skill = tmp_path / "tea" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_text(TEXT)
    script = tmp_path / "script.lua"
    script.write_text(SCRIPT)
    environment = os.environ | {
        "SKILL": str(skill), "ROOT": str(tmp_path), "PYTHON": sys.executable,
        "XDG_STATE_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path),
        "SAID": str(tmp_path / "said"), "SCRIPT": str(script),
    }  # fmt: skip
    start = "lua if not pcall(dofile, vim.env.SCRIPT) then vim.cmd('cquit') end"
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", start]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "said").read_text().splitlines() == [
        "2:23 unquoted `: ` starts a nested value in YAML; quote this text",
        "description: Makes tea : when asked.",
        "Quote this value",
        'description: "Makes tea : when asked."',
    ]
    assert skill.read_text().splitlines()[2] == 'description: "Makes tea : when asked."'
