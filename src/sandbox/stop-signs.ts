export interface StopSigns {
  /** Resolves when somebody wants the sandbox to stop. */
  asked: Promise<'stop'>;
  wasAsked(): boolean;
}

// npm hands a Ctrl-C on that the terminal has sent us already: twice within this time is once.
const SAME_SIGN_MS = 1_000;
const PARENT_CHECK_MS = 500;

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

  const parent = process.ppid;
  if (process.env.npm_lifecycle_event !== undefined) {
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      sign();
    }, PARENT_CHECK_MS);
    watch.unref();
  }
  return { asked, wasAsked: () => firstAt !== undefined };
}
