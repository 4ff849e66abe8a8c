import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { productionArguments } from '../../bench/support/production.mjs';
import { freePort } from '../../src/sandbox/ports.js';
import { ChildExit } from './child-exit.js';
import { sendRequest } from './http-client.js';

const ARGUMENTS = productionArguments(); // the options of Node, then the program
const OPTIONS = ARGUMENTS.slice(0, -1);
const PROGRAM = ARGUMENTS.at(-1) as string;

/** The built API in a child process with production options, which a test can kill, freeze and stop. */
export class ApiProcess {
  /** Everything written to stdout and stderr so far. */
  output = '';
  private child!: ChildProcess;
  private end!: ChildExit;

  private constructor(
    readonly url: string,
    private readonly env: Record<string, string>,
    private readonly program: string,
    private readonly folder: string,
  ) {}

  /** Starts a process in a folder on a free port with these settings, without waiting until it is ready. */
  static async launch(
    env: Record<string, string>,
    program = PROGRAM,
    folder = process.cwd(),
  ): Promise<ApiProcess> {
    const api = new ApiProcess(`http://127.0.0.1:${await freePort()}`, env, program, folder);
    api.start();
    return api;
  }

  start(): void {
    const env = { ...process.env, ...this.env, PORT: this.env.PORT ?? new URL(this.url).port };
    this.child = spawn(process.execPath, [...OPTIONS, this.program], {
      env,
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.end = new ChildExit(this.child);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
  }

  async waitUntilReady(): Promise<void> {
    while ((await sendRequest(`${this.url}/api/health/ready`).catch(() => undefined))?.status !== 200) {
      if (this.end.reason !== undefined) throw this.endError();
      await sleep(50);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.end.exitCode;
  }

  /** Suspends the process until `thaw`. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Sends SIGTERM and resolves with the exit code. */
  async terminate(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.end.exitCode;
  }

  waitForExit(): Promise<number | null> {
    return this.end.exitCode;
  }

  /** Rejects with the output when the process ends. A test races it with a wait that needs the process. */
  async rejectOnExit(): Promise<never> {
    await this.end.exitCode;
    throw this.endError();
  }

  private endError(): Error {
    return new Error(`the API ended (${this.end.reason}):\n${this.output}`);
  }
}
