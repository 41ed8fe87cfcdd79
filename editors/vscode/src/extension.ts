/** The extension: starts `skillstudio lsp`, and the commands around it. */

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { ServerState, SkillClient } from "./client";
import { chooseCommand, type Command, type Machine } from "./command";
import { COMPARE, DRY_RUN, Jobs, messageOf, NOT_FOUND, TASK_TYPE, type Studio } from "./jobs";
import { isOlder } from "./version";

/** Files whose opening starts the server; a web app can have a manifest.json, too. */
const STARTERS = ["SKILL.md", "skill.toml", "skillstudio.toml"];
/** Files of skills; the server has no problems for files that belong to none. */
const DOCUMENTS = [
  { scheme: "file", pattern: "**/*.{md,json,toml,yaml,yml}" },
  { scheme: "file", pattern: "**/scripts/**" },
];
const EXPLANATION = "skillstudio-rule";
/** Whether the server runs, for the walkthrough. */
const IS_RUNNING = "skillstudio.isRunning";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new Server(context.extensionPath, String(context.extension.packageJSON.version));
  const jobs = new Jobs(started);
  started.jobs = jobs;
  server = started;
  const { commands, tasks, workspace } = vscode;
  context.subscriptions.push(
    started,
    commands.registerCommand("skillstudio.restart", () => started.restart()),
    commands.registerCommand("skillstudio.showOutput", () => started.output.show()),
    commands.registerCommand("skillstudio.explainRule", explainRule),
    commands.registerCommand("skillstudio.newSkill", (uri) => jobs.createSkill(asUri(uri))),
    commands.registerCommand("skillstudio.openWorkbench", (uri) => jobs.openWorkbench(asUri(uri))),
    commands.registerCommand("skillstudio.dryRunOperation", (uri) => jobs.dryRun(asUri(uri))),
    commands.registerCommand("skillstudio.previewOutputs", (uri) => jobs.previewOutputs(asUri(uri))),
    commands.registerCommand("skillstudio.compareVersions", (uri) => jobs.compareVersions(asUri(uri))),
    commands.registerCommand("skillstudio.checkWorkspace", () => jobs.checkWorkspace()),
    tasks.registerTaskProvider(TASK_TYPE, jobs),
    workspace.registerTextDocumentContentProvider(EXPLANATION, {
      provideTextDocumentContent: (uri) => started.ask(["explain", path.parse(uri.path).name]),
    }),
    workspace.onDidOpenTextDocument((document) => {
      if (startsServer(document)) {
        void started.start();
      }
    }),
    workspace.onDidGrantWorkspaceTrust(() => started.again()),
    workspace.onDidChangeWorkspaceFolders(() => started.again()),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("skillstudio.command")) {
        void started.again();
      }
    }),
  );
  if (workspace.textDocuments.some(startsServer) || (await hasSkill())) {
    await started.start();
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function startsServer(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && STARTERS.includes(path.basename(document.uri.fsPath));
}

async function hasSkill(): Promise<boolean> {
  const files = await vscode.workspace.findFiles(
    `**/{${STARTERS.join(",")}}`, "**/{node_modules,.venv,venv}/**", 1,
  );
  return files.length > 0;
}

/** The argument of a menu; the palette and key bindings can have any or none. */
function asUri(argument: unknown): vscode.Uri | undefined {
  return argument instanceof vscode.Uri ? argument : undefined;
}

/** The language server of this window; its changes of state happen one after another. */
class Server implements vscode.Disposable, Studio {
  readonly output = vscode.window.createOutputChannel("skillstudio", { log: true });
  private readonly status = vscode.languages.createLanguageStatusItem("skillstudio", DOCUMENTS);
  jobs: Jobs | undefined;
  private client: SkillClient | undefined;
  private isWanted = false;
  private hasWarned = false;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly folder: string, private readonly version: string) {
    this.status.name = "skillstudio";
    this.status.command = { command: "skillstudio.showOutput", title: "Show log" };
    this.show("not started");
  }

  /** Start the server unless it was started before. */
  start(): Promise<void> {
    return this.isWanted ? this.last : this.restart();
  }

  /** Start the server again if it was started before. */
  again(): Promise<void> {
    return this.isWanted ? this.restart() : this.last;
  }

  restart(): Promise<void> {
    this.isWanted = true;
    return this.next(async () => {
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    this.isWanted = false;
    return this.next(() => this.end());
  }

  dispose(): void {
    this.status.dispose();
    this.output.dispose();
  }

  /** The command to start skillstudio with. */
  command(): Command | undefined {
    const { workspace } = vscode;
    const settings = workspace.getConfiguration("skillstudio");
    const setting = workspace.isTrusted
      ? settings.get<unknown>("command")
      : settings.inspect<unknown>("command")?.globalValue;
    return chooseCommand(
      words(setting),
      (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      workspace.isTrusted,
      MACHINE,
    );
  }

  /** The output of a command, or what went wrong. */
  async ask(args: readonly string[]): Promise<string> {
    try {
      return await this.query(args);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async query(args: readonly string[]): Promise<string> {
    const command = this.command();
    if (command === undefined) {
      throw new Error(NOT_FOUND);
    }
    try {
      const result = await promisify(execFile)(command.program, [...command.args, ...args], {
        cwd: this.folder,
        timeout: 60_000,
        maxBuffer: 32 * 1024 * 1024,
      });
      return result.stdout;
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      throw new Error(stderr || message);
    }
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step, step);
    return this.last;
  }

  private async begin(): Promise<void> {
    const command = this.command();
    if (command === undefined) {
      this.show("not found", NOT_FOUND);
      void this.report(NOT_FOUND, "Open Settings");
      return;
    }
    this.output.info(`starting ${[command.program, ...command.args, "lsp"].join(" ")}`);
    const { SkillClient } = await import("./client.js");
    const client = new SkillClient({
      command,
      cwd: this.folder,
      documents: DOCUMENTS,
      output: this.output,
      executeCommand: (name, args, next) => {
        const uri = typeof args[0] === "string" ? vscode.Uri.parse(args[0], true) : undefined;
        if (uri !== undefined && name === DRY_RUN) {
          return this.jobs?.dryRun(uri, String(args[1]));
        }
        if (uri !== undefined && name === COMPARE) {
          return this.jobs?.compareWithLastVersion(uri);
        }
        return next(name, args);
      },
      onState: (changed, state) => {
        if (this.client === changed) {
          this.show(state, state === "running" ? describe(command, changed.version) : "");
        }
      },
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const message = (await client.lastError()) || messageOf(error);
      this.show("failed", message);
      void this.report(`skillstudio (from ${command.origin}) did not start: ${message}`, "Show Log");
      return;
    }
    this.show("running", describe(command, client.version));
    this.compareVersions(command, client.version);
  }

  /** Warn once if the server is older than the extension. */
  private compareVersions(command: Command, version: string): void {
    if (this.hasWarned || !isOlder(version, this.version)) {
      return;
    }
    this.hasWarned = true;
    const update =
      command.origin === "uvx"
        ? "Update it with `uvx --refresh --from 'skillstudio[lsp]' skillstudio --version`"
        : "Update it with `pip install -U 'skillstudio[lsp]'`";
    void this.report(
      `skillstudio ${version} (${command.program}) is older than this extension (${this.version}). ` +
        `${update}, or choose another one with the setting skillstudio.command.`,
      "Open Settings",
      vscode.window.showWarningMessage,
    );
  }

  private async end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop();
    }
    this.show("stopped");
  }

  private show(state: ServerState | "not started" | "not found", detail = ""): void {
    const { Error: failed, Information: fine } = vscode.LanguageStatusSeverity;
    this.status.text = `skillstudio: ${state}`;
    this.status.detail = detail;
    this.status.busy = state === "starting";
    this.status.severity = ["not found", "failed"].includes(state) ? failed : fine;
    void vscode.commands.executeCommand("setContext", IS_RUNNING, state === "running");
  }

  private async report(
    message: string,
    action: "Open Settings" | "Show Log",
    show: (message: string, action: string) => Thenable<string | undefined> =
      vscode.window.showErrorMessage,
  ): Promise<void> {
    if ((await show(message, action)) === undefined) {
      return;
    }
    if (action === "Show Log") {
      this.output.show();
    } else {
      await vscode.commands.executeCommand("workbench.action.openSettings", "skillstudio.command");
    }
  }
}

/** The version of a running server, and where it comes from. */
function describe(command: Command, version: string): string {
  const origin = command.program.startsWith(command.origin)
    ? command.program
    : `${command.program} (${command.origin})`;
  return `${version} from ${origin}`.trim();
}

const MACHINE: Machine = {
  platform: process.platform,
  env: process.env,
  isExecutable(file) {
    try {
      fs.accessSync(file, fs.constants.X_OK);
      return fs.statSync(file).isFile();
    } catch {
      return false;
    }
  },
};

/** A setting as a list of texts; a wrong type counts as empty. */
function words(setting: unknown): string[] {
  return Array.isArray(setting) ? setting.filter((word) => typeof word === "string") : [];
}

/** Explain a rule of the problems at the cursor, or one that is entered. */
async function explainRule(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const rules = new Set<string>();
  if (editor) {
    for (const { code, range, source } of vscode.languages.getDiagnostics(editor.document.uri)) {
      if (source === "skillstudio" && range.intersection(editor.selection)) {
        rules.add(String(typeof code === "object" ? code.value : code));
      }
    }
  }
  const choices = [...rules];
  const rule =
    choices.length === 0
      ? await vscode.window.showInputBox({
          prompt: "Rule or kind of change, for example description-unquoted",
        })
      : choices.length === 1
        ? choices[0]
        : await vscode.window.showQuickPick(choices, { placeHolder: "Rule" });
  if (!rule) {
    return;
  }
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(rule)) {
    void vscode.window.showErrorMessage(`${rule} is not the name of a rule.`);
    return;
  }
  const uri = vscode.Uri.from({ scheme: EXPLANATION, path: `/${rule}.txt` });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
    preview: true,
    viewColumn: vscode.ViewColumn.Beside,
  });
}
