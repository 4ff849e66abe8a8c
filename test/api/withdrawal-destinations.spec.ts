import { FAUCET_ADDRESS } from '../../src/sandbox/anvil.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';

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

  it.each([
    ['the zero address', () => `0x${'0'.repeat(40)}`],
    ['the USDC contract', () => platform.env.USDC_CONTRACT_ADDRESS],
    ['the contract of another token', () => '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['the custody address', () => platform.env.CUSTODY_ADDRESS],
    ['an address of CUSTODY_ADDRESSES', () => FAUCET_ADDRESS],
    ['the address of the deposit provider', () => platform.env.DEPOSIT_PROVIDER_ADDRESS],
    ["the user's own deposit address", () => addressOf(ann, 'currency=USDC&network=ERC20')],
    ["another user's deposit address", async () => addressOf(await newUser(), 'currency=USDC&network=ERC20')],
    [
      'a deposit address of another network',
      async () => addressOf(await newUser(), 'currency=USDT&network=BEP20'),
    ],
  ])('cannot be %s, regardless of letter case', async (_what, address) => {
    const toAddress = (await address()) as string;
    const before = await platform.ledgerState();
    for (const spelling of [toAddress, toAddress.toLowerCase(), `0x${toAddress.slice(2).toUpperCase()}`]) {
      const { status, code, body } = await steps.request(ann, '10.00', { toAddress: spelling });
      expect([spelling, status, code]).toEqual([spelling, 400, 'INVALID_WALLET_ADDRESS']);
      expect(body.error.details).toEqual([
        { field: 'toAddress', message: expect.stringContaining('would not reach you') },
      ]);
    }
    expect(await platform.ledgerState()).toEqual(before);
  });

  it('can be any other address', async () => {
    expect((await steps.request(ann, '10.00', { toAddress: DESTINATION })).status).toBe(201);
  });
});
