import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { canonicalJson } from '../../../common/canonical-json.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { type SigningKey, signReceipt } from '../proofs/domain/signing-key.js';
import { AuditPackFilesService, bytesOf } from './audit-pack-files.service.js';
import { AuditPackRepository } from './audit-pack.repository.js';
import type { PackFile, PackLog } from './audit-pack.types.js';
import { FileDigest, type FileSummary, manifestOf } from './domain/pack-manifest.js';
import { END_OF_ARCHIVE, fileHeader, folderHeader, paddingAfter } from './domain/tar.js';

/** A fast level: hashes cannot be compressed, and the other files compress well at any level. */
const GZIP_LEVEL = 3;
/** The length at which joined texts of a file are written. */
const PIECE_CHARACTERS = 65_536;

/** The days of a pack, its time of creation, and the key that signs its manifest. */
export interface PackRequest extends DayRange {
  readonly createdAt: Date;
  readonly key: SigningKey;
}

/**
 * Writes a pack as a .tar.gz in constant memory and without files. A tar archive states the size of a file before its content,
 * so most files are read twice from the same snapshot: once for the size, once for the archive.
 */
@Injectable()
export class AuditPackWriterService {
  constructor(
    private readonly repository: AuditPackRepository,
    private readonly files: AuditPackFilesService,
  ) {}

  /** Throws if the log is not open, or if the key has never signed for it. */
  async *writePack(snapshot: Snapshot, request: PackRequest): AsyncGenerator<Buffer, void> {
    const log = await this.repository.findLog(snapshot);
    if (!log) throw new Error('The transparency log is not open yet: start the service first.');
    if (!log.publicKeys.some((bytes) => bytes.equals(request.key.publicKey.bytes)))
      throw new Error(
        'LOG_SIGNING_KEY has never signed this log: set the key with which the service signs it.',
      );
    const files = this.files.filesOf(snapshot, request, log, request.createdAt);
    const sizes: number[] = [];
    for (const { bytes, pieces } of files) sizes.push(await (bytes?.() ?? bytesOf(pieces())));
    yield* gzipped(archive(request, log, files, sizes));
  }
}

/** The name of the folder in the archive, and of the archive without its extension. */
export function packName({ from, to }: DayRange): string {
  return `audit-pack-${from}-${to}`;
}

async function* archive(
  request: PackRequest,
  { origin, size, root }: PackLog,
  files: readonly PackFile[],
  sizes: readonly number[],
): AsyncGenerator<Buffer, void> {
  const { from, to, createdAt, key } = request;
  const summaries: FileSummary[] = [];
  const folder = `${packName(request)}/`;
  yield folderHeader(folder, createdAt);
  for (const [index, { name, pieces }] of files.entries()) {
    const bytes = sizes[index] as number;
    const digest = new FileDigest();
    yield fileHeader(folder + name, bytes, createdAt);
    yield* digested(digest, joined(pieces()));
    const summary = digest.summary(name);
    if (summary.bytes !== bytes)
      throw new Error(`${name} has ${summary.bytes} bytes, although its header states ${bytes}.`);
    summaries.push(summary);
    yield paddingAfter(bytes);
  }
  const manifest = manifestOf({ origin, from, to, size, root, createdAt }, summaries);
  const manifestFiles = [
    ['manifest.json', Buffer.from(canonicalJson(manifest))],
    ['manifest.sig', Buffer.from(signReceipt(manifest, key).signature)],
  ] as const;
  for (const [name, content] of manifestFiles) {
    yield fileHeader(folder + name, content.length, createdAt);
    yield content;
    yield paddingAfter(content.length);
  }
  yield END_OF_ARCHIVE;
}

async function* digested(digest: FileDigest, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    digest.addPiece(piece);
    yield piece;
  }
}

/** Joins short texts, since each piece has a cost in every stream. The pieces of a file are all texts or all buffers. */
async function* joined(pieces: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer, void> {
  let texts: string[] = [];
  let characters = 0;
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece;
      continue;
    }
    texts.push(piece);
    characters += piece.length;
    if (characters < PIECE_CHARACTERS) continue;
    yield Buffer.from(texts.join(''));
    texts = [];
    characters = 0;
  }
  if (texts.length > 0) yield Buffer.from(texts.join(''));
}

/** Compresses the chunks. Throws an error of their generator, and ends the generator when the reader stops. */
async function* gzipped(chunks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const done = pipeline(Readable.from(chunks), gzip);
  done.catch(() => undefined); // the loop below throws the same error
  try {
    for await (const piece of gzip) yield piece as Buffer;
    await done;
  } finally {
    gzip.destroy();
    await done.catch(() => undefined);
  }
}
