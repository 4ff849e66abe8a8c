import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ShutdownSignals {
  /** Resolves at the first request to stop. */
  stopRequested: Promise<'stop'>;
  isStopRequested(): boolean;
}

// The terminal sends Ctrl-C to this process and to npm, which forwards it. Signals within this time therefore count as one.
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/** The parent and the name of a process; undefined if the process has ended. */
function processInfo(pid: number): { parent: number; name: string } | undefined {
  if (process.platform === 'linux') {
    try {
      const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return { parent: Number(parent), name: name ?? '' };
    } catch {
      return undefined;
    }
  }
  const ps = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
  const [parent, name] = (ps.stdout ?? '').trim().split(/\s+/, 2);
  return parent ? { parent: Number(parent), name: name ?? '' } : undefined;
}

/** The ids of the parent processes up to npm, which may run this process through a shell. They change when npm has ended. */
function ancestors(): string {
  const parent = processInfo(process.ppid);
  const isShell = /(^|\/)-?\w*sh$/.test(parent?.name ?? '');
  return isShell ? `${process.ppid} ${parent?.parent}` : String(process.ppid);
}

/**
 * Watches for requests to stop: Ctrl-C, SIGTERM, a closed terminal, and the end of the npm process that started the
 * sandbox (a killed npm forwards no signal). A second request calls `force`.
 */
export function watchShutdownSignals(force: () => never): ShutdownSignals {
  let firstAt: number | undefined;
  let requestStop: (value: 'stop') => void = () => undefined;
  const stopRequested = new Promise<'stop'>((resolve) => (requestStop = resolve));
  const onSignal = () => {
    const now = Date.now();
    if (firstAt !== undefined && now - firstAt > SAME_SIGNAL_MS) force();
    firstAt ??= now;
    requestStop('stop');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

  if (process.env.npm_lifecycle_event !== undefined) {
    const ancestorsAtStart = ancestors();
    const timer = setInterval(() => {
      if (ancestors() === ancestorsAtStart) return;
      clearInterval(timer);
      onSignal();
    }, PARENT_CHECK_MS);
    timer.unref();
  }
  return { stopRequested, isStopRequested: () => firstAt !== undefined };
}
