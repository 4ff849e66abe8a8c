import { pino, type DestinationStream } from 'pino';

const MAX_BUFFERED_CHARACTERS = 16_000;

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
  const output = pino.destination(1);
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
