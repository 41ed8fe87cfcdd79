-- A session in Neovim with the repository's configuration; writes what the editor shows as JSON.

local said = { titles = {}, messages = {} }

local function wait(what, done)
  if not vim.wait(15000, done, 5) then
    error("no " .. what)
  end
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, true)
end

local function put_cursor(pattern)
  for number, line in ipairs(lines()) do
    local column = line:find(pattern, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { number, column - 1 })
    end
  end
  error("no " .. pattern)
end

local function find_client()
  local list = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return list[1] and list[1].initialized and list[1]
end

vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    table.insert(said.titles, (options.format_item(item)))
  end
  choose(items[1], 1)
end
vim.lsp.handlers["window/showMessage"] = function(_, message)
  table.insert(said.messages, message.message)
end

local function session()
  vim.o.swapfile = false
  vim.o.hidden = true
  vim.cmd("edit " .. vim.env.SKILL)
  local skill = vim.api.nvim_get_current_buf()
  wait("client", find_client)
  local client = find_client()
  said.command = client.config.cmd
  said.root = client.config.root_dir

  -- Type a colon, and apply the first code action.
  put_cursor("description: Makes")
  vim.cmd("normal! A: now")
  wait("problem", function()
    return #vim.diagnostic.get(skill) > 0
  end)
  local problem = vim.diagnostic.get(skill)[1]
  said.problem = problem.lnum .. ":" .. problem.col .. " " .. problem.code
  vim.api.nvim_win_set_cursor(0, { problem.lnum + 1, problem.col })
  vim.lsp.buf.code_action()
  wait("quoted value", function()
    return table.concat(lines(), "\n"):find('asked.: now"', 1, true)
  end)
  said.fixed = vim.api.nvim_get_current_line()
  wait("end of the problem", function()
    return #vim.diagnostic.get(skill) == 0
  end)

  -- What is at the cursor.
  put_cursor("description")
  vim.lsp.buf.hover()
  local function find_float()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return window
      end
    end
  end
  wait("hover", find_float)
  said.hover = lines(vim.api.nvim_win_get_buf(find_float()))[1]
  vim.api.nvim_win_close(find_float(), true)
  local function ask(method, more)
    local params = vim.tbl_extend("force", {
      textDocument = { uri = vim.uri_from_bufnr(skill) },
    }, more or {})
    return vim.lsp.buf_request_sync(skill, method, params, 15000)[client.id].result
  end
  said.folds = #ask("textDocument/foldingRange")
  local position = { line = 6, character = 2 }
  said.completions = #ask("textDocument/completion", { position = position }).items

  -- Definition, references, symbols and rename of an input.
  put_cursor("kind}}")
  local before = vim.api.nvim_win_get_cursor(0)
  vim.lsp.buf.definition()
  wait("jump", function()
    return vim.api.nvim_win_get_cursor(0)[1] ~= before[1]
  end)
  said.definition = vim.api.nvim_win_get_cursor(0)
  vim.lsp.buf.references()
  wait("references", function()
    return #vim.fn.getqflist() > 0
  end)
  said.references = #vim.fn.getqflist()
  vim.cmd("cclose")
  vim.fn.setqflist({})
  vim.lsp.buf.document_symbol()
  wait("symbols", function()
    return #vim.fn.getqflist() + #vim.fn.getloclist(0) > 0
  end)
  vim.cmd("cclose | lclose")
  vim.api.nvim_set_current_buf(skill)
  put_cursor("kind}}")
  vim.lsp.buf.rename("leaf")
  wait("rename", function()
    return table.concat(lines(skill), "\n"):find("leaf}}", 1, true)
  end)
  said.renamed = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    for _, line in ipairs(vim.api.nvim_buf_is_loaded(buffer) and lines(buffer) or {}) do
      if line:find("leaf", 1, true) then
        table.insert(said.renamed, vim.trim(line))
      end
    end
  end

  -- Safe fixes on save.
  put_cursor("name: tea")
  vim.cmd("normal! olicense: MIT: x")
  vim.cmd("silent wall")
  said.saved = vim.fn.readfile(vim.env.SKILL)

  -- Code lenses.
  local function titles()
    local list = {}
    for _, lens in ipairs(vim.lsp.codelens.get(skill)) do
      table.insert(list, lens.command and lens.command.title or nil)
    end
    return list
  end
  wait("lenses", function()
    return #titles() == 3
  end)
  said.lenses = titles()
  vim.cmd("normal! gg")
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose)
    for number, item in ipairs(items) do
      if options.format_item(item):find("loads in", 1, true) then
        return choose(item, number)
      end
    end
  end
  wait("answers", function()
    return vim.tbl_isempty(client.requests)
  end)
  vim.lsp.codelens.run()
  wait("message of a lens", function()
    return #said.messages > 0
  end)
  said.links = #ask("textDocument/documentLink") -- Answered after the command.
  vim.lsp.stop_client(client.id)
  wait("end of the server", function()
    return not vim.lsp.get_client_by_id(client.id)
  end)
end

local ok, reason = xpcall(session, debug.traceback)
said.error = not ok and reason or nil
vim.fn.writefile({ vim.fn.json_encode(said) }, vim.env.SAID)
vim.cmd("qall!")
