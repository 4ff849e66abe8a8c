import { countKnownNetworks, signInFromDevice, type DeviceSignIn } from '../../fixtures/device-sign-ins.js';
import type { TestUser } from '../../fixtures/given.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring, fewestRoundTripsDuring } from '../../harness/queries.js';
import { startReplica } from '../../harness/replica.js';
import { LONGER_THAN_COLLAPSING_MS } from '../../fixtures/notifications.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1';

let emailCount = 0;

describe('A sign-in from a known device', () => {
  let platform: TestPlatform;
  let email: string;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { TRUST_PROXY: '127.0.0.1' } });
  });
  beforeEach(() => {
    email = `network-${++emailCount}@example.org`;
  });
  afterAll(() => platform?.stop());

  const signIn = (userAgent: string, options: DeviceSignIn = {}) =>
    signInFromDevice(platform, userAgent, { email, ...options });
  /** The number of pairs of device and network that are stored of the user. */
  const pairsOf = (user: { id: string }) => countKnownNetworks(platform, user);
  const securityNotes = async (user: { token: string }) =>
    (await platform.as(user).get('/api/user/notifications?type=security&orderBy=asc')).data;

  it('notifies if the network is new, with the device and the network [SEC-320]', async () => {
    await signIn(FIREFOX, { from: '203.0.113.7' });
    const user = await signIn(FIREFOX, { from: '198.51.100.9' });
    const [note, ...more] = await securityNotes(user);
    expect(more).toEqual([]);
    expect(note).toMatchObject({
      title: 'Sign-in from a new network',
      priority: 'high',
      metadata: { event: 'security.new-device' },
    });
    expect(note.message).toContain(
      `used before has signed in to your account from a new network, 198.51.100.0/24: ${FIREFOX}.`,
    );
    expect(note.message).not.toMatch(/203\.0\.113|198\.51\.100\.9/);
  });

  it.each([
    ['203.0.113.7', '203.0.113.250'],
    ['203.0.113.7', '::ffff:203.0.113.8'],
    ['203.0.113.7', '203.0.113.9:4711'],
    ['2001:db8:1:2::1', '2001:db8:1:ffff::2'],
  ])('does not notify after %s about %s, which is in the same network', async (first, second) => {
    await signIn(FIREFOX, { from: first });
    expect(await securityNotes(await signIn(FIREFOX, { from: second }))).toEqual([]);
  });

  it.each([
    ['203.0.113.7', '203.0.114.7', '203.0.114.0/24'],
    ['2001:db8:1:2::1', '2001:db8:2:2::1', '2001:db8:2::/48'],
    ['203.0.113.7', '2001:db8:1:2::1', '2001:db8:1::/48'],
  ])('notifies after %s about %s, which is in the network %s', async (first, second, network) => {
    await signIn(FIREFOX, { from: first });
    const [note] = await securityNotes(await signIn(FIREFOX, { from: second }));
    expect(note.message).toContain(` ${network}: `);
  });

  it('notifies once per network, and a return to an earlier network does not notify', async () => {
    for (const from of ['203.0.113.7', '198.51.100.1', '203.0.113.7', '198.51.100.2', '198.51.100.3'])
      await signIn(FIREFOX, { from });
    expect(await securityNotes(await signIn(FIREFOX, { from: '203.0.113.9' }))).toHaveLength(1);
  });

  it('notifies if only another device has used the network', async () => {
    await signIn(FIREFOX, { from: '203.0.113.7' });
    await signIn(PHONE, { from: '198.51.100.1' });
    const notes = await securityNotes(await signIn(FIREFOX, { from: '198.51.100.1' }));
    expect(notes.map(({ title }: { title: string }) => title)).toEqual([
      'Sign-in from a new device',
      'Sign-in from a new network',
    ]);
  });

  it('does not notify if only the spaces in the name of the device differ', async () => {
    await signIn('Firefox on Linux');
    expect(await securityNotes(await signIn('Firefox  on\tLinux'))).toEqual([]);
  });

  it('notifies once about concurrent sign-ins from a new network', async () => {
    await signIn(FIREFOX, { from: '203.0.113.7' });
    const users = await Promise.all(
      Array.from({ length: 5 }, () => signIn(FIREFOX, { from: '198.51.100.1' })),
    );
    expect(await securityNotes(users[0] as TestUser)).toHaveLength(1);
  });

  it('notifies about a new network also in a cookie session, with a wallet and at the registration of a wallet', async () => {
    const user = await signIn(FIREFOX, { from: '203.0.113.7' });
    await signIn(FIREFOX, { from: '198.51.100.1', session: 'cookie' });
    platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
    const wallets = new WalletSteps(platform);
    const wallet = newWallet();
    const second = newWallet();
    await wallets.connect(user, await wallets.signChallenge(wallet));
    const headers = (from: string) => ({ 'user-agent': FIREFOX, 'x-forwarded-for': from });
    const signed = await wallets.signChallenge(wallet);
    const login = { headers: headers('192.0.2.1') };
    expect((await platform.as(null).post('/api/auth/wallet/login', signed, login)).status).toBe(200);
    platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
    const jwt = await platform.outside.providers.identity.token({ email });
    const register = { headers: { ...headers('2001:db8::1'), authorization: `Bearer ${jwt}` } };
    const registration = await wallets.signChallenge(second);
    expect((await platform.as(null).post('/api/auth/wallet/register', registration, register)).status).toBe(
      201,
    );
    const messages = (await securityNotes(user)).map(({ message }: { message: string }) => message);
    const networks = messages.map((message: string) => /from a new network, ([^ ]+): /.exec(message)?.[1]);
    expect(networks.filter(Boolean)).toEqual(['198.51.100.0/24', '192.0.2.0/24', '2001:db8::/48']);
  });

  it('has the network of X-Forwarded-For only behind a proxy that TRUST_PROXY names [SEC-321]', async () => {
    const at = await startReplica(platform, { TRUST_PROXY: [] });
    await signIn(FIREFOX, { from: '203.0.113.7', at });
    expect(await securityNotes(await signIn(FIREFOX, { from: '198.51.100.1', at }))).toEqual([]);
  });

  it('is from a new network if that is not among the fifty pairs of device and network that the user used last', async () => {
    let user = await signIn(PHONE, { from: '203.0.113.7' });
    for (let network = 0; network < 50; network++) {
      platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
      user = await signIn(FIREFOX, { from: `10.0.${network}.1` });
    }
    expect(await pairsOf(user)).toBe(50);
    const total = async (of: { token: string }) =>
      (await platform.as(of).get('/api/user/notifications?type=security')).body.pagination.total;
    expect(await total(user)).toBe(50); // the first use of FIREFOX, and 49 new networks
    expect(await total(await signIn(FIREFOX, { from: '10.0.49.1' }))).toBe(50);
    platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
    // PHONE, the only device that is not among the fifty pairs, is forgotten.
    expect(await total(await signIn(PHONE, { from: '203.0.113.7' }))).toBe(51);
    const [note] = (await platform.as(user).get('/api/user/notifications?type=security&limit=1')).data;
    expect(note.title).toBe('Sign-in from a new device');
  });

  it('whose networks an earlier version did not store does not notify about the first one, but about the next one [SEC-322]', async () => {
    const user = await signIn(FIREFOX, { from: '203.0.113.7' });
    await signIn(PHONE, { from: '203.0.113.7' });
    await platform.dataSource.query('delete from known_network where user_id = $1', [user.id]);
    const before = (await securityNotes(user)).length;
    for (const device of [FIREFOX, PHONE]) await signIn(device, { from: '198.51.100.1' });
    expect(await securityNotes(user)).toHaveLength(before);
    await signIn(FIREFOX, { from: '203.0.113.7' });
    expect(await securityNotes(user)).toHaveLength(before + 1);
  });

  it('stores the network as a hash that differs between users', async () => {
    const users = [
      await signIn(FIREFOX, { from: '203.0.113.7' }),
      await signIn(FIREFOX, { from: '203.0.113.7', email: `other-${email}` }),
    ];
    const rows = await platform.dataSource.query(
      `select network, row_to_json(known_network)::text as text from known_network where user_id = any($1)`,
      [users.map(({ id }) => id)],
    );
    expect(rows[0].network.equals(rows[1].network)).toBe(false);
    for (const { text } of rows) expect(text).not.toContain('203.0');
  });

  it('needs as many round trips to the database from a new network as from a known one, and one statement for device and network', async () => {
    let count = 0;
    const fromKnown = async () => void (await signIn(FIREFOX, { from: '203.0.113.7' }));
    const fromNew = async () => void (await signIn(FIREFOX, { from: `10.1.${++count}.1` }));
    const statements = await fewestQueriesDuring(fromNew);
    expect(statements.filter((text) => /known_(device|network)/.test(text))).toHaveLength(1);
    expect(await fewestRoundTripsDuring(fromNew)).toBe(await fewestRoundTripsDuring(fromKnown));
  });
});
