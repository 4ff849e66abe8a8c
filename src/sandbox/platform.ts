import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startOnLeash } from './leash.js';

export interface Platform {
  /** Resolves true when the API is ready, false when it ended before. */
  ready: Promise<boolean>;
  exited: Promise<number>;
  /** The last lines of its log, for when it fails. */
  lastLines(): string;
  stop(): Promise<void>;
}

// The API finishes the requests it has, within this time.
const DRAIN_MS = 15_000;
const SHOWN_LINES = 20;
const SCRIPT = fileURLToPath(new URL('../api/main.js', import.meta.url));

export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return answer?.status === 200;
}

/** The API itself, as a child process that writes to a log file. */
export function startPlatform(url: string, env: NodeJS.ProcessEnv, logFile: string): Platform {
  if (!existsSync(SCRIPT)) throw new Error(`${SCRIPT} is missing; run npm run build first.`);
  // Each run has a log of its own, so that what is shown of it is this run's.
  const log = openSync(logFile, 'w');
  const leash = startOnLeash({
    command: process.execPath,
    args: ['--enable-source-maps', SCRIPT],
    signal: 'SIGTERM',
    graceMs: DRAIN_MS,
    logFile: log,
    env,
  });
  closeSync(log);

  const untilReady = async () => {
    while (!leash.hasExited()) {
      if (await isReady(url)) return !leash.hasExited();
      await sleep(100);
    }
    return false;
  };
  return {
    ready: untilReady(),
    exited: leash.exited,
    lastLines: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n'),
    stop: () => leash.stop(),
  };
}
