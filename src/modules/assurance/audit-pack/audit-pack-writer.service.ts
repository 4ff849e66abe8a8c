import { Injectable } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { canonicalJson, type JsonValue } from '../../../common/canonical-json.js';
import { Money } from '../../../common/money.js';
import { VERIFIER_FILE } from '../../../config/verifier-file.js';
import type { Snapshot } from '../../../database/snapshots.js';
import type { DayRange } from '../../../http/request/date-range.js';
import type { ListedAuditEntry } from '../../core/audit/audit.repository.js';
import { assetTotals } from '../liabilities/domain/asset-lines.js';
import { NoteVerifier, verifierLines } from '../proofs/domain/checkpoint.js';
import { leafAccount, leafAmount } from '../proofs/domain/log-leaf.js';
import { PublicKey, type SigningKey, signReceipt } from '../proofs/domain/signing-key.js';
import type { SignedCheckpoint } from '../proofs/proofs.types.js';
import { AuditPackRepository } from './audit-pack.repository.js';
import type {
  AccountBalances,
  JournalTransactionText,
  OtherLeaves,
  PackAssets,
  PackFile,
  PackLog,
  PackNav,
} from './audit-pack.types.js';
import { FileDigest, type FileSummary, manifestOf, packReadme } from './domain/pack-description.js';
import { packJournal } from './domain/pack-journal.js';
import { END_OF_ARCHIVE, fileHeader, folderHeader, paddingAfter } from './domain/tar.js';

/** A fast level: hashes cannot be compressed, and the other files compress well at any level. */
const GZIP_LEVEL = 3;
/** The length at which joined texts of a file are written. */
const PIECE_CHARACTERS = 65_536;

/** The days of a pack, its time of creation, and the key that signs its manifest. */
interface PackRequest extends DayRange {
  readonly createdAt: Date;
  readonly key: SigningKey;
}

/**
 * Writes a pack as a .tar.gz in constant memory and without files. A tar archive states the size of a file before its content,
 * so most files are read twice from the same snapshot: once for the size, once for the archive.
 */
@Injectable()
export class AuditPackWriterService {
  constructor(private readonly repository: AuditPackRepository) {}

  /** Throws if the log is not open, or if the key has never signed for it. */
  async *writePack(snapshot: Snapshot, request: PackRequest): AsyncGenerator<Buffer, void> {
    const log = await this.repository.findLog(snapshot);
    if (!log) throw new Error('The transparency log is not open yet: start the service first.');
    if (!log.publicKeys.some((bytes) => bytes.equals(request.key.publicKey.bytes)))
      throw new Error(
        'LOG_SIGNING_KEY has never signed this log: set the key with which the service signs it.',
      );
    const files = this.filesOf(snapshot, request, log, request.createdAt);
    const sizes: number[] = [];
    for (const { bytes, pieces } of files) sizes.push(await (bytes?.() ?? bytesOf(pieces())));
    yield* gzipped(archive(request, log, files, sizes));
  }

  /** The files of a pack, except the manifest and its signature. Rows are read from the snapshot in batches. */
  private filesOf(snapshot: Snapshot, range: DayRange, log: PackLog, createdAt: Date): PackFile[] {
    const { repository } = this;
    const accounts = () => repository.streamAccounts(snapshot, range);
    const transactions = () => repository.streamTransactionLines(snapshot, range);
    const journal = (texts: AsyncIterable<JournalTransactionText[]>) =>
      packJournal(range, {
        accounts: accounts(),
        transactions: texts,
        monthlyBalances: repository.streamMonthlyBalances(snapshot, range),
      });
    // One statement, executed once, computes the sizes of the transactions' texts for two files.
    let textBytesRead: ReturnType<AuditPackRepository['getTextBytes']> | undefined;
    const textBytes = () => (textBytesRead ??= repository.getTextBytes(snapshot, range));
    return [
      textFile('README.md', () => packReadme(range, log, createdAt)),
      textFile('verify.mjs', () => readFileSync(VERIFIER_FILE, 'utf8')),
      textFile('keys.txt', () => keyLines(log)),
      linesFile('checkpoints.jsonl', () => repository.streamCheckpoints(snapshot, range), checkpointLine),
      { name: 'hashes.bin', pieces: () => joinedHashes(repository.streamLeafHashes(snapshot)) },
      linesFile('accounts.jsonl', accounts, accountLine),
      {
        ...linesFile('transactions.jsonl', transactions, ({ line }) => line),
        bytes: async () => (await textBytes()).lines,
      },
      linesFile('navs.jsonl', () => repository.streamNavs(snapshot, range), navLine),
      linesFile('liabilities.jsonl', () => repository.streamTextLeaves(snapshot, range), leafLine),
      linesFile('other-leaves.jsonl', () => repository.streamOtherLeaves(snapshot, range), otherLeavesLine),
      linesFile('assets.jsonl', () => repository.streamAssets(snapshot, range), assetsLine),
      linesFile('audit.jsonl', () => repository.streamAuditEntries(snapshot, range), auditLine),
      {
        name: 'journal.hledger',
        pieces: () => journal(repository.streamJournal(snapshot, range)),
        // The size of the transactions' texts plus that of the rest of the journal: the opening and the monthly balances.
        bytes: async () => (await textBytes()).journal + (await bytesOf(journal(noTransactions()))),
      },
    ];
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

/** The bytes of all pieces. */
async function bytesOf(pieces: AsyncIterable<string | Buffer>): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) bytes += Buffer.byteLength(piece);
  return bytes;
}

