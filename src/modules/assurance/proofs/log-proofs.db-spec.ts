import {
  DEPOSIT_PROVIDER,
  type LedgerFixture,
  openLedgerFixture,
  testPosting,
} from '../../../../test/fixtures/ledger-fixtures.js';
import { LOG_KEY, type LogFixture, logWith } from '../../../../test/fixtures/proof-log.js';
import {
  consistencyPath,
  hashOfLeaf,
  inclusionPath,
  merkleTreeHash,
  readCheckpoint,
} from '../../../../test/fixtures/rfc9162.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { userAccount, move, type Posting } from '../../core/ledger/domain/chart-of-accounts.js';
const LEAVES = 600;
const TEXTS: [string, string] = ['{"day":"2026-03-01","v":1}', '{"day":"2026-03-02","v":1}'];

let books: LedgerFixture;
let log: LogFixture;
let hashes: Buffer[];

beforeAll(async () => {
  books = await openLedgerFixture();
  log = logWith(books);
  // Checkpoints of 1, 3, 258 (1 + 2 + 255) and 600 leaves.
  for (const count of [1, 2, 255, LEAVES - 258]) {
    await books.post(...Array.from({ length: count }, () => deposit()));
    await log.sealAll();
  }
  hashes = (await leafTexts(books, log)).map(hashOfLeaf);
});
afterAll(() => books.close());

function deposit(): Posting {
  return testPosting(move(Money.of('10.5'), DEPOSIT_PROVIDER, userAccount(newId(), 'user.available')));
}

function storedLeaves({ dataSource }: LedgerFixture): Promise<{ id: string | null; text: string | null }[]> {
  return dataSource.query('select transaction_id as id, text from proof_leaf order by leaf_index');
}

/** The texts of all leaves, in the order of the log. */
async function leafTexts(fixture: LedgerFixture, { proofs }: LogFixture): Promise<string[]> {
  const stored = await storedLeaves(fixture);
  const sealed = await proofs.listLeavesOfTransactions(stored.flatMap(({ id }) => id ?? []));
  const byId = new Map(sealed.map(({ transactionId, leafText }) => [transactionId, leafText]));
  return stored.map(({ id, text }) => text ?? (byId.get(id as string) as string));
}

function append(texts: [string, ...string[]]) {
  return books.unitOfWork.runInTransaction((tx) => log.sealing.appendTextLeaves(tx, texts));
}

describe('Inclusion and consistency proofs of the service', () => {
  it('are equal to those of an implementation written from RFC 9162', async () => {
    const indexes = [0, 1, 2, 3, 255, 256, 257, 511, 512, LEAVES - 1];
    const proofs = await log.proofs.proveInclusion(indexes);
    expect(proofs.map(({ path }) => path)).toEqual(indexes.map((index) => inclusionPath(index, hashes)));
    expect(proofs[0]!.checkpoint).toMatchObject({ size: LEAVES, root: merkleTreeHash(hashes) });
    for (const [from, to] of [
      [1, 3],
      [3, 258],
      [256, 600],
      [257, 511],
      [512, 600],
      [599, 600],
      [0, 600],
      [600, 600],
    ] as const) {
      const path = from === 0 ? [] : consistencyPath(from, hashes.slice(0, to));
      expect([from, to, await log.proofs.proveConsistency({ from, to })]).toEqual([from, to, path]);
    }
  });

  it('exist from any size to any larger size, also for sizes without a checkpoint', async () => {
    for (let to = 500; to <= LEAVES; to += 33)
      for (let from = 1; from <= to; from += 47)
        expect(await log.proofs.proveConsistency({ from, to })).toEqual(
          consistencyPath(from, hashes.slice(0, to)),
        );
  });

  it('do not exist for a leaf that the log does not have', async () => {
    await expect(log.proofs.proveInclusion([LEAVES])).rejects.toThrow(RangeError);
  });

  it.each([
    { sizes: { from: 3, to: 2 }, field: 'from' },
    { sizes: { from: 1, to: LEAVES + 1 }, field: 'to' },
  ])('do not exist from $sizes.from to $sizes.to leaves', async ({ sizes, field }) => {
    await expect(log.proofs.proveConsistency(sizes)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fields: [{ field }] },
    });
  });
});

