import { randomBytes } from 'node:crypto';
import {
  DEPOSIT_PROVIDER,
  type LedgerFixture,
  openLedgerFixture,
  testPosting,
} from '../../../../test/fixtures/ledger-fixtures.js';
import {
  LOG_KEY,
  LOG_ORIGIN,
  type LogFixture,
  logWith,
  RUNNING,
} from '../../../../test/fixtures/proof-log.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { userAccount, move, type Posting } from '../../core/ledger/domain/chart-of-accounts.js';
import { NoteVerifier, openCheckpoint } from './domain/checkpoint.js';
import { leafHash, splitHashes } from './domain/merkle-tree.js';
import { leafTextOfRows } from './domain/log-leaf.js';
import { NONCE_BYTES } from './domain/sum-tree.js';
import { TreeEdge } from './domain/tiles.js';

const NEW_KEY = Buffer.from('abcdefghij-0123456789-0123456789').toString('base64');
/** The abort signal of a job that is asked to stop: sealing then does not wait for transactions that are writing. */
const STOPPING = AbortSignal.abort();

let books: LedgerFixture;
let log: LogFixture;

beforeEach(async () => {
  books = await openLedgerFixture();
  log = logWith(books);
});
afterEach(() => books.close());

function seal(process = log): Promise<number> {
  return process.sealAll();
}

function deposit(userId = newId()): Posting {
  return testPosting(move(Money.of('10.5'), DEPOSIT_PROVIDER, userAccount(userId, 'user.available')));
}

