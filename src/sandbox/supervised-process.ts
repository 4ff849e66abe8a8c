import { spawn } from 'node:child_process';

/**
 * The script of a supervisor process, which ends its child when this process ends for any reason, including SIGKILL: the IPC
 * channel between them closes then. The supervisor has a process group of its own, so that Ctrl-C reaches only this process,
 * which stops the parts in order. The script is a string, because it must work from src/ and from dist/. The child inherits
 * the supervisor's environment: all users of the machine can read arguments, and Linux limits one argument to 128 kB.
 */
const SUPERVISOR = `
const { spawn } = require('node:child_process');
const { command, args, options, signal, graceMs } = JSON.parse(process.argv[1]);
const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
const end = () => {
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), graceMs);
};
child.on('error', (error) => { console.error(error.message); process.exit(127); });
child.on('exit', (code, endedBy) => process.exit(code ?? (endedBy === signal ? 0 : 1)));
process.on('disconnect', end);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
process.send({ pid: child.pid });
`;

export interface SupervisedCommand {
  command: string;
  args: string[];
  /** The signal that ends the child; after `graceMs` the child is killed. */
  signal: 'SIGINT' | 'SIGTERM';
  graceMs: number;
  /** An open file for the child's output. Without it the output is discarded. */
  logFile?: number;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Without it the child gets the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

export interface SupervisedProcess {
  /** The child's process id; 0 if the child could not be started. */
  pid: Promise<number>;
  /** Resolves with the child's exit code after the child has ended. */
  exited: Promise<number>;
  hasExited(): boolean;
  /** Lets this process end while the child is running. */
  unref(): void;
  /** Sends the child its signal and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts a command that ends when this process ends, even if this process is killed. */
export function startSupervisedProcess(child: SupervisedCommand): SupervisedProcess {
  const { command, args, signal, graceMs, cwd, uid, gid, env, logFile } = child;
  const instructions = JSON.stringify({ command, args, signal, graceMs, options: { cwd, uid, gid } });
  const output = logFile ?? 'ignore';
  const supervisor = spawn(process.execPath, ['-e', SUPERVISOR, instructions], {
    detached: true,
    env,
    stdio: ['ignore', output, output, 'ipc'],
  });
  let hasEnded = false;
  const exited = new Promise<number>((resolve) => {
    const end = (code: number | null) => {
      hasEnded = true;
      resolve(code ?? 1);
    };
    supervisor.once('exit', end);
    supervisor.once('error', () => end(null));
  });
  const started = new Promise<number>((resolve) => {
    supervisor.once('message', ({ pid }: { pid?: number }) => resolve(pid ?? 0));
  });
  return {
    pid: Promise.race([started, exited.then(() => 0)]),
    exited,
    hasExited: () => hasEnded,
    unref: () => {
      supervisor.unref();
      supervisor.channel?.unref();
    },
    stop: async () => {
      if (supervisor.connected) supervisor.disconnect();
      await exited;
    },
  };
}
