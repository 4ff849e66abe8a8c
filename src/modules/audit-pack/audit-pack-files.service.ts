import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { VERIFIER_FILE } from '../../config/verifier-file.js';
import { Money } from '../../common/money.js';
import type { Snapshot } from '../../database/snapshots.js';
import type { ListedAuditEntry } from '../audit/audit.repository.js';
import { assetTotals } from '../liabilities/domain/coverage.js';
import { canonicalJson, type JsonValue } from '../proofs/domain/canonical-json.js';
import { leafAccount } from '../proofs/domain/log-leaf.js';
import { NoteVerifier } from '../proofs/domain/checkpoint.js';
import { PublicKey } from '../proofs/domain/signing-key.js';
import { AuditPackRepository } from './audit-pack.repository.js';
import type {
  AccountBalances,
  JournalTransactionText,
  OtherLeafRange,
  PackAssets,
  PackCheckpoint,
  PackFile,
  PackLog,
  PackNav,
  PackRange,
} from './audit-pack.types.js';
import { packJournal } from './domain/pack-journal.js';
import { packReadme } from './domain/pack-readme.js';

/** The files of a pack except the manifest, each read from the snapshot in batches. */
@Injectable()
export class AuditPackFilesService {
  constructor(private readonly repository: AuditPackRepository) {}

  filesOf(snapshot: Snapshot, range: PackRange, log: PackLog, createdAt: Date): PackFile[] {
    const { repository } = this;
    const accounts = () => repository.streamAccounts(snapshot, range);
    const transactions = () => repository.streamTransactionLines(snapshot, range);
    const journal = (texts: AsyncIterable<JournalTransactionText[]>) =>
      packJournal(range, {
        accounts: accounts(),
        transactions: texts,
        balances: repository.streamMonthlyBalances(snapshot, range),
      });
    let bytes: ReturnType<AuditPackRepository['findTextBytes']> | undefined;
    const textBytes = () => (bytes ??= repository.findTextBytes(snapshot, range));
    return [
      text('README.md', () => packReadme(range, log, createdAt)),
      text('verify.mjs', () => readFileSync(VERIFIER_FILE, 'utf8')),
      text('keys.txt', () => keyLines(log)),
      lines('checkpoints.jsonl', () => repository.streamCheckpoints(snapshot, range), checkpointLine),
      { name: 'hashes.bin', pieces: () => hashes(repository.streamLeafHashes(snapshot)) },
      lines('accounts.jsonl', accounts, accountLine),
      {
        ...lines('transactions.jsonl', transactions, ({ line }) => line),
        bytes: async () => (await textBytes()).lines,
      },
      lines('navs.jsonl', () => repository.streamNavs(snapshot, range), navLine),
      lines('liabilities.jsonl', () => repository.streamTextLeaves(snapshot, range), leafLine),
      lines('other-leaves.jsonl', () => repository.streamOtherLeaves(snapshot, range), otherLeavesLine),
      lines('assets.jsonl', () => repository.streamAssets(snapshot, range), assetsLine),
      lines('audit.jsonl', () => repository.streamAuditEntries(snapshot, range), auditLine),
      {
        name: 'journal.hledger',
        pieces: () => journal(repository.streamJournal(snapshot, range)),
        bytes: async () => (await textBytes()).journal + (await bytesOf(journal(nothing()))),
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

async function* nothing(): AsyncGenerator<never, void> {
  yield* [];
}

function text(name: string, read: () => string): PackFile {
  return {
    name,
    async *pieces() {
      yield read();
    },
  };
}

function lines<Row>(name: string, read: () => AsyncIterable<Row[]>, lineOf: (row: Row) => string): PackFile {
  return {
    name,
    async *pieces() {
      for await (const batch of read()) yield batch.map((row) => `${lineOf(row)}\n`).join('');
    },
  };
}

async function* hashes(batches: AsyncIterable<{ hashes: Buffer }[]>): AsyncGenerator<Buffer, void> {
  for await (const tiles of batches) yield Buffer.concat(tiles.map((tile) => tile.hashes));
}

function keyLines({ origin, publicKeys }: PackLog): string {
  return publicKeys.map((bytes) => `${new NoteVerifier(origin, new PublicKey(bytes)).toString()}\n`).join('');
}

function checkpointLine({ size, root, at, note }: PackCheckpoint): string {
  return canonicalJson({ size, root: root.toString('base64'), at: at.toISOString(), checkpoint: note });
}

function accountLine({ kind, scope, owner, asset, opening, closing }: AccountBalances): string {
  const account = leafAccount(kind, scope, owner);
  return canonicalJson({
    account,
    asset,
    opening: atLeastTwoDecimals(opening),
    closing: atLeastTwoDecimals(closing),
  });
}

/** Canonical: `leaf` stands before `leafIndex`, and its text is canonical. */
function leafLine({ leafIndex, text: leaf }: { readonly leafIndex: number; readonly text: string }): string {
  return `{"leaf":${leaf},"leafIndex":${leafIndex}}`;
}

function otherLeavesLine({ first, last, kind, days }: OtherLeafRange): string {
  return canonicalJson({ first, last, kind, days });
}

function navLine({ correction, nav, apy, ...row }: PackNav): string {
  const amounts = { nav: atLeastTwoDecimals(nav), apy: atLeastTwoDecimals(apy) };
  return canonicalJson({ ...row, ...amounts, ...(correction === '1' ? {} : { correction }) });
}

/** As the route of the day's assets answers it. */
function assetsLine({ day, lines: assetLines, owed }: PackAssets): string {
  const trees = owed.map(({ asset, total }) => ({ asset, total: Money.of(total) }));
  const totals = assetTotals(assetLines, trees).map(({ asset, assets, liabilities, coverage }) => ({
    ...{ asset, assets: assets.toExact(), liabilities: liabilities.toExact() },
    coverage: coverage?.toExact() ?? null,
  }));
  return canonicalJson({ day, lines: assetLines.map((line) => ({ ...line })), totals });
}

/** Canonical: the members stand in their order. */
function auditLine({ at, before, after, ...entry }: ListedAuditEntry): string {
  const { action, actor, id, reason, subjectId, subjectType, traceId } = entry;
  const about = canonicalMembers({ id, reason, subjectId, subjectType, traceId });
  const changes = `"after":${canonicalJson(after as JsonValue)},"at":"${at.toISOString()}","before":${canonicalJson(before as JsonValue)}`;
  return `{${canonicalMembers({ action, actor })},${changes},${about}}`;
}

/** Texts of the database, which have no half of a surrogate pair. */
function canonicalMembers(members: Readonly<Record<string, string | null>>): string {
  return JSON.stringify(members).slice(1, -1);
}

function atLeastTwoDecimals(amount: string): string {
  const [whole, fraction = ''] = amount.split('.') as [string, string?];
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
