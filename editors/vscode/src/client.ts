/** The language client. It is loaded with the first server: a workspace without skills needs none. */

import { spawn, type ChildProcess } from "node:child_process";
import type * as vscode from "vscode";
import {
  CloseAction, LanguageClient, State, type ErrorHandler, type Middleware,
} from "vscode-languageclient/node";
import type { Command } from "./command";

/** The state of a server, as the status item names it. */
export type ServerState = "starting" | "running" | "stopped" | "failed";

const STATES: Readonly<Record<State, ServerState>> = {
  [State.Stopped]: "stopped",
  [State.Starting]: "starting",
  [State.Running]: "running",
  [State.StartFailed]: "failed",
};
/** The end of standard error that is kept for a message. */
const KEPT_CHARACTERS = 4000;

/** What a client needs of the extension. */
export interface ClientOptions {
  readonly command: Command;
  /** Some programs read configuration from their working directory, so it is not the workspace. */
  readonly cwd: string;
  readonly documents: vscode.DocumentSelector;
  readonly output: vscode.LogOutputChannel;
  readonly executeCommand: NonNullable<Middleware["executeCommand"]>;
  onState(client: SkillClient, state: ServerState): void;
}

/** A client of `skillstudio lsp`; a failure to start is reported once, by its caller. */
export class SkillClient extends LanguageClient {
  /** Restarts a server that crashes, but not for ever. */
  private readonly restarting: ErrorHandler = this.createDefaultErrorHandler();
  private hasRun = false;
  private process: ChildProcess | undefined;
  private closed: Promise<unknown> = Promise.resolve();
  private stderr = "";

  constructor(options: ClientOptions) {
    super(
      "skillstudio",
      "skillstudio",
      () => this.spawn(options),
      {
        documentSelector: options.documents as never,
        // The problem matcher has the same owner: a problem of both is shown once.
        diagnosticCollectionName: "skillstudio",
        outputChannel: options.output,
        initializationFailedHandler: () => false,
        errorHandler: {
          error: (...failure) => this.restarting.error(...failure),
          closed: () =>
            this.hasRun
              ? this.restarting.closed()
              : { action: CloseAction.DoNotRestart, handled: true },
        },
        middleware: { executeCommand: options.executeCommand },
      },
    );
    this.onDidChangeState(({ newState }) => {
      this.hasRun ||= newState === State.Running;
      options.onState(this, STATES[newState]);
    });
  }

  /** The version that the server reports, "" if it reports none. */
  get version(): string {
    return this.initializeResult?.serverInfo?.version ?? "";
  }

  /** The last line that the process wrote to standard error; ends the process. */
  async lastError(): Promise<string> {
    this.process?.kill();
    await this.closed;
    return this.stderr.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? "";
  }

  override error(message: string, data?: unknown, notify?: boolean | "force"): void {
    super.error(message, data, this.state === State.Running ? notify : false);
  }

  private spawn({ command, cwd }: ClientOptions): Promise<ChildProcess> {
    const started = spawn(command.program, [...command.args, "lsp"], { cwd });
    this.process = started;
    this.stderr = "";
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-KEPT_CHARACTERS);
    });
    return new Promise((resolve, reject) => {
      started.once("error", reject);
      started.once("spawn", () => {
        this.closed = new Promise((close) => started.once("close", close));
        resolve(started);
      });
    });
  }
}
