/** The extension: starts `skillstudio lsp`, and the commands around it. */

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import { chooseCommand, type Command, type Machine } from "./command";

/** The command of the server's code lens above an operation: a document and the operation. */
const DRY_RUN = "skillstudio.dryRun";
const NOT_FOUND =
  "skillstudio is not installed. Install skillstudio[lsp] or uv, or set skillstudio.command.";
/** Files whose opening starts the server; a web app can have a manifest.json, too. */
const STARTERS = ["SKILL.md", "skill.toml", "skillstudio.toml"];
/** Files of skills; the server has no problems for files that belong to none. */
const DOCUMENTS = [{ scheme: "file", pattern: "**/*.{md,json,toml,yaml,yml}" }];
const EXPLANATION = "skillstudio-rule";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const started = new Server(context.extensionPath);
  server = started;
  const { commands, workspace } = vscode;
  context.subscriptions.push(
    started,
    commands.registerCommand("skillstudio.restart", () => started.restart()),
    commands.registerCommand("skillstudio.showOutput", () => started.output.show()),
    commands.registerCommand("skillstudio.explainRule", explainRule),
    commands.registerCommand("skillstudio.dryRunOperation", () => chooseOperation(started)),
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
  const found = await vscode.workspace.findFiles(
    `**/{${STARTERS.join(",")}}`, "**/{node_modules,.venv,venv}/**", 1,
  );
  return found.length > 0;
}

/** The language server of this window; its changes of state happen one after another. */
class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel("skillstudio", { log: true });
  private readonly status = vscode.languages.createLanguageStatusItem("skillstudio", DOCUMENTS);
  private client: LanguageClient | undefined;
  private isWanted = false;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly folder: string) {
    this.status.name = "skillstudio";
    this.status.command = { command: "skillstudio.showOutput", title: "Show output" };
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
      (workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath),
      workspace.isTrusted,
      MACHINE,
    );
  }

  /** The output of a command, or what went wrong. */
  async ask(args: readonly string[]): Promise<string> {
    const command = this.command();
    if (command === undefined) {
      return NOT_FOUND;
    }
    try {
      const done = await promisify(execFile)(command.program, [...command.args, ...args], {
        cwd: this.folder,
        timeout: 60_000,
      });
      return done.stdout;
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      return stderr || message;
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
    // Some programs read configuration from their working directory, so it is not the workspace.
    const options = { cwd: this.folder };
    const client = new QuietClient(
      "skillstudio",
      "skillstudio",
      { command: command.program, args: [...command.args, "lsp"], options },
      {
        documentSelector: DOCUMENTS,
        outputChannel: this.output,
        initializationFailedHandler: () => false,
        middleware: {
          executeCommand: (name, args, next) => {
            if (name === DRY_RUN) {
              return runOperation(this, String(args[0]), String(args[1]));
            }
            return next(name, args);
          },
        },
      },
    );
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.show(STATES[newState], newState === State.Running ? `from ${command.origin}` : "");
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.show("failed", message);
      void this.report(`skillstudio (from ${command.origin}) did not start: ${message}`, "Show Output");
    }
  }

  private async end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop();
    }
    this.show("stopped");
  }

  private show(state: string, detail = ""): void {
    const { Error: failed, Information: fine } = vscode.LanguageStatusSeverity;
    this.status.text = `skillstudio: ${state}`;
    this.status.detail = detail;
    this.status.busy = state === STATES[State.Starting];
    this.status.severity = ["not found", "failed"].includes(state) ? failed : fine;
  }

  private async report(message: string, action: "Open Settings" | "Show Output"): Promise<void> {
    if ((await vscode.window.showErrorMessage(message, action)) === undefined) {
      return;
    }
    if (action === "Show Output") {
      this.output.show();
    } else {
      await vscode.commands.executeCommand("workbench.action.openSettings", "skillstudio.command");
    }
  }
}

/** A client whose failure to start is reported once, by its caller. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown, notify?: boolean | "force"): void {
    super.error(message, data, this.state === State.Running ? notify : false);
  }
}

const STATES: Readonly<Record<State, string>> = {
  [State.Stopped]: "stopped",
  [State.Starting]: "starting",
  [State.Running]: "running",
  [State.StartFailed]: "failed",
};

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
  return Array.isArray(setting) ? setting.filter((each) => typeof each === "string") : [];
}

/** Explain a rule of the problems at the cursor, or one that is entered. */
async function explainRule(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const rules = new Set<string>();
  if (editor) {
    for (const each of vscode.languages.getDiagnostics(editor.document.uri)) {
      if (each.source === "skillstudio" && each.range.intersection(editor.selection)) {
        rules.add(String(typeof each.code === "object" ? each.code.value : each.code));
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

/** Choose an operation of the open document from its code lenses, and run it. */
async function chooseOperation(started: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    void vscode.window.showErrorMessage("Open the manifest of a skill first.");
    return;
  }
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>(
    "vscode.executeCodeLensProvider", uri,
  );
  const operations = (lenses ?? [])
    .filter((each) => each.command?.command === DRY_RUN)
    .map((each) => String(each.command?.arguments?.[1]));
  const operation =
    operations.length > 1
      ? await vscode.window.showQuickPick(operations, { placeHolder: "Operation" })
      : operations[0];
  if (operation !== undefined) {
    await runOperation(started, uri.toString(), operation);
  } else if (operations.length === 0) {
    void vscode.window.showErrorMessage("This file declares no operation.");
  }
}

/** Dry-run an operation in a terminal, without a shell. */
async function runOperation(started: Server, document: string, operation: string): Promise<void> {
  const refused = !vscode.workspace.isTrusted
    ? "Operations of an untrusted workspace do not run."
    : operation.startsWith("-")
      ? `The operation ${operation} cannot be named on a command line.`
      : undefined;
  const command = started.command();
  if (refused !== undefined || command === undefined) {
    void vscode.window.showErrorMessage(refused ?? NOT_FOUND);
    return;
  }
  const uri = vscode.Uri.parse(document, true);
  const task = new vscode.Task(
    { type: "skillstudio" },
    vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace,
    `dry-run ${operation}`,
    "skillstudio",
    new vscode.ProcessExecution(
      command.program,
      [...command.args, "run", uri.fsPath, operation],
      { cwd: path.dirname(uri.fsPath) },
    ),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, focus: true };
  await vscode.tasks.executeTask(task);
}
