import type { ChildProcess } from 'node:child_process';

/** The end of a child process: by exit, by a signal, or because it could not be started. */
export class ChildExit {
  /** Undefined while the child runs. */
  reason: string | undefined;
  /** Resolves with the exit code; null after a signal, and if the child could not be started. */
  readonly exitCode: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.exitCode = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.reason = signal ?? `exit code ${code}`;
        resolve(code);
      });
      child.on('error', (error) => {
        if (child.pid !== undefined) return; // a signal could not be sent; the child runs
        this.reason = error.message;
        resolve(null);
      });
    });
  }
}