describe('The leaves of ledger transactions', () => {
  it('have the hashes of the tiles; transactions that are not sealed are left out', async () => {
    // The last two leaves of tile 0 and the first three of tile 1.
    const ids = (await storedLeaves(books)).slice(254, 259).map(({ id }) => id as string);
    const sealed = await log.proofs.listLeavesOfTransactions([...ids.toReversed(), newId()]);
    expect(sealed.map(({ transactionId }) => transactionId)).toEqual(ids);
    const [tile] = await log.repository.findTiles([{ level: 0, n: 1 }]);
    expect(sealed.slice(2).map(({ leafHash }) => leafHash)).toEqual(
      [0, 1, 2].map((place) => tile!.hashes.subarray(32 * place, 32 * place + 32)),
    );
  });
});

describe('Text leaves', () => {
  it('are appended between transactions, with a checkpoint that contains them', async () => {
    const emptyBooks = await openLedgerFixture();
    try {
      const newLog = logWith(emptyBooks);
      await emptyBooks.post(deposit());
      await newLog.sealAll();
      const leafIndex = await emptyBooks.unitOfWork.runInTransaction((tx) =>
        newLog.sealing.appendTextLeaves(tx, TEXTS),
      );
      const { size } = await newLog.proofs.getNewestCheckpoint();
      await emptyBooks.post(deposit());
      await newLog.sealAll();
      const texts = await leafTexts(emptyBooks, newLog);
      expect([leafIndex, size]).toEqual([1, 3]); // after one transaction; with the two texts
      expect(texts.slice(1, 3)).toEqual(TEXTS);
      const newest = await newLog.proofs.getNewestCheckpoint();
      expect(newest.root).toEqual(merkleTreeHash(texts.map(hashOfLeaf)));
    } finally {
      await emptyBooks.close();
    }
  });

  it('are refused while the log is marked as restored', async () => {
    await books.dataSource.query('update proof_log set restored_at = now()');
    await expect(append(TEXTS)).rejects.toThrow('The log is marked as restored');
    await books.dataSource.query('update proof_log set restored_at = null');
  });
});

describe('A log that no process has opened', () => {
  it('lists the checkpoint of size 0', async () => {
    const emptyBooks = await openLedgerFixture();
    try {
      const newLog = logWith(emptyBooks);
      expect(await newLog.proofs.listCheckpoints(undefined, 10)).toMatchObject([{ size: 0 }]);
      expect(await newLog.proofs.listCheckpoints(0, 10)).toEqual([]);
    } finally {
      await emptyBooks.close();
    }
  });
});

describe('The published keys', () => {
  const publishedBy = async ({ proofs }: LogFixture) =>
    (await proofs.listPublicKeys()).map(({ bytes }) => bytes);

  it('contain the keys of all processes, those of the answering process first, and verify older checkpoints', async () => {
    const rotated = logWith(books, {
      LOG_SIGNING_KEY: Buffer.from('abcdefghij-0123456789-0123456789').toString('base64'),
      LOG_SIGNING_KEY_ALSO: LOG_KEY,
    });
    const verifiers = await rotated.proofs.listVerifiers();
    const { note } = await rotated.proofs.getNewestCheckpoint();
    expect(readCheckpoint(note, verifiers.join('\n'))).toMatchObject({ size: LEAVES, signatures: 1 });
    const presentKeys = [rotated, log].map(({ keys }) => keys.signingKeys[0]!.publicKey.bytes);
    expect(await publishedBy(rotated)).toEqual(presentKeys);
    expect(await publishedBy(log)).toEqual(presentKeys.toReversed()); // the present key of each process first
  });

  it('include the key of a process that has only started and the key of every checkpoint', async () => {
    const processWithKey = (name: string) =>
      logWith(books, { LOG_SIGNING_KEY: Buffer.from(name.padEnd(32, '.')).toString('base64') });
    const startedProcess = processWithKey('started');
    const signingProcess = processWithKey('signed');
    await startedProcess.keys.onModuleInit();
    await books.unitOfWork.runInTransaction((tx) => signingProcess.sealing.appendTextLeaves(tx, TEXTS));
    const published = await publishedBy(log);
    for (const { keys } of [startedProcess, signingProcess])
      expect(published).toContainEqual(keys.signingKeys[0]!.publicKey.bytes);
  });
});
