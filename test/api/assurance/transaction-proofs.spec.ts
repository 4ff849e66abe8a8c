import { verifyInclusion } from '../../../client/verify.js';
import { LogReader } from '../../fixtures/log-reader.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { hashOfLeaf, readCheckpoint, rootOfPath } from '../../fixtures/rfc9162.js';
import { ADMIN_TRANSACTIONS, type TreasurySteps, treasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const USER_TRANSACTIONS = '/api/user/transactions';

interface Proof {
  leaf: string;
  leafIndex: number;
  treeSize: number;
  path: string[];
  checkpoint: string;
}

interface Leaf {
  kind: string;
  type: string;
  reference: { type: string; id: string };
  entries: { account: string; asset: string; amount: string }[];
}

describe('The proof of a transaction', () => {
  let platform: TestPlatform;
  let log: LogReader;
  let ann: TestUser;
  let treasury: TreasurySteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    // Only log.seal() seals; Retry-After is LOG_SEAL_SECONDS.
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' } });
    log = new LogReader(platform);
    ann = await platform.given.user().withBalance('1000.00');
    treasury = await treasurySteps(platform);
    admin = treasury.admin;
    await log.seal();
  });
  afterAll(() => platform?.stop());

  const prove = (user: { token: string }, id: string): Promise<Reply> =>
    platform.as(user).get(`${USER_TRANSACTIONS}/${id}/proof`);
  const proveAsAdmin = (id: string): Promise<Reply> =>
    platform.as(admin).get(`${ADMIN_TRANSACTIONS}/${id}/proof`);

  /** The id of the user's newest record of a type. */
  async function newestRecord(user: TestUser, type: string): Promise<string> {
    const { data } = await platform.as(user).get(`${USER_TRANSACTIONS}?type=${type}&limit=1`);
    return data[0].id;
  }

  /** Verifies each proof with the client's verifier and with the tests' own implementation of RFC 9162; returns the leaves. */
  async function verifiedLeaves({ status, data }: Reply): Promise<Leaf[]> {
    expect(status).toBe(200);
    const keys = await log.keys();
    const leaves: Leaf[] = [];
    for (const proof of data.proofs as Proof[]) {
      leaves.push((await verifyInclusion(proof, keys)) as unknown as Leaf);
      const { size, root } = readCheckpoint(proof.checkpoint, keys);
      const path = proof.path.map((hash) => Buffer.from(hash, 'base64'));
      expect(size).toBe(proof.treeSize);
      expect(rootOfPath(hashOfLeaf(proof.leaf), proof.leafIndex, size, path)).toEqual(root);
    }
    return leaves;
  }

  it('contains the leaf with the amounts, accounts and reference of the posting', async () => {
    const { amount } = (await platform.as(ann).get(`${USER_TRANSACTIONS}?type=deposit`)).data[0];
    const [leaf, ...otherLeaves] = await verifiedLeaves(await prove(ann, await newestRecord(ann, 'deposit')));
    expect(otherLeaves).toEqual([]);
    expect(leaf).toMatchObject({ kind: 'transaction', type: 'deposit', reference: { type: 'deposit' } });
    expect(leaf!.entries).toContainEqual({ account: `user.available/${ann.id}`, asset: 'USDC', amount });
  });

  it('is answered with PROOF_PENDING and Retry-After until the transaction is sealed', async () => {
    const strategyId = 'balanced-10';
    const { data } = await platform.as(ann).post('/api/user/investments', { strategyId, amount: '100.00' });
    const id = await newestRecord(ann, 'investment');
    for (const reply of [await prove(ann, id), await proveAsAdmin(id)]) {
      expect(reply).toMatchObject({ status: 503, code: 'PROOF_PENDING' });
      expect(reply.headers.get('retry-after')).toBe('3600');
    }
    await log.seal();
    const [leaf] = await verifiedLeaves(await prove(ann, id));
    expect(leaf).toMatchObject({ type: 'investment', reference: { type: 'investment', id: data.id } });
  });

  it('of a divestment has the leaf of its posting', async () => {
    const { data } = await platform
      .as(ann)
      .post('/api/user/investments', { strategyId: 'balanced-10', amount: '50.00' });
    await platform.as(ann).delete(`/api/user/investments/${data.id}`);
    await log.seal();
    const leaves = await verifiedLeaves(await prove(ann, await newestRecord(ann, 'divestment')));
    expect(leaves.map(({ type }) => type)).toEqual(['divestment']);
  });

  it('of a withdrawal has a leaf for each of its postings, and is pending until all are sealed', async () => {
    const { id } = (await treasury.withdrawals.request(ann, '30.00')).data;
    await treasury.withdrawals.take(id);
    await log.seal();
    const record = await newestRecord(ann, 'withdrawal');
    expect(await verifiedLeaves(await prove(ann, record))).toMatchObject([{ type: 'withdrawal-requested' }]);
    await treasury.withdrawals.complete(id);
    expect((await prove(ann, record)).code).toBe('PROOF_PENDING'); // one of its two postings is sealed
    await log.seal();
    expect(await verifiedLeaves(await proveAsAdmin(record))).toMatchObject([
      { type: 'withdrawal-requested', reference: { id } },
      { type: 'withdrawal-completed', reference: { id } },
    ]);
  });

  it('is an empty list for a record without a posting', async () => {
    const claim = { txHash: newHash(), amount: '600.00', currency: 'USDC', fromAddress: DESTINATION };
    await platform.as(ann).get('/api/user/deposits/address?currency=USDC&network=ERC20');
    expect((await platform.as(ann).post('/api/user/blockchain/deposit', claim)).status).toBe(201);
    const { data } = await prove(ann, await newestRecord(ann, 'deposit'));
    expect(data).toEqual({ proofs: [] });
  });

  it("exists for admins' deposits, transfers and reversals by hand", async () => {
    const deposit = await treasury.createApproved({ type: 'deposit', userId: ann.id, amount: '12.34' });
    const transfer = await treasury.createApproved({ type: 'transfer', amount: '5.00' });
    const { withdrawalId } = await treasury.failedWithdrawal('40.00');
    const reversal = await treasury.createApproved({ type: 'reversal', withdrawalId, amount: '40.00' });
    expect((await proveAsAdmin(transfer)).data).toEqual({ proofs: [] }); // not confirmed yet
    for (const id of [deposit, transfer])
      expect((await treasury.confirm(id, { transactionHash: newHash() })).status).toBe(200);
    expect((await treasury.confirm(reversal)).status).toBe(200);
    await log.seal();
    expect(await verifiedLeaves(await proveAsAdmin(deposit))).toMatchObject([
      { type: 'deposit', reference: { type: 'admin-transaction', id: deposit } },
    ]);
    expect(await verifiedLeaves(await proveAsAdmin(transfer))).toMatchObject([
      { type: 'treasury-transfer', reference: { type: 'treasury-transfer', id: transfer } },
    ]);
    expect(await verifiedLeaves(await proveAsAdmin(reversal))).toMatchObject([
      { type: 'withdrawal-released', reference: { type: 'withdrawal', id: withdrawalId } },
    ]);
  });

  it('is refused for an unknown transaction and for one of another user', async () => {
    const otherUser = await platform.given.user();
    const id = await newestRecord(ann, 'deposit');
    expect(await prove(otherUser, id)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    for (const unknown of [UNKNOWN_ID, 'x']) {
      expect(await prove(ann, unknown)).toMatchObject({ status: 404, code: 'TRANSACTION_NOT_FOUND' });
      expect(await proveAsAdmin(unknown)).toMatchObject({ status: 404, code: 'TRANSACTION_NOT_FOUND' });
    }
  });
});
