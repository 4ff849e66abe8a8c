import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSupervisedProcess } from './supervised-process.js';

export interface Platform {
  /** Resolves to true when the API is ready, or to false if the API ends before it is ready. */
  ready: Promise<boolean>;
  /** Resolves with the API's exit code. */
  exited: Promise<number>;
  /** The last lines of the log, for error messages. */
  lastLines(): string;
  stop(): Promise<void>;
}

// The API finishes its running requests within this time.
const DRAIN_MS = 15_000;
const SHOWN_LINES = 20;
const SCRIPT = fileURLToPath(new URL('../api/main.js', import.meta.url));

export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return answer?.status === 200;
}

/** Starts the API as a child process that writes to a log file. */
export function startPlatform(url: string, env: NodeJS.ProcessEnv, logFile: string): Platform {
  if (!existsSync(SCRIPT)) throw new Error(`${SCRIPT} is missing; run npm run build first.`);
  // Each run begins a new log, so that error messages show lines of this run.
  const log = openSync(logFile, 'w');
  const supervised = startSupervisedProcess({
    command: process.execPath,
    args: ['--enable-source-maps', SCRIPT],
    signal: 'SIGTERM',
    graceMs: DRAIN_MS,
    logFile: log,
    env,
  });
  closeSync(log);

  const untilReady = async () => {
    while (!supervised.hasExited()) {
      if (await isReady(url)) return !supervised.hasExited();
      await sleep(100);
    }
    return false;
  };
  return {
    ready: untilReady(),
    exited: supervised.exited,
    lastLines: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n'),
    stop: () => supervised.stop(),
  };
}
