import { ADMIN_TRANSACTIONS, treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { newHash, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_WITHDRAWALS, DESTINATION } from '../../fixtures/withdrawals.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

const TEXTS: [string, string][] = [
  ['text', 'Bank wire 17'],
  ['63 hex digits', 'a'.repeat(63)],
  ['65 hex digits', `0x${'a'.repeat(65)}`],
  ['an address', DESTINATION],
  ['letters that are not hex digits', `0x${'g'.repeat(64)}`],
  ['the prefix 0X', `0X${'a'.repeat(64)}`],
  ['two hashes', `${'a'.repeat(64)} ${'b'.repeat(64)}`],
  ['a URL of an explorer', `https://etherscan.io/tx/0x${'a'.repeat(64)}`],
];

describe('A transaction hash', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  /** The routes with a hash: each function prepares a record, and returns the request that sends a hash for it and the path of the record. */
  const ROUTES: Record<string, () => Promise<{ send: (hash: string) => Promise<any>; path: string }>> = {
    'complete a withdrawal': async () => {
      const { id } = await steps.withdrawals.createProcessing();
      return { path: `${ADMIN_WITHDRAWALS}/${id}`, send: (hash) => steps.withdrawals.complete(id, hash) };
    },
    'confirm a transaction by hand': async () => {
      const { id: userId } = await platform.given.user();
      const id = await steps.createApproved({ type: 'deposit', userId });
      const send = (hash: string) => steps.confirm(id, { transactionHash: hash });
      return { path: `${ADMIN_TRANSACTIONS}/${id}`, send };
    },
    'complete a transaction request': async () => {
      const { id, requestId } = await steps.transferWithRequest();
      return { path: `${ADMIN_TRANSACTIONS}/${id}`, send: (hash) => steps.complete(requestId, hash) };
    },
  };
  /** The deposit provider reports a deposit with this hash; returns the stored deposit. */
  const reportTronDeposit = async (hash: string) => {
    const ann = await platform.given.user();
    const query = 'currency=USDT&network=TRC20';
    const { address } = (await platform.as(ann).get(`/api/user/deposits/address?${query}`)).data;
    await new ProviderCallbacks(platform).reportDeposit({ address, hash });
    const [deposit] = (await platform.as(ann).get('/api/user/deposits')).data;
    return deposit;
  };
  const storedHash = async (path: string) => {
    const { txHash, transactionHash } = (await platform.as(steps.admin).get(path)).data;
    return txHash ?? transactionHash;
  };

  describe.each(Object.entries(ROUTES))('that an admin enters to %s', (_route, prepare) => {
    it.each(TEXTS)('is refused with INVALID_TX_HASH if it is %s [SEC-310]', async (_what, text) => {
      const { send } = await prepare();
      const before = await platform.ledgerState();
      expect(await send(text)).toMatchObject({ status: 400, code: 'INVALID_TX_HASH' });
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('is refused with VALIDATION_ERROR if it is empty', async () => {
      const { send } = await prepare();
      expect(await send('')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(await send('  ')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });

    it.each([
      ['with 0x', (hash: string) => hash],
      ['without 0x', (hash: string) => hash.slice(2)],
      ['in upper case', (hash: string) => hash.slice(2).toUpperCase()],
      ['with spaces around it', (hash: string) => ` ${hash} `],
    ])('is stored in lower case with 0x if it is entered %s', async (_how, form) => {
      const { send, path } = await prepare();
      const hash = newHash();
      expect((await send(form(hash))).status).toBe(200);
      expect(await storedHash(path)).toBe(hash);
    });

    it('is refused with DUPLICATE_TX_HASH if an earlier version stored it without 0x', async () => {
      const earlier = await steps.withdrawals.createProcessing();
      const hash = newHash();
      await steps.withdrawals.complete(earlier.id, hash);
      await queryWithoutTriggers(platform, 'update withdrawal set tx_hash = $2 where id = $1', [
        earlier.id,
        hash.slice(2),
      ]);
      const { send } = await prepare();
      for (const form of [hash, hash.slice(2)])
        expect(await send(form)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });

    it('is refused with DUPLICATE_TX_HASH if a deposit over TRON has it, whose hashes have no 0x', async () => {
      const hash = newHash().slice(2);
      expect(await reportTronDeposit(hash)).toMatchObject({ status: 'completed', txHash: hash });
      const { send } = await prepare();
      for (const form of [hash, `0x${hash}`])
        expect(await send(form)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });
  });

  it('may be any text in a callback of the deposit provider, so that no deposit is lost', async () => {
    const deposit = await reportTronDeposit('internal transfer 17');
    expect(deposit).toMatchObject({ status: 'completed', txHash: 'internal transfer 17' });
  });
});
