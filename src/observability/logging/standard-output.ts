import { pino, type DestinationStream } from 'pino';

const MAX_BUFFERED_CHARACTERS = 16_000;
/** Further lines are dropped while so much waits for the reader of a pipe or for space on a disk. */
const MAX_WAITING_CHARACTERS = 16_000_000;

interface Output extends DestinationStream {
  flush(): void;
}

let shared: Output | undefined;

/**
 * Standard output for log lines. The lines of one turn of the event loop are written with one system call, because a call
 * costs more than rendering a line. They are also written when the process exits and when `flush` is called.
 */
export function standardOutput(): Output {
  shared ??= bufferedOutput();
  return shared;
}

function bufferedOutput(): Output {
  const output = pino.destination({ dest: 1, maxLength: MAX_WAITING_CHARACTERS });
  keepRunningOnErrors(output);
  let lines = '';
  let isScheduled = false;
  const flush = () => {
    const text = lines;
    lines = '';
    if (text) output.write(text);
  };
  const flushAtEndOfTurn = () => {
    isScheduled = false;
    flush();
  };
  process.once('exit', flush);
  return {
    write(line) {
      lines += line;
      if (lines.length >= MAX_BUFFERED_CHARACTERS) flush();
      else if (!isScheduled) {
        isScheduled = true;
        setImmediate(flushAtEndOfTurn);
      }
    },
    flush,
  };
}

/**
 * Without a listener an error of standard output, such as that of a full disk, would end the process. Before the process exits,
 * `flushSync` of pino's destination repeats a failing write for ever, so it does nothing after an error until a write succeeds.
 */
function keepRunningOnErrors(output: ReturnType<typeof pino.destination>): void {
  const flushSync = output.flushSync.bind(output);
  output.on('error', ({ message }) => {
    const isFirst = output.flushSync !== doNothing;
    output.flushSync = doNothing;
    if (isFirst) process.stderr.write(`log lines cannot be written: ${message}\n`);
  });
  output.on('write', () => {
    output.flushSync = flushSync;
  });
}

function doNothing(): void {}
