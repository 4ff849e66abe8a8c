import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand, ProofError } from '../encoding.js';
import { type JsonObject, objectOf } from './json-members.js';

const LINE_FEED = 0x0a;
/** Large enough to read fast, and small enough that the lines of a chunk are short-lived garbage. */
const CHUNK_BYTES = 65_536;
/** A longer line is refused. The largest transactions have some thousand entries. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface FileSummary {
  readonly bytes: number;
  /** Base64. */
  readonly sha256: string;
  readonly lines: number;
}

/** The files of a pack, read as streams. */
export class PackFolder {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  hasFile(name: string): boolean {
    return existsSync(this.pathOf(name));
  }

  /** The names of all files and folders in it, sorted. */
  names(): string[] {
    return readdirSync(this.folder).sort();
  }

  /** The whole file. Throws for bytes that are not UTF-8. */
  readText(name: string): string {
    return decoded(readFileSync(this.pathOf(name)));
  }

  async summary(name: string): Promise<FileSummary> {
    const hash = createHash('sha256');
    let bytes = 0;
    let lines = 0;
    for await (const chunk of createReadStream(this.pathOf(name)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
    }
    return { bytes, sha256: hash.digest('base64'), lines };
  }

  /** Yields the lines of one chunk after the other, without their line feeds. Throws if the last line has no line feed. */
  async *batches(name: string): AsyncGenerator<string[], void> {
    let incompleteLine: Buffer = Buffer.alloc(0);
    for await (const chunk of createReadStream(this.pathOf(name), {
      highWaterMark: CHUNK_BYTES,
    }) as AsyncIterable<Buffer>) {
      const bytes = incompleteLine.length > 0 ? Buffer.concat([incompleteLine, chunk]) : chunk;
      const end = bytes.lastIndexOf(LINE_FEED);
      incompleteLine = bytes.subarray(end + 1);
      demand(incompleteLine.length <= MAX_LINE_BYTES, 'A line is too long.');
      if (end >= 0) yield decoded(bytes.subarray(0, end)).split('\n');
    }
    demand(incompleteLine.length === 0, 'The last line does not end with a line feed.');
  }

  /** Yields each line with its number and object. Throws, naming the line, unless it is an object in canonical JSON. */
  async *objects(
    name: string,
  ): AsyncGenerator<{ readonly line: number; readonly text: string; readonly value: JsonObject }, void> {
    let line = 0;
    for await (const batch of this.batches(name)) {
      for (const text of batch) {
        line += 1;
        yield { line, text, value: atLine(line, () => objectOf(text)) };
      }
    }
  }
}

/** Runs a verification and adds the number of the line to the message of its error. */
export function atLine<Result>(line: number, verification: () => Result): Result {
  try {
    const result = verification();
    return result instanceof Promise
      ? (result.catch((error: unknown) => rethrowAt(line, error)) as Result)
      : result;
  } catch (error) {
    return rethrowAt(line, error);
  }
}

function rethrowAt(line: number, error: unknown): never {
  if (error instanceof Error) error.message = `line ${line}: ${error.message}`;
  throw error;
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    throw new ProofError('It is not UTF-8.');
  }
}
