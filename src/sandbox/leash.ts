import { spawn } from 'node:child_process';

/**
 * A child on a leash ends with us, however we end. A small process stands between: it holds a channel to us,
 * and when that closes (because we closed it, or because we were killed) it ends the child. It runs in a
 * process group of its own, so that a terminal's Ctrl-C reaches us alone and we stop the parts in order.
 * It is a script in a string, for then it needs no file of its own: the tests run from src/, npm start from
 * dist/.
 */
const LEASH = `
const { spawn } = require('node:child_process');
const { command, args, options, signal, graceMs } = JSON.parse(process.argv[1]);
const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
const end = () => {
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), graceMs);
};
child.on('error', (error) => { console.error(error.message); process.exit(127); });
child.on('exit', (code, by) => process.exit(code ?? (by === signal ? 0 : 1)));
process.on('disconnect', end);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
process.send({ pid: child.pid });
`;

export interface LeashedChild {
  command: string;
  args: string[];
  /** The signal that asks the child to end; after graceMs it is killed. */
  signal: 'SIGINT' | 'SIGTERM';
  graceMs: number;
  /** An open file for the child's output; without it the output is discarded. */
  logFile?: number;
  cwd?: string;
  uid?: number;
  gid?: number;
  env?: NodeJS.ProcessEnv;
}

export interface Leash {
  /** The child's own process id; 0 when it could not be started. */
  pid: Promise<number>;
  /** Resolves with the child's exit code once it is gone, for whatever reason. */
  exited: Promise<number>;
  hasExited(): boolean;
  /** Our process may end while the child is running. */
  unref(): void;
  stop(): Promise<void>;
}

export function startOnLeash(child: LeashedChild): Leash {
  const { command, args, signal, graceMs, cwd, uid, gid, env, logFile } = child;
  const order = JSON.stringify({ command, args, signal, graceMs, options: { cwd, uid, gid, env } });
  const output = logFile ?? 'ignore';
  const leash = spawn(process.execPath, ['-e', LEASH, order], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  let gone = false;
  const exited = new Promise<number>((resolve) => {
    const end = (code: number | null) => {
      gone = true;
      resolve(code ?? 1);
    };
    leash.once('exit', end);
    leash.once('error', () => end(null));
  });
  const told = new Promise<number>((resolve) => {
    leash.once('message', ({ pid }: { pid?: number }) => resolve(pid ?? 0));
  });
  return {
    pid: Promise.race([told, exited.then(() => 0)]),
    exited,
    hasExited: () => gone,
    unref: () => {
      leash.unref();
      leash.channel?.unref();
    },
    stop: async () => {
      if (leash.connected) leash.disconnect();
      await exited;
    },
  };
}
