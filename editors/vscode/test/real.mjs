// Try the package in a real VS Code: code-server, driven through Chromium.
//
// CODE_SERVER and CHROMIUM name the programs, SKILLSTUDIO_COMMAND (a JSON list of words) the
// server, and SCREENSHOTS a folder for an image of each step. Each step waits for a state of the
// screen or of a file, and fails if it does not come.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const { CODE_SERVER, CHROMIUM, SCREENSHOTS } = process.env;
assert.ok(CODE_SERVER && CHROMIUM, "set CODE_SERVER and CHROMIUM to the programs");
const STUDIO = JSON.parse(process.env.SKILLSTUDIO_COMMAND ?? '["skillstudio"]');
const PACKAGE = resolve("dist/skillstudio.vsix");
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);
const LINES = ".editor-instance .view-lines";
const CHROMIUM_OPTIONS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const home = mkdtempSync(join(tmpdir(), "real vscode-"));
const workspace = join(home, "my skills");
const memory = join(workspace, "memory", "SKILL.md");
const data = join(home, "data");
const steps = [];
let page;

function prepare() {
  cpSync("../../examples/memory", join(workspace, "memory"), { recursive: true });
  mkdirSync(join(workspace, "closed"));
  writeFileSync(join(workspace, "closed", "SKILL.md"), "---\nname: Closed\ndescription: Use when asked.\n---\n");
  const git = (...args) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
    cwd: workspace, stdio: "ignore",
  });
  git("init");
  git("add", ".");
  git("commit", "-m", "first");
  configure(STUDIO);
}

function configure(program) {
  const settings = {
    "skillstudio.command": program,
    "workbench.startupEditor": "none",
    "terminal.integrated.gpuAcceleration": "off",
    "security.workspace.trust.startupPrompt": "never",
    "editor.wordWrap": "on",
    "files.autoSave": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
  };
  // In a remote window, the setting that names a program belongs to the machine.
  for (const folder of ["User", "Machine"]) {
    mkdirSync(join(data, folder), { recursive: true });
    writeFileSync(join(data, folder, "settings.json"), JSON.stringify(settings));
  }
}

const environment = {
  ...process.env,
  HOME: home,
  XDG_CONFIG_HOME: join(home, "config"),
  XDG_DATA_HOME: join(home, "share"),
  XDG_STATE_HOME: join(home, "state"),
  XDG_CACHE_HOME: join(home, "cache"),
};
const FOLDERS = [
  "--config", join(home, "config.yaml"), "--user-data-dir", data, "--extensions-dir", join(home, "extensions"),
];

/** Start code-server; its process, and its address once it listens. */
function serve() {
  const options = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
  const server = spawn(CODE_SERVER, [...FOLDERS, ...options], { env: environment, detached: true });
  let text = "";
  const address = new Promise((listening, failed) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (part) => {
        text += part;
        const match = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(text);
        if (match) {
          listening(match[1]);
        }
      });
    }
    server.once("error", failed);
    server.once("exit", () => failed(new Error(`code-server ended:\n${text}`)));
  });
  return { server, address };
}

/** Wait until a condition is true. */
async function until(what, condition) {
  const deadline = Date.now() + PATIENCE;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `not seen in time: ${what}`);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => next())));
  }
}

async function step(name, run) {
  try {
    await run();
  } catch (error) {
    await picture(`failed ${name}`);
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
  await picture(name);
  steps.push(name);
  console.log(`ok ${steps.length} - ${name}`);
}

async function picture(name) {
  if (SCREENSHOTS) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    const number = String(steps.length + 1).padStart(2, "0");
    await page.screenshot({ path: join(SCREENSHOTS, `${number} ${name}.png`.replaceAll(" ", "-")) });
  }
}

const visible = (selector, text) =>
  page.locator(selector, text === undefined ? {} : { hasText: text }).first().waitFor({ timeout: PATIENCE });
const gone = (selector, text) =>
  page.locator(selector, { hasText: text }).first().waitFor({ state: "hidden", timeout: PATIENCE });
