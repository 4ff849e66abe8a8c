import { Logger, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { RawResponse } from './enveloped-response.js';

type Chunk = string | Buffer;

const log = new Logger('Stream');

/**
 * Sends a response while it is generated, as fast as the client reads it, with constant memory. Awaits the first chunk, so
 * that an error before it is answered in the envelope; a later error closes the connection. When the client disconnects, the
 * generator is ended with `return()` and can clean up.
 */
export async function streamResponse(
  chunks: AsyncGenerator<Chunk, void>,
  { type, fileName, headers = {} }: { type: string; fileName: string; headers?: Record<string, string> },
): Promise<RawResponse> {
  const first = await chunks.next();
  const content = Readable.from(withFirstChunk(first, chunks), { objectMode: false });
  // A browser shows pages, and saves the other files.
  const disposition = `${type.startsWith('text/html') ? 'inline' : 'attachment'}; filename="${fileName}"`;
  const file = new StreamableFile(content, { type, disposition });
  file.setErrorHandler((error, response) => {
    log.error({ msg: 'a streamed response was broken off', err: error });
    response.destroy?.(); // a regular end would make the response look complete
  });
  return new RawResponse(file, headers);
}

/** Puts the first chunk back. Not a generator itself: one that has not begun would not forward `return` to `chunks`. */
function withFirstChunk(
  first: IteratorResult<Chunk, void>,
  chunks: AsyncGenerator<Chunk, void>,
): AsyncIterableIterator<Chunk> {
  let pending: IteratorResult<Chunk, void> | undefined = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const next = pending ?? (await chunks.next());
      pending = undefined;
      return next;
    },
    return: () => chunks.return(),
  };
}
