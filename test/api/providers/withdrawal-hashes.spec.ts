import { createPublicClient, formatEther, formatGwei, http, type Address, type Hash } from 'viem';
import { HOUR_MS } from '../../../src/common/durations.js';
import { MICRO_SCALE, Money } from '../../../src/common/money.js';
import { hashForms } from '../../../src/modules/providers/chain/domain/transaction-hash.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

const ELSEWHERE: Address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

describe('The transaction hash of a completed withdrawal', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  const recheck = () => platform.runJob('withdrawal-chain-checks');
  const checkOf = async (id: string) => (await steps.detail(id)).chainCheck;

  describe('used concurrently', () => {
    it('completes one of two withdrawals; the request for the other one is refused', async () => {
      for (let round = 0; round < 5; round++) {
        const [first, second] = [await steps.createProcessing(), await steps.createProcessing()];
        const hash = unknownHash();
        const replies = await Promise.all([
          steps.complete(first.id, hash),
          steps.complete(second.id, hash, {}, admin2),
        ]);
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
        expect(replies.find((reply) => reply.status === 409)?.code).toBe('DUPLICATE_TX_HASH');
      }
    });

    it('completes two withdrawals with allowSharedTxHash, and a third needs it as well', async () => {
      const [first, second, third] = [
        await steps.createProcessing(),
        await steps.createProcessing(),
        await steps.createProcessing(),
      ];
      const hash = unknownHash();
      const shared = { allowSharedTxHash: true };
      const replies = await Promise.all([
        steps.complete(first.id, hash, shared),
        steps.complete(second.id, hash, shared, admin2),
      ]);
      expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
      expect(await steps.complete(third.id, hash)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });
  });

  describe('used a second time', () => {
    it('is refused, regardless of letter case and outer spaces, unless the request allows sharing', async () => {
      const [first, second] = [await steps.createProcessing(), await steps.createProcessing()];
      const hash = `0x${'ab'.repeat(31)}01`; // with letters
      await steps.complete(first.id, hash);
      const before = await platform.ledgerState();
      const duplicate = await steps.complete(second.id, ` 0x${hash.slice(2).toUpperCase()} `);

      expect(duplicate).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
      expect(duplicate.body.error.details).toEqual({ withdrawalId: first.id });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.detail(second.id)).status).toBe('processing');

      expect(await steps.complete(second.id, hash, { allowSharedTxHash: true })).toMatchObject({
        data: { txHash: hash },
      });
    });

    it('is refused also when it was first used with allowSharedTxHash', async () => {
      const [first, second] = [await steps.createProcessing(), await steps.createProcessing()];
      const hash = unknownHash();
      await steps.complete(first.id, hash, { allowSharedTxHash: true });
      expect(await steps.complete(second.id, hash)).toMatchObject({ status: 409, code: 'DUPLICATE_TX_HASH' });
    });
  });

  it.each(['ab'.repeat(32), `0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(31)}`, 'paid by hand'])(
    'has the same forms in the database and in the code: %s',
    async (hash) => {
      const [row] = await platform.dataSource.query('select hash_forms($1) as forms', [hash]);
      expect(row.forms).toEqual(hashForms(hash));
    },
  );

  it.each([
    ['absent', undefined, 'MISSING_REQUIRED_FIELD'],
    ['empty', '', 'VALIDATION_ERROR'],
    ['blank', '  ', 'VALIDATION_ERROR'],
    ['null', null, 'VALIDATION_ERROR'],
    ['a number', 17, 'VALIDATION_ERROR'],
  ])('must not be %s', async (_, txHash, code) => {
    const { id } = await steps.createProcessing();
    const before = await platform.ledgerState();
    const reply = await platform.as(admin2).post(`${ADMIN_WITHDRAWALS}/${id}/complete`, { txHash });
    expect(reply).toMatchObject({ status: 400, code });
    expect(await platform.ledgerState()).toEqual(before);
  });

  describe('has a chain check that', () => {
    const receiptOf = (hash: Hash) =>
      createPublicClient({ transport: http(platform.outside.chain.rpcUrl) }).getTransactionReceipt({ hash });

    it('is a mismatch if the amount or the recipient differs', async () => {
      const [wrongAmount, wrongRecipient] = [
        await steps.createProcessing('100.00'),
        await steps.createProcessing('100.00'),
      ];
      const underpayment = await platform.outside.chain.payUsdc(DESTINATION, '99.999999');
      const misdirected = await platform.outside.chain.payUsdc(ELSEWHERE, '100.00');
      expect((await steps.complete(wrongAmount.id, underpayment)).data.chainCheck).toBe('mismatch');
      expect((await steps.complete(wrongRecipient.id, misdirected)).data.chainCheck).toBe('mismatch');
    });

    it.each([
      ['at once', false],
      ['after an outage of the chain', true],
    ])('adds block and gas to the user’s transaction %s', async (_when, isUnavailable) => {
      const { id, ann } = await steps.createProcessing('66.00');
      const hash = await platform.outside.chain.payUsdc(DESTINATION, '66.00');
      if (isUnavailable) platform.outside.providers.faults.set('chain', 'error');
      await steps.complete(id, hash);
      const userTransaction = async (view = '') => {
        const list = (await platform.as(ann).get('/api/user/transactions?type=withdrawal')).data;
        const { id: transactionId } = list.find(({ metadata }: any) => metadata.referenceId === id);
        return (await platform.as(ann).get(`/api/user/transactions/${transactionId}${view}`)).data;
      };
      if (isUnavailable) {
        expect(await userTransaction()).toMatchObject({
          blockNumber: null,
          confirmations: 0,
          gasUsed: null,
          gasFee: null,
        });
        await platform.outside.providers.endFault('chain');
        await recheck();
      }
      const { blockNumber, gasUsed, effectiveGasPrice } = await receiptOf(hash);
      const mined = { blockNumber: Number(blockNumber), gasUsed: gasUsed.toString() };
      const gasFee = Money.of(formatEther(gasUsed * effectiveGasPrice))
        .roundHalfEven(MICRO_SCALE)
        .toWire();
      expect(await userTransaction()).toMatchObject({
        ...mined,
        status: 'completed',
        blockchainTxHash: hash,
        gasFee,
      });
      expect(await userTransaction('?view=chain')).toMatchObject({
        ...mined,
        status: 'confirmed',
        transactionHash: hash,
        gasPrice: formatGwei(effectiveGasPrice),
      });
      expect((await userTransaction()).confirmations).toBeGreaterThan(0);
    });

    it.each([
      ['twice with 0x', (hash: string) => hash],
      ['with 0x and without it', (hash: string) => hash.slice(2)],
    ])(
      'matches one payment with one of two equal withdrawals if its hash is entered %s',
      async (_how, again) => {
        const first = await steps.createProcessing('77.00');
        const second = await steps.createProcessing('77.00');
        const hash = await platform.outside.chain.payUsdc(DESTINATION, '77.00');
        expect((await steps.complete(first.id, hash)).data.chainCheck).toBe('matched');
        const shared = await steps.complete(second.id, again(hash), { allowSharedTxHash: true });
        expect(shared.data.chainCheck).toBe('mismatch');
      },
    );

    it('is a mismatch for a hash that is unknown for an hour', async () => {
      const { id } = await steps.createProcessing();
      expect((await steps.complete(id, unknownHash())).data.chainCheck).toBe('unverified');
      platform.clock.advance(HOUR_MS - 1);
      await recheck();
      expect(await checkOf(id)).toBe('unverified');
      platform.clock.advance(1);
      await recheck();
      expect(await checkOf(id)).toBe('mismatch');
    });

    it('does not prevent the completion when the chain is unavailable, and is repeated later', async () => {
      const { id, ann } = await steps.createProcessing('88.00');
      const hash = await platform.outside.chain.payUsdc(DESTINATION, '88.00');
      platform.outside.providers.faults.set('chain', 'error');
      const completed = await steps.complete(id, hash);
      expect(completed).toMatchObject({
        status: 200,
        data: { status: 'completed', chainCheck: 'unverified' },
      });
      // 200000.00 − 88.00 = 199912.00
      expect(await steps.funds(ann)).toMatchObject({ available: '199912.00', reserved: '0.00' });

      platform.clock.advance(2 * HOUR_MS); // an outage of the chain proves nothing, however long it lasts
      await recheck();
      expect(await checkOf(id)).toBe('unverified');

      await platform.outside.providers.endFault('chain');
      await recheck();
      expect(await checkOf(id)).toBe('matched');
    });
  });
});