async function* noTransactions(): AsyncGenerator<never, void> {
  yield* [];
}

function textFile(name: string, read: () => string): PackFile {
  return {
    name,
    async *pieces() {
      yield read();
    },
  };
}

function linesFile<Row>(
  name: string,
  read: () => AsyncIterable<Row[]>,
  lineOf: (row: Row) => string,
): PackFile {
  return {
    name,
    async *pieces() {
      for await (const batch of read()) yield batch.map((row) => `${lineOf(row)}\n`).join('');
    },
  };
}

async function* joinedHashes(batches: AsyncIterable<{ hashes: Buffer }[]>): AsyncGenerator<Buffer, void> {
  for await (const tiles of batches) yield Buffer.concat(tiles.map((tile) => tile.hashes));
}

function keyLines({ origin, publicKeys }: PackLog): string {
  return verifierLines(publicKeys.map((bytes) => new NoteVerifier(origin, new PublicKey(bytes))));
}

function checkpointLine({ size, root, at, note }: SignedCheckpoint): string {
  return canonicalJson({ size, root: root.toString('base64'), at: at.toISOString(), checkpoint: note });
}

function accountLine({ kind, scope, owner, asset, opening, closing }: AccountBalances): string {
  const account = leafAccount(kind, scope, owner);
  return canonicalJson({
    account,
    asset,
    opening: leafAmount(opening),
    closing: leafAmount(closing),
  });
}

/** The line is canonical JSON, since `leaf` sorts before `leafIndex` and its text is canonical. */
function leafLine({ leafIndex, text: leaf }: { readonly leafIndex: number; readonly text: string }): string {
  return `{"leaf":${leaf},"leafIndex":${leafIndex}}`;
}

function otherLeavesLine({ first, last, days, text }: OtherLeaves): string {
  return text === null ? canonicalJson({ first, last, days }) : leafLine({ leafIndex: first, text });
}

/** Omits a correction of 1, which changes nothing. */
function navLine({ correction, nav, apy, ...row }: PackNav): string {
  const amounts = { nav: leafAmount(nav), apy: leafAmount(apy) };
  return canonicalJson({ ...row, ...amounts, ...(correction === '1' ? {} : { correction }) });
}

/** The line has the fields of `data` of `GET /api/proofs/assets/{day}`. */
function assetsLine({ day, lines: assetLines, owed }: PackAssets): string {
  const trees = owed.map(({ asset, total }) => ({ asset, total: Money.of(total) }));
  const totals = assetTotals(assetLines, trees).map(({ asset, assets, liabilities, coverage }) => ({
    asset,
    assets: assets.toExact(),
    liabilities: liabilities.toExact(),
    coverage: coverage?.toExact() ?? null,
  }));
  return canonicalJson({ day, lines: assetLines.map((line) => ({ ...line })), totals });
}

/** The line is canonical JSON, since its members are in the order of their names. */
function auditLine({ at, before, after, ...entry }: ListedAuditEntry): string {
  const { action, actor, id, reason, subjectId, subjectType, traceId } = entry;
  const about = canonicalMembers({ id, reason, subjectId, subjectType, traceId });
  const changes = `"after":${canonicalJson(after as JsonValue)},"at":"${at.toISOString()}","before":${canonicalJson(before as JsonValue)}`;
  return `{${canonicalMembers({ action, actor })},${changes},${about}}`;
}

/** Unlike `canonicalJson` it does not check for lone surrogates, which texts of PostgreSQL cannot contain. */
function canonicalMembers(members: Readonly<Record<string, string | null>>): string {
  return JSON.stringify(members).slice(1, -1);
}
