import { FAUCET_ADDRESS } from '../../../src/sandbox/anvil.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { newWallet } from '../../fixtures/wallets.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

/** Refusals of deposit addresses per user and day. */
const REFUSALS = 10;

describe('The destination of a withdrawal', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { CUSTODY_ADDRESSES: FAUCET_ADDRESS } });
    steps = await withdrawalSteps(platform);
    ann = await platform.given.user().withBalance('1000.00');
  });
  afterAll(() => platform?.stop());

  const addressOf = async (user: TestUser, query: string): Promise<string> =>
    (await platform.as(user).get(`/api/user/deposits/address?${query}`)).data.address;
  const newUser = () => platform.given.user();
  const someDepositAddress = async () => addressOf(await newUser(), 'currency=USDC&network=ERC20');
  const add = (user: TestUser, address: string) =>
    platform.as(user).post('/api/user/addresses', { label: 'Safe', address, network: 'ERC20' });

  it.each([
    ['the zero address', () => `0x${'0'.repeat(40)}`],
    ['the USDC contract', () => platform.env.USDC_CONTRACT_ADDRESS],
    ['the contract of another token', () => '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['the custody address', () => platform.env.CUSTODY_ADDRESS],
    ['an address of CUSTODY_ADDRESSES', () => FAUCET_ADDRESS],
    ['the address of the deposit provider', () => platform.env.DEPOSIT_PROVIDER_ADDRESS],
    ["the user's own deposit address", (user: TestUser) => addressOf(user, 'currency=USDC&network=ERC20')],
    ["another user's deposit address", async () => addressOf(await newUser(), 'currency=USDC&network=ERC20')],
    [
      'a deposit address of another network',
      async () => addressOf(await newUser(), 'currency=USDT&network=BEP20'),
    ],
  ])('cannot be %s, regardless of letter case', async (_what, address) => {
    // A new user in each case, because the service tells a user at most ten deposit addresses a day.
    const user = await platform.given.user().withBalance('1000.00');
    const toAddress = (await address(user)) as string;
    const before = await platform.ledgerState();
    for (const spelling of [toAddress, toAddress.toLowerCase(), `0x${toAddress.slice(2).toUpperCase()}`]) {
      const { status, code, body } = await steps.request(user, '10.00', { toAddress: spelling });
      expect([spelling, status, code]).toEqual([spelling, 400, 'INVALID_WALLET_ADDRESS']);
      expect(body.error.details.fields).toEqual([
        { field: 'toAddress', message: expect.stringContaining('would not reach you') },
      ]);
    }
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('is compared with deposit addresses only after the limits and the balance of the user [SEC-338]', async () => {
    const toAddress = await someDepositAddress();
    const poor = await platform.given.user().withBalance('5.00');
    for (const other of [toAddress, DESTINATION]) {
      const { status, code } = await steps.request(poor, '10.00', { toAddress: other });
      expect([status, code]).toEqual([422, 'INSUFFICIENT_BALANCE']);
      const rich = await platform.given.user().withBalance('90000.00');
      const limited = await steps.request(rich, '60000.00', { toAddress: other });
      expect([limited.status, limited.code]).toEqual([422, 'WITHDRAWAL_LIMIT_EXCEEDED']);
    }
    const custody = await steps.request(poor, '10.00', { toAddress: platform.env.CUSTODY_ADDRESS });
    expect(custody.code).toBe('INVALID_WALLET_ADDRESS'); // at once: this address is no secret
  });

  it('is refused as a deposit address ten times per user and day; then all addresses new to the user get the same answer [SEC-339]', async () => {
    const eve = await platform.given.user().withBalance('1000.00');
    const paid = newWallet().address;
    const { id } = (await steps.request(eve, '10.00', { toAddress: paid })).data;
    await steps.take(id);
    expect((await steps.complete(id)).status).toBe(200);
    const booked = (await add(eve, newWallet().address)).data.address as string;

    const probe = (address: string, byBook: boolean) =>
      byBook ? add(eve, address) : steps.request(eve, '10.00', { toAddress: address });
    const before = await platform.ledgerState();
    for (let count = 0; count < REFUSALS; count++) {
      const { status, code } = await probe(await someDepositAddress(), count % 2 === 0);
      expect([status, code]).toEqual([400, 'INVALID_WALLET_ADDRESS']);
    }
    for (const address of [await someDepositAddress(), newWallet().address])
      for (const byBook of [true, false]) {
        const { status, code, headers, body } = await probe(address, byBook);
        expect([status, code, body.error.details]).toEqual([429, 'RATE_LIMIT_EXCEEDED', undefined]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000); // of the window of a day
      }
    expect(await platform.ledgerState()).toEqual(before);

    // Addresses of the book and those that were paid before tell the user nothing new.
    for (const known of [paid, booked.toLowerCase()])
      expect((await steps.request(eve, '10.00', { toAddress: known })).status).toBe(201);
    expect((await add(eve, booked)).status).toBe(200);
    expect((await add(eve, paid)).status).toBe(201);
    expect((await steps.request(ann, '10.00', { toAddress: newWallet().address })).status).toBe(201);
  });

  it('can be any other address', async () => {
    expect((await steps.request(ann, '10.00', { toAddress: DESTINATION })).status).toBe(201);
  });
});
