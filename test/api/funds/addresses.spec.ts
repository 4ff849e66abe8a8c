import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestUser } from '../../fixtures/given.js';
import { newWallet } from '../../fixtures/wallets.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { fewestRoundTripsDuring, queriesDuring } from '../../harness/queries.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ADDRESSES = '/api/user/addresses';
const LIMIT = 50;
const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;

let platform: TestPlatform;
let steps: WithdrawalSteps;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { ADDRESS_DELAY_HOURS: '24', WITHDRAWAL_ADDRESS_BOOK: 'required' },
  });
  steps = await withdrawalSteps(platform);
});
afterAll(() => platform?.stop());

const add = (user: TestUser, address: string = DESTINATION, fields: object = {}) =>
  platform.as(user).post(ADDRESSES, { label: 'Safe', address, network: 'ERC20', ...fields });
const list = async (user: TestUser) => (await platform.as(user).get(ADDRESSES)).data;
const remove = (user: TestUser, id: string) => platform.as(user).delete(`${ADDRESSES}/${id}`);
const later = (hours: number) => new Date(platform.clock.now().getTime() + hours * HOUR_MS).toISOString();
const expectLockWaits = async (count: number) =>
  expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(count);

/** A user whose address book has contained DESTINATION for a day. */
async function userWithAddress(): Promise<{ user: TestUser; id: string }> {
  const user = await platform.given.user().withBalance('1000.00');
  const { data } = await add(user);
  platform.clock.advance(24 * HOUR_MS);
  return { user, id: data.id };
}