/** The text of the visible lines of all editors; VS Code draws spaces as no-break spaces. */
const shownText = async (selector = LINES) =>
  (await page.locator(selector).allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
const shows = (text, selector) => until(text, async () => (await shownText(selector)).includes(text));

/** Enter a text in the quick input, once it is open and has the item to choose. */
async function choose(text, item) {
  const input = page.locator(".quick-input-widget input.input:visible");
  await input.waitFor({ timeout: PATIENCE });
  await input.fill(text);
  if (item !== undefined) {
    await visible(".quick-input-list .monaco-list-row.focused", item);
  }
  await input.press("Enter");
}

async function command(title) {
  await page.keyboard.press("F1");
  await choose(`>${title}`, title);
}

async function openMemory() {
  await page.keyboard.press("Control+P");
  await choose("memory/SKILL.md", /SKILL\.md.*memory/);
  await visible(".tab.active", "SKILL.md");
}

/** Put the cursor after a part of a line; the line number comes from the file on disk. */
async function go(line, part, file = memory) {
  const lines = readFileSync(file, "utf8").split("\n");
  const index = lines.findIndex((candidate) => candidate.includes(line));
  const place = `${index + 1}:${lines[index].indexOf(part) + part.length + 1}`;
  await page.keyboard.press("Control+G");
  await choose(`:${place}`);
  const [row, column] = place.split(":");
  await visible(".statusbar-item", `Ln ${row}, Col ${column}`);
}

/** Save all files, until the manifest on the disk matches. */
async function save(expression) {
  await command("File: Save All");
  await until(`on the disk: ${expression}`, () => expression.test(readFileSync(memory, "utf8")));
}

async function drive(address) {
  await page.goto(`${address}/?folder=${encodeURIComponent(workspace)}`);
  await step("open a skill", async () => {
    await visible(".monaco-workbench .explorer-folders-view", "memory");
    await openMemory();
    await shows("name: memory");
    await visible(".codelens-decoration", "loads in");
  });
  await step("restricted mode", async () => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input.input:visible").fill(">skillstudio:");
    await visible(".quick-input-list .monaco-list-row", "Explain Rule");
    const rows = await shownText(".quick-input-list .monaco-list-row");
    assert.doesNotMatch(rows, /New Skill|Open Workbench|Check Workspace|Dry-Run|Preview|Compare/);
    await page.keyboard.press("Escape");
    await command("Workspaces: Manage Workspace Trust");
    await page.locator(".workspace-trust-editor .monaco-button", { hasText: "Trust" }).first().click();
    await visible(".workspace-trust-editor", "You trust this folder");
    await openMemory();
  });
  await step("status", async () => {
    await page.locator("#status\\.languageStatus").hover();
    await visible(".hover-language-status", "skillstudio: running");
    await visible(".hover-language-status", STUDIO[0]);
    await page.locator(LINES).first().click();
  });
  await step("code lenses", async () => {
    for (const text of ["dry-run search", "tokens always loaded", "loads in", "since"]) {
      await visible(".codelens-decoration", text);
    }
  });
  await step("context menu", async () => {
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "SKILL.md" }).first().click({ button: "right" });
    const entry = page.locator(".monaco-menu .action-item", { hasText: "skillstudio" }).first();
    await entry.waitFor({ timeout: PATIENCE });
    await entry.hover();
    await visible(".monaco-menu .monaco-submenu .action-item", "Compare Versions");
  });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.locator(".monaco-menu").first().waitFor({ state: "detached", timeout: PATIENCE });
  await page.locator(LINES).first().click();
  await step("report a colon", async () => {
    await go("description: Remember", "description: ");
    await page.keyboard.type("Use when: asked. ");
    await visible(".squiggly-error");
    await command("Problems: Focus on Problems View");
    await visible(".markers-panel .monaco-list-row", "unquoted");
  });
  await step("quick fix", async () => {
    await save(/Use when: asked/);
    await go("description: Use when", "Use when:");
    await page.keyboard.press("Control+.");
    await page.locator(".action-widget .monaco-list-row", { hasText: "Quote" }).first().click({ timeout: PATIENCE });
    await shows("Use when: asked. Remember");
    await gone(".markers-panel .monaco-list-row", "unquoted");
    await visible(".codelens-decoration", "loads in 6 of 6 targets");
    await save(/^description: ["']Use when: asked\. Remember.*["']$/m);
  });
  await step("rename an input", async () => {
    await go('"query": {', '"que');
    await page.keyboard.press("F2");
    const input = page.locator("input.rename-input");
    await input.waitFor({ timeout: PATIENCE });
    await input.fill("words");
    await input.press("Enter");
    await shows('"words": {');
    await save(/"words": \{/);
    assert.doesNotMatch(readFileSync(memory, "utf8"), /\{query\}|"query"/);
  });
  await step("go to the definition", async () => {
    await go('"{words}"', '{wor');
    await page.keyboard.press("F12");
    const lines = readFileSync(memory, "utf8").split("\n");
    await visible(".statusbar-item", `Ln ${lines.findIndex((line) => line.includes('"words": {')) + 1}, `);
  });
  await step("check the workspace", async () => {
    await command("skillstudio: Check Workspace");
    await shows("skills checked", ".xterm-rows");
    await command("Problems: Focus on Problems View");
    const problem = page.locator(".markers-panel .monaco-list-row", { hasText: "use only lowercase" });
    await problem.waitFor({ timeout: PATIENCE });
    // The server takes over the problems of a file that is opened.
    await problem.dblclick();
    await visible(".tab.active", "closed");
    await visible(".codelens-decoration", "loads in");
    assert.equal(await problem.count(), 1);
    await go("name: Closed", "name: ", join(workspace, "closed", "SKILL.md"));
    await page.keyboard.press("Delete");
    await page.keyboard.type("c");
    await problem.waitFor({ state: "detached", timeout: PATIENCE });
    await command("File: Save All");
    await openMemory();
    await shows('"words": {');
  });
  await step("dry-run an operation", async () => {
    await page.locator(".codelens-decoration a", { hasText: "dry-run search" }).first().click({ timeout: PATIENCE });
    await choose("green tea");
    await shows("memory search", ".xterm-rows");
    await shows("recorded as", ".xterm-rows");
  });
  await step("preview outputs", async () => {
    await command("skillstudio: Preview Outputs");
    await choose("search", "search");
    await choose("green tea");
    await shows("no declared output files", ".xterm-rows");
  });
  await step("compare versions", async () => {
    await command("skillstudio: Compare Versions");
    await choose("HEAD");
    await shows("major", ".xterm-rows");
  });
  await step("create a skill", async () => {
    await command("skillstudio: New Skill");
    await choose("agent-skills", "agent-skills");
    await choose("new-skill");
    const created = join(workspace, "new-skill", "SKILL.md");
    // The terminal asks the questions; each has a default.
    await shows("Name of the skill", ".xterm-rows");
    await page.keyboard.press("Enter");
    for (const question of ["What the skill is for", "When agents use it", "What the skill does", "Its steps"]) {
      await shows(question, ".xterm-rows");
      await page.keyboard.press("Enter");
    }
    await until("the new skill", () => existsSync(created));
    await shows("name: new-skill");
  });
  await step("open the workbench", async () => {
    await command("skillstudio: Open Workbench");
    await shows("Skills 1", ".editor-instance .xterm-rows");
  });
  await step("walkthrough", async () => {
    await command("Welcome: Open Walkthrough");
    await choose("skillstudio", "skillstudio");
    await visible(".gettingStartedContainer", "Create a skill");
    await page.locator(".gettingStartedContainer .monaco-button", { hasText: "Restart Server" }).click();
    await visible(".gettingStartedContainer .codicon-getting-started-step-checked");
  });
  await step("a server that ends", async () => {
    const message = "skillstudio: pygls is not installed";
    configure([process.execPath, "-e", `console.error("${message}"); process.exit(2)`]);
    await visible(".notification-toast", `did not start: ${message}`);
  });
}

prepare();
execFileSync(CODE_SERVER, [...FOLDERS, "--install-extension", PACKAGE], { env: environment, stdio: "inherit" });
const { server, address } = serve();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_OPTIONS });
try {
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  await drive(await address);
} finally {
  await browser.close();
  const ended = new Promise((resolved) => server.once("close", resolved));
  if (server.exitCode === null) {
    process.kill(-server.pid);
    await ended;
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