function barrier(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function sealedIds(): Promise<string[]> {
  const rows = await books.dataSource.query<{ id: string }[]>(
    'select transaction_id as id from proof_leaf order by leaf_index',
  );
  return rows.map(({ id }) => id);
}

async function postedIds(): Promise<string[]> {
  const rows = await books.dataSource.query<{ id: string }[]>(
    'select transaction_id as id from ledger_entry group by transaction_id order by min(id)',
  );
  return rows.map(({ id }) => id);
}

async function checkpoints(): Promise<{ size: number; root: Buffer; note: string }[]> {
  return books.dataSource.query(
    'select size::float8 as size, root, note from proof_checkpoint order by size',
  );
}

/** The root of the leaves that are computed from the rows of the ledger and the stored nonces. */
async function recomputedRoot(): Promise<Buffer> {
  const edge = TreeEdge.open(0, () => undefined);
  const nonces = await books.dataSource.query<{ id: string; nonce: Buffer }[]>(
    'select transaction_id as id, nonce from proof_leaf order by leaf_index',
  );
  const transactions = await log.entries.findTransactionsById(nonces.map(({ id }) => id));
  for (const { id, nonce } of nonces)
    edge.appendLeafHash(
      leafHash(
        leafTextOfRows(
          transactions.find((transaction) => transaction.id === id)!,
          nonce,
        ),
      ),
    );
  return edge.root();
}

describe('The log', () => {
  it('begins with a signed checkpoint of size 0 and is created once', async () => {
    await Promise.all([seal(), seal(logWith(books))]);
    const [first, ...laterCheckpoints] = await checkpoints();
    const verifier = new NoteVerifier(LOG_ORIGIN, log.keys.signingKeys[0]!.publicKey);
    expect(openCheckpoint(first!.note, [verifier])).toEqual({
      origin: LOG_ORIGIN,
      size: 0,
      root: first!.root,
    });
    expect(laterCheckpoints).toEqual([]);
  });

  it('keeps its origin when PUBLIC_URL changes, and a process with another LOG_ORIGIN does not start', async () => {
    await seal();
    for (const settings of [{ PUBLIC_URL: 'https://other.example.com' }, { LOG_ORIGIN }])
      await logWith(books, settings).keys.onModuleInit();
    await expect(logWith(books, { LOG_ORIGIN: 'other/ledger' }).keys.onModuleInit()).rejects.toThrow(
      `LOG_ORIGIN is other/ledger, but the log is named ${LOG_ORIGIN}.`,
    );
  });

  it('is signed with both keys while a key is replaced, and records every key', async () => {
    await books.post(deposit());
    await seal();
    const rotating = logWith(books, { LOG_SIGNING_KEY: NEW_KEY, LOG_SIGNING_KEY_ALSO: LOG_KEY });
    await books.post(deposit());
    await seal(rotating);
    const { note } = (await checkpoints()).at(-1)!;
    for (const { publicKey } of rotating.keys.signingKeys)
      expect(openCheckpoint(note, [new NoteVerifier(LOG_ORIGIN, publicKey)])).toMatchObject({ size: 2 });
    const keys = await books.dataSource.query<unknown[]>('select from proof_key');
    expect(keys).toHaveLength(2);
  });

  it.each(['proof_leaf', 'proof_tile', 'proof_key', 'proof_log', 'proof_checkpoint'])(
    'refuses to truncate or change %s',
    async (table) => {
      await books.post(deposit());
      await seal();
      const query = (sql: string) => books.dataSource.query(sql);
      const changes = {
        proof_leaf: 'update proof_leaf set leaf_index = 7',
        proof_tile: `update proof_tile set hashes = decode(repeat('00', 64), 'hex')`,
        proof_key: 'update proof_key set used_since = now()',
        proof_log: `update proof_log set size = 0`,
        proof_checkpoint: 'update proof_checkpoint set at = now()',
      };
      await expect(query(`truncate ${table} cascade`)).rejects.toThrow('is refused');
      await expect(query(changes[table as keyof typeof changes])).rejects.toThrow(/^proofs: |is refused$/);
      if (table !== 'proof_checkpoint')
        // the job `log-retention` deletes old checkpoints
        await expect(query(`delete from ${table}`)).rejects.toThrow('is refused');
    },
  );
});

describe('Sealing', () => {
  it('takes every transaction into the log once, in the order of the ledger', async () => {
    for (let round = 0; round < 3; round++) {
      await books.post(deposit(), deposit());
      await books.post(deposit());
      expect(await seal()).toBe(3);
      expect(await seal()).toBe(0);
    }
    expect(await sealedIds()).toEqual(await postedIds());
    const [, ...signed] = await checkpoints();
    expect(signed.map(({ size }) => size)).toEqual([3, 6, 9]);
    expect(signed.at(-1)!.root).toEqual(await recomputedRoot());
  });

  it('fills partial tiles and begins new ones over several batches', async () => {
    for (const count of [200, 55, 1, 1, 300]) {
      await books.post(...Array.from({ length: count }, () => deposit()));
      expect(await seal()).toBe(count);
    }
    expect((await checkpoints()).at(-1)!.root).toEqual(await recomputedRoot());
    // 200 + 55 + 1 + 1 + 300 = 557 leaves = 2 × 256 + 45
    const tiles = await books.dataSource.query<unknown[]>(
      'select level, n::int, octet_length(hashes) / 32 as width from proof_tile order by level, n',
    );
    expect(tiles).toEqual([
      { level: 0, n: 0, width: 256 },
      { level: 0, n: 1, width: 256 },
      { level: 0, n: 2, width: 45 },
      { level: 1, n: 0, width: 2 },
    ]);
  });

  it('waits for a transaction that is writing, so that its leaf precedes those of later postings', async () => {
    // Creates the platform's account. Otherwise the later posting would wait until the early one commits the account.
    await books.post(deposit());
    await seal();
    const posted = barrier();
    const mayCommit = barrier();
    const earlyPosting = books.unitOfWork.runInTransaction(async (tx: Tx) => {
      await books.ledger.post(tx, deposit());
      await tx.query('select'); // is answered after the posting is written
      posted.open();
      await mayCommit.opened;
    });
    await posted.opened;
    try {
      await books.post(deposit());
      const sealed = await sealedIds();
      expect(await log.sealing.sealCommittedTransactions(STOPPING)).toBe(0);
      await log.sealing.sealCommittedTransactions(RUNNING); // waits two seconds, and then seals nothing
      expect(await sealedIds()).toEqual(sealed);
    } finally {
      mayCommit.open();
      await earlyPosting;
    }
    expect(await seal()).toBe(2);
    expect(await sealedIds()).toEqual(await postedIds());
  });

  it('passes over the entry ids of transactions that were rolled back', async () => {
    const failing = books.unitOfWork.runInTransaction(async (tx: Tx) => {
      await books.ledger.post(tx, deposit());
      await tx.query('select'); // is answered after the posting is written
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await seal()).toBe(0);
    await books.post(deposit());
    expect(await seal()).toBe(1);
    expect(await sealedIds()).toEqual(await postedIds());
  });

  it('appends each transaction once if two processes seal at the same time', async () => {
    await books.post(...Array.from({ length: 20 }, () => deposit()));
    const [ours, theirs] = await Promise.all([seal(), seal(logWith(books))]);
    expect(ours + theirs).toBe(20);
    expect(await sealedIds()).toEqual(await postedIds());
    expect((await checkpoints()).at(-1)!.root).toEqual(await recomputedRoot());
  });

  it('reads each transaction in exactly one range of entry ids, with all its entries', async () => {
    await books.post(deposit(), deposit(), deposit());
    await books.post(deposit());
    const posted = await postedIds();
    const transactions = await log.entries.findTransactionsById(posted);
    for (const step of [1, 2, 3, 5]) {
      const ids: string[] = [];
      // The entries of the four transactions, two each, have the ids 1 to 8.
      for (let after = 0; after < 12; after += step) {
        const nonces = randomBytes(step * NONCE_BYTES);
        const unsealed = await log.entries.findUnsealed(after, after + step, nonces);
        const batch = unsealed.ids?.slice(1, -1).split(',') ?? [];
        const expected = batch.map((id, index) => {
          const transaction = transactions.find((candidate) => candidate.id === id)!;
          return leafHash(
            leafTextOfRows(transaction, nonces.subarray(index * NONCE_BYTES, (index + 1) * NONCE_BYTES)),
          );
        });
        expect(splitHashes(unsealed.hashes ?? Buffer.alloc(0))).toEqual(expected);
        ids.push(...batch);
      }
      expect(ids).toEqual(posted);
    }
  });

  it('signs nothing if the stored tiles do not lead to the root of the newest checkpoint', async () => {
    await books.post(deposit());
    await seal();
    await books.dataSource.query(
      `begin; set local session_replication_role = replica;
       update proof_tile set hashes = decode(repeat('00', 32), 'hex'); commit`,
    );
    await books.post(deposit());
    await expect(seal()).rejects.toThrow('do not lead to the root of its checkpoint of size 1');
    expect(await sealedIds()).toHaveLength(1);
  });

  it('appends nothing while the log is marked as restored', async () => {
    await seal();
    await books.post(deposit());
    await books.dataSource.query('update proof_log set restored_at = now()');
    expect(await log.sealing.sealCommittedTransactions(RUNNING)).toBe(0);
    await books.dataSource.query('update proof_log set restored_at = null');
    expect(await seal()).toBe(1);
  });
});