describe('The address book', () => {
  it('names the required fields that are missing', async () => {
    const { status, code, body } = await platform.as(await platform.given.user()).post(ADDRESSES, {});
    expect([status, code]).toEqual([400, 'MISSING_REQUIRED_FIELD']);
    const missing = ['label', 'address', 'network'].map((field) => ({ field, message: 'is required' }));
    expect(body.error.details.fields).toEqual(missing);
  });

  it('lists added addresses, the oldest first, renames and removes them', async () => {
    const user = await platform.given.user();
    const added = await add(user, DESTINATION.toLowerCase());
    const expected = {
      id: expect.any(String),
      label: 'Safe',
      address: DESTINATION,
      network: 'ERC20',
      paidCount: 0,
      createdAt: platform.clock.now().toISOString(),
      usableFrom: later(24),
    };
    expect([added.status, added.data]).toEqual([201, expected]);
    platform.clock.advance(1000);
    const { data: second } = await add(user, newWallet().address, { label: 'Büro 2', network: 'BEP20' });
    expect(await list(user)).toEqual([added.data, second]);

    const path = `${ADDRESSES}/${added.data.id}`;
    const renamed = await platform.as(user).put(path, { label: 'Ledger' });
    expect([renamed.status, renamed.data]).toEqual([200, { ...added.data, label: 'Ledger' }]);
    const removed = await remove(user, added.data.id);
    expect([removed.status, removed.data]).toEqual([200, renamed.data]);
    expect(await list(user)).toEqual([second]);
    expect((await remove(user, added.data.id)).code).toBe('ADDRESS_NOT_FOUND');
    expect((await platform.as(user).put(path, { label: 'Ledger' })).code).toBe('ADDRESS_NOT_FOUND');
  });

  it('answers 200 with the unchanged entry for an address that it contains, in upper or lower case', async () => {
    const user = await platform.given.user();
    const { data } = await add(user);
    platform.clock.advance(HOUR_MS);
    for (const address of [DESTINATION, DESTINATION.toLowerCase(), upper(DESTINATION)]) {
      const reply = await add(user, address, { label: 'Another', network: 'BEP20' });
      expect([reply.status, reply.data]).toEqual([200, data]);
    }
    expect(await list(user)).toEqual([data]);
  });

  it('has one entry after concurrent additions of an address', async () => {
    const user = await platform.given.user();
    const spellings = [DESTINATION, DESTINATION.toLowerCase(), upper(DESTINATION)];
    const replies = await Promise.all([...spellings, ...spellings].map((address) => add(user, address)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    const [entry, ...others] = await list(user);
    expect(others).toEqual([]);
    for (const { data } of replies) expect(data).toEqual(entry);
    const { data: notes } = await platform.as(user).get('/api/user/notifications?type=security');
    expect(notes).toHaveLength(1);
  });

  it('has at most fifty entries, also after concurrent additions', async () => {
    const user = await platform.given.user();
    await platform.dataSource.query(
      `insert into withdrawal_address (id, user_id, label, address, network, created_at, usable_from)
       select gen_random_uuid(), $1, 'Safe', '0x' || lpad(n::text, 40, '0'), 'ERC20', now(), now()
         from generate_series(1, $2) as n`,
      [user.id, LIMIT - 1],
    );
    const replies = await Promise.all(Array.from({ length: 5 }, () => add(user, newWallet().address)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { code, status, body } of replies.filter((reply) => reply.status !== 201))
      expect([status, code, body.error.details]).toEqual([422, 'LIMIT_REACHED', { limit: LIMIT }]);
    const entries = await list(user);
    expect(entries).toHaveLength(LIMIT);
    expect((await add(user, entries[LIMIT - 1].address)).status).toBe(200); // the book contains this address
  });

  it('is shown to its user only, and other users can add the same address', async () => {
    const ann = await platform.given.user();
    const eve = await platform.given.user();
    await add(ann);
    expect(await list(eve)).toEqual([]);
    expect((await add(eve)).status).toBe(201);
  });

  it('refuses every network except ERC20 and BEP20 before it checks the address', async () => {
    const user = await platform.given.user();
    // A lookup in an object would find `toString`, which every object inherits.
    for (const network of ['TRC20', 'SOL', 'toString', 'erc20', ''])
      for (const address of [DESTINATION, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t']) {
        const { status, code, body } = await add(user, address, { network });
        expect([network, status, code]).toEqual([network, 400, 'NETWORK_NOT_SUPPORTED']);
        expect(body.error.details).toEqual({ supported: ['ERC20', 'BEP20'] });
      }
  });

  it.each(['', '0x', DESTINATION.slice(2), `0X${DESTINATION.slice(2)}`, `${DESTINATION}0`, 'ann.eth'])(
    'refuses the malformed address "%s"',
    async (address) => {
      const { status, code, body } = await add(await platform.given.user(), address);
      expect([status, code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.error.details.fields[0].field).toBe('address');
    },
  );

  it.each([
    ['the zero address', () => `0x${'0'.repeat(40)}`],
    ['the USDC contract', () => platform.env.USDC_CONTRACT_ADDRESS],
    ['the custody address', () => platform.env.CUSTODY_ADDRESS],
    [
      "another user's deposit address",
      async () => {
        const bob = platform.as(await platform.given.user());
        return (await bob.get('/api/user/deposits/address?currency=USDC&network=ERC20')).data.address;
      },
    ],
  ])('refuses %s with INVALID_WALLET_ADDRESS', async (_what, address) => {
    const user = await platform.given.user();
    const { status, code, body } = await add(user, ((await address()) as string).toLowerCase());
    expect([status, code]).toEqual([400, 'INVALID_WALLET_ADDRESS']);
    expect(body.error.details.fields).toEqual([
      { field: 'address', message: expect.stringContaining('would not reach you') },
    ]);
    expect(await list(user)).toEqual([]);
  });

  it('refuses labels that are empty, too long, of several lines or with characters that reorder the text', async () => {
    const { user, id } = await userWithAddress();
    for (const label of ['', 'x'.repeat(101), 'a\nb', 'a\u2028b', 'Safe \u202eknaB', 7, null]) {
      expect((await add(user, newWallet().address, { label })).code).toBe('VALIDATION_ERROR');
      expect((await platform.as(user).put(`${ADDRESSES}/${id}`, { label })).code).toBe('VALIDATION_ERROR');
    }
    const longest = '𝒳'.repeat(100);
    expect((await platform.as(user).put(`${ADDRESSES}/${id}`, { label: longest })).data.label).toBe(longest);
  });

  it('notifies the user of an added address [SEC-150]', async () => {
    const user = await platform.given.user();
    await add(user);
    const { data: notes } = await platform.as(user).get('/api/user/notifications?type=security');
    expect(notes).toMatchObject([
      { title: 'Withdrawal address added', priority: 'high', metadata: { event: 'address.added' } },
    ]);
    expect(notes[0].message).toContain(DESTINATION);
    expect(notes[0].message).toContain('"Safe"');
  });
});

describe('A withdrawal that needs the address book', () => {
  it('is accepted only for a usable address of the book, in upper or lower case [SEC-148]', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const expectRefusal = async (usableFrom: string | null) => {
      const before = await platform.ledgerState();
      const { status, code, body } = await steps.request(user, '10.00');
      expect([status, code, body.error.details]).toEqual([422, 'ADDRESS_NOT_ALLOWED', { usableFrom }]);
      expect(await platform.ledgerState()).toEqual(before);
    };
    await expectRefusal(null);
    const usableFrom = later(24);
    await add(user, DESTINATION, { network: 'BEP20' });
    platform.clock.advance(24 * HOUR_MS - 1);
    await expectRefusal(usableFrom);
    platform.clock.advance(1);
    for (const toAddress of [DESTINATION, DESTINATION.toLowerCase(), upper(DESTINATION)])
      expect((await steps.request(user, '10.00', { toAddress })).status).toBe(201);
    expect((await steps.request(user, '10.00', { toAddress: newWallet().address })).code).toBe(
      'ADDRESS_NOT_ALLOWED',
    );
  });

  it('needs at most one round trip more than a withdrawal that does not need the address book', async () => {
    const optional = await startApiWithSettings(platform, { WITHDRAWAL_ADDRESS_BOOK: 'optional' });
    platform.beforeStop(optional.stop);
    const { user } = await userWithAddress();
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    const withdraw = (at?: string) => async () =>
      expect((await platform.as(user, at).post('/api/user/withdrawals', body)).status).toBe(201);
    const statementsWithoutBook = await queriesDuring(withdraw(optional.url));
    expect(statementsWithoutBook.filter((text) => text.includes('withdrawal_address'))).toEqual([]);
    const tripsWithoutBook = await fewestRoundTripsDuring(withdraw(optional.url));
    expect(await fewestRoundTripsDuring(withdraw())).toBeLessThanOrEqual(tripsWithoutBook + 1);
    const notInBook = { ...body, toAddress: newWallet().address }; // accepted: the book is optional there
    expect((await platform.as(user, optional.url).post('/api/user/withdrawals', notInBook)).status).toBe(201);
  });

  it('is refused for an address in another user’s book, and for one that was removed or just added', async () => {
    const { user, id } = await userWithAddress();
    const eve = await platform.given.user().withBalance('1000.00');
    expect((await steps.request(eve, '10.00')).code).toBe('ADDRESS_NOT_ALLOWED');
    await remove(user, id);
    expect((await steps.request(user, '10.00')).code).toBe('ADDRESS_NOT_ALLOWED');
    const again = await add(user);
    expect([again.status, again.data.usableFrom]).toEqual([201, later(24)]);
    expect((await steps.request(user, '10.00')).body.error.details).toEqual({ usableFrom: later(24) });
  });

  it('is refused if a concurrent removal of the address commits first [SEC-149]', async () => {
    const { user, id } = await userWithAddress();
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('delete from withdrawal_address where id = $1', [id]);
    const requested = steps.request(user, '10.00');
    await eventually(() => expectLockWaits(1));
    await holder.commitTransaction();
    await holder.release();
    const { code, body } = await requested;
    expect([code, body.error.details]).toEqual(['ADDRESS_NOT_ALLOWED', { usableFrom: null }]);
  });

  it('makes a concurrent removal of the address wait until the withdrawal is committed', async () => {
    const { user, id } = await userWithAddress();
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    // Blocks the insertion of the withdrawal, before which the request locks the address.
    await holder.query('lock table withdrawal in share row exclusive mode');
    const requested = steps.request(user, '10.00');
    await eventually(() => expectLockWaits(1));
    const removed = remove(user, id);
    await eventually(() => expectLockWaits(2));
    await holder.rollbackTransaction();
    await holder.release();
    expect((await requested).status).toBe(201);
    expect((await removed).status).toBe(200);
    expect((await steps.request(user, '10.00')).code).toBe('ADDRESS_NOT_ALLOWED');
  });
});

describe('The count of payments to an address', () => {
  it('counts completed withdrawals of the user, in the book and for operators', async () => {
    const { user, id } = await userWithAddress();
    const { user: other } = await userWithAddress();
    const since = (await list(user))[0].createdAt;
    const request = async (from: TestUser, toAddress: string = DESTINATION) =>
      (await steps.request(from, '10.00', { toAddress })).data.id as string;
    const ofUser = [await request(user), await request(user, DESTINATION.toLowerCase())];
    const ofOther = await request(other);
    const open = await request(user);
    const bookOf = async (withdrawal: string) => (await steps.detail(withdrawal)).addressBook;
    expect(await bookOf(open)).toEqual({ known: true, since, paidCount: 0 });
    for (const paid of [...ofUser, ofOther]) {
      await steps.take(paid);
      expect((await steps.complete(paid)).status).toBe(200);
    }
    expect((await list(user))[0].paidCount).toBe(2);
    expect(await bookOf(open)).toEqual({ known: true, since, paidCount: 2 });
    expect((await bookOf(ofUser[0] as string)).paidCount).toBe(1); // a completed withdrawal does not count itself
    expect((await remove(user, id)).data.paidCount).toBe(2);
    expect(await bookOf(open)).toEqual({ known: false, since: null, paidCount: 2 });
    expect((await add(user)).data.paidCount).toBe(2);
  });
});
