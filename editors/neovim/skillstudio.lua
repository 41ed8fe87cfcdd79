-- skillstudio's language server for Neovim 0.7 and later. Copy this file to the folder "plugin" of
-- your configuration. Settings, in init.lua:
--
--   vim.g.skillstudio_trusted = { "~/work" }  -- use .venv of projects in these folders
--   vim.g.skillstudio_fix_on_save = true      -- apply safe fixes on save

local is_windows = vim.fn.has("win32") == 1
local names = { "SKILL.md", "skill.toml", "skillstudio.toml" }
local clients = {}

local function is_below(path, folder)
  local parent = vim.fn.fnamemodify(vim.fn.expand(folder), ":p"):gsub("[/\\]+$", "") .. "/"
  return vim.startswith(path:gsub("\\", "/") .. "/", (parent:gsub("\\", "/")))
end

local function find_up(file, markers)
  local folder, last = vim.fn.fnamemodify(file, ":p:h"), nil
  while folder ~= last do
    for _, name in ipairs(markers) do
      if vim.fn.getftype(folder .. "/" .. name) ~= "" then
        return folder
      end
    end
    folder, last = vim.fn.fnamemodify(folder, ":h"), folder
  end
end

local function find_program(name, root, is_trusted)
  for _, entry in ipairs(vim.split(vim.env.PATH or "", is_windows and ";" or ":")) do
    local file = entry .. "/" .. name .. (is_windows and ".exe" or "")
    local is_absolute = entry:match("^/") or entry:match("^%a:[/\\]")
    if is_absolute and (is_trusted or not is_below(entry, root)) and vim.fn.executable(file) == 1 then
      return file
    end
  end
end

local function find_command(root)
  local is_trusted = false
  for _, folder in ipairs(vim.g.skillstudio_trusted or {}) do
    is_trusted = is_trusted or is_below(root, folder)
  end
  for _, name in ipairs(is_trusted and { ".venv", "venv" } or {}) do
    local scripts = is_windows and "/Scripts/skillstudio.exe" or "/bin/skillstudio"
    local file = root .. "/" .. name .. scripts
    if vim.fn.executable(file) == 1 then
      return { file, "lsp" }
    end
  end
  local installed = find_program("skillstudio", root, is_trusted)
  if installed then
    return { installed, "lsp" }
  end
  local uvx = find_program("uvx", root, is_trusted)
  return uvx and { uvx, "--from", "skillstudio[lsp]", "skillstudio", "lsp" }
end

local function apply_safe_fixes(client, buffer)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = {
      start = { line = 0, character = 0 },
      ["end"] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 },
    },
    context = { diagnostics = {}, only = { "source.fixAll.skillstudio" } },
  }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/codeAction", params, 3000)
  for _, action in ipairs(((answers or {})[client.id] or {}).result or {}) do
    vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
  end
end

local function on_attach(client, buffer)
  local group = vim.api.nvim_create_augroup("skillstudio." .. buffer, {})
  vim.api.nvim_create_autocmd("BufWritePre", {
    group = group,
    buffer = buffer,
    callback = function()
      if vim.g.skillstudio_fix_on_save then
        apply_safe_fixes(client, buffer)
      end
    end,
  })
  if vim.lsp.codelens.enable then
    return vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  vim.lsp.codelens.refresh()
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
    group = group,
    buffer = buffer,
    callback = function()
      vim.lsp.codelens.refresh()
    end,
  })
end

local function start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local skill = find_up(file, { "SKILL.md", "skill.toml" })
  if not skill and not vim.tbl_contains(names, vim.fn.fnamemodify(file, ":t")) then
    return
  end
  local root = find_up(file, { "skillstudio.toml", ".git" }) or skill or folder
  local id = clients[root]
  if not (id and vim.lsp.get_client_by_id(id)) then
    local command = find_command(root)
    if not command then
      return vim.notify_once("skillstudio: install skillstudio[lsp] or uv", vim.log.levels.WARN)
    end
    id = (vim.lsp.start or vim.lsp.start_client)({
      name = "skillstudio",
      cmd = command,
      root_dir = root,
      on_attach = on_attach,
    }, { bufnr = buffer })
    clients[root] = id
  end
  vim.lsp.buf_attach_client(buffer, id)
end

vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("skillstudio", {}),
  pattern = { "markdown", "json", "toml", "yaml" },
  callback = function(event)
    if vim.bo[event.buf].buftype == "" and vim.api.nvim_buf_get_name(event.buf) ~= "" then
      start(event.buf)
    end
  end,
})
