import { pino, type DestinationStream } from 'pino';

const MAX_BUFFERED_CHARACTERS = 16_000;

let shared: (DestinationStream & { flush(): void }) | undefined;

/**
 * Standard output for log lines. The lines of one turn of the event loop are one system call, because a call per request costs
 * more than the line. They are also written when the process exits and when `flush` is called.
 */
export function standardOutput(): DestinationStream & { flush(): void } {
  shared ??= bufferedOutput();
  return shared;
}

function bufferedOutput(): DestinationStream & { flush(): void } {
  const output = pino.destination({ dest: 1, sync: true, minLength: MAX_BUFFERED_CHARACTERS });
  let isScheduled = false;
  const flush = () => {
    isScheduled = false;
    output.flushSync();
  };
  process.once('exit', flush);
  return {
    write(line) {
      output.write(line);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    },
    flush,
  };
}
