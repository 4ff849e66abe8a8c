import { Logger, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { RawResponse } from './enveloped-response.js';

const log = new Logger('Stream');

/**
 * An answer that is written while it is made, as fast as the caller takes it: memory for a piece of it, whatever its
 * length. The first piece is awaited here, so that a refusal is still answered in the envelope; a failure later on
 * breaks the answer off. When the caller goes away, the pieces are told by `return()` and tidy up.
 */
export async function streamed(
  pieces: AsyncGenerator<string, void>,
  { type, fileName }: { type: string; fileName: string },
): Promise<RawResponse> {
  const first = await pieces.next();
  const text = Readable.from(resumed(first, pieces), { objectMode: false });
  const disposition = `attachment; filename="${fileName}"`;
  const file = new StreamableFile(text, { type, disposition });
  file.setErrorHandler((error, response) => {
    log.error({ msg: 'a streamed answer was broken off', err: error });
    response.destroy?.(); // an end would make it look complete
  });
  return new RawResponse(file);
}

/** What a generator goes on with after its first piece. Not a generator itself: its `return` always reaches the other. */
function resumed(
  first: IteratorResult<string, void>,
  pieces: AsyncGenerator<string, void>,
): AsyncIterableIterator<string> {
  let pending: IteratorResult<string, void> | undefined = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const next = pending ?? (await pieces.next());
      pending = undefined;
      return next;
    },
    return: () => pieces.return(),
  };
}
