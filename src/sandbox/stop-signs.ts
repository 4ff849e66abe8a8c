import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface StopSigns {
  /** Resolves when somebody wants the sandbox to stop. */
  asked: Promise<'stop'>;
  wasAsked(): boolean;
}

// npm hands a Ctrl-C on that the terminal has sent us already: twice within this time is once.
const SAME_SIGN_MS = 1_000;
const PARENT_CHECK_MS = 500;

/** A process's parent and name; undefined when it is gone. */
function look(pid: number): { parent: number; name: string } | undefined {
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

/** Who stands above us, up to npm: itself, or the shell it runs us through and then it. */
function lineage(): string {
  const parent = look(process.ppid);
  const isShell = /(^|\/)-?\w*sh$/.test(parent?.name ?? '');
  return isShell ? `${process.ppid} ${parent?.parent}` : String(process.ppid);
}

/**
 * Watches for whatever ends a sandbox: Ctrl-C, SIGTERM, a closed terminal, and the end of the npm that started
 * it (which, killed, hands nothing on). A second sign calls `force`.
 */
export function watchStopSigns(force: () => never): StopSigns {
  let firstAt: number | undefined;
  let stop: (word: 'stop') => void = () => undefined;
  const asked = new Promise<'stop'>((resolve) => (stop = resolve));
  const sign = () => {
    const now = Date.now();
    if (firstAt !== undefined && now - firstAt > SAME_SIGN_MS) force();
    firstAt ??= now;
    stop('stop');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, sign);

  if (process.env.npm_lifecycle_event !== undefined) {
    const npm = lineage();
    const watch = setInterval(() => {
      if (lineage() === npm) return;
      clearInterval(watch);
      sign();
    }, PARENT_CHECK_MS);
    watch.unref();
  }
  return { asked, wasAsked: () => firstAt !== undefined };
}
