import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';

const MAX_BUFFERED_CHARACTERS = 16_000;
/** Further lines are dropped while so much waits for the reader of a pipe or for space on a disk. */
const MAX_WAITING_BYTES = 16_000_000;

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
  const output = pino.destination({ dest: 1, maxLength: MAX_WAITING_BYTES });
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
 * Without a listener an error of standard output, such as that of a full disk, would end the process. At the exit of the process
 * `flushSync` of pino's destination repeats a failing write for ever; after an error it does nothing until a write succeeds.
 */
function keepRunningOnErrors(output: ReturnType<typeof pino.destination>): void {
  const flushSync = output.flushSync.bind(output);
  let isReported = false;
  const reportOnce = (problem: string) => {
    if (!isReported) writeToStandardError(`${problem}\n`);
    isReported = true;
  };
  output.on('error', ({ message }) => {
    output.flushSync = () => undefined;
    reportOnce(`log lines cannot be written: ${message}`);
  });
  output.on('drop', () => reportOnce('log lines are dropped: the reader of standard output is too slow'));
  output.on('write', () => {
    output.flushSync = flushSync;
    isReported = false;
  });
}

/** Standard error may lead to the same full disk or closed pipe; an error of the stream `process.stderr` would end the process. */
function writeToStandardError(text: string): void {
  try {
    writeSync(process.stderr.fd, text);
  } catch {
    // there is no other place for the message
  }
}
