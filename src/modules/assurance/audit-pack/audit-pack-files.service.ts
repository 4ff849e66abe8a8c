import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { VERIFIER_FILE } from '../../../config/verifier-file.js';
import { Money } from '../../../common/money.js';
import type { Snapshot } from '../../../database/snapshots.js';
import type { ListedAuditEntry } from '../../core/audit/audit.repository.js';
import { assetTotals } from '../liabilities/domain/asset-lines.js';
import { canonicalJson, type JsonValue } from '../../../common/canonical-json.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { leafAccount, leafAmount } from '../proofs/domain/log-leaf.js';
import { NoteVerifier, verifierLines } from '../proofs/domain/checkpoint.js';
import { PublicKey } from '../proofs/domain/signing-key.js';
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
import type { SignedCheckpoint } from '../proofs/proofs.types.js';
import { packJournal } from './domain/pack-journal.js';
import { packReadme } from './domain/pack-readme.js';

/** Defines the files of a pack, except the manifest and its signature. Rows are read from the snapshot in batches. */
@Injectable()
export class AuditPackFilesService {
  constructor(private readonly repository: AuditPackRepository) {}

  filesOf(snapshot: Snapshot, range: DayRange, log: PackLog, createdAt: Date): PackFile[] {
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

/** The bytes of all pieces. */
export async function bytesOf(pieces: AsyncIterable<string | Buffer>): Promise<number> {
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
