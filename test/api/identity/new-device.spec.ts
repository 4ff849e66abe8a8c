import { countKnownNetworks, signInFromDevice, type DeviceSignIn } from '../../fixtures/device-sign-ins.js';
import type { TestUser } from '../../fixtures/given.js';
import { LONGER_THAN_COLLAPSING_MS } from '../../fixtures/notifications.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1';

let emailCount = 0;

describe('A sign-in', () => {
  let platform: TestPlatform;
  let email: string;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { TRUST_PROXY: '127.0.0.1' } });
  });
  beforeEach(() => {
    email = `device-${++emailCount}@example.org`;
  });
  afterAll(() => platform?.stop());

  const signIn = (userAgent: string, options: DeviceSignIn = {}) =>
    signInFromDevice(platform, userAgent, { email, ...options });
  /** The number of pairs of device and network that are stored of the user. */
  const pairsOf = (user: { id: string }) => countKnownNetworks(platform, user);
  const securityNotes = async (user: { token: string }) =>
    (await platform.as(user).get('/api/user/notifications?type=security&orderBy=asc')).data;

  it('from a new device notifies the user with the names of the device and its network [SEC-083]', async () => {
    await signIn(FIREFOX);
    const [note, ...more] = await securityNotes(await signIn(PHONE));
    expect(more).toEqual([]);
    expect(note).toMatchObject({
      title: 'Sign-in from a new device',
      priority: 'high',
      category: 'account',
      isRead: false,
      metadata: { event: 'security.new-device' },
    });
    expect(note.message).toContain(PHONE);
    expect(note.message).toContain('127.0.0.0/24');
    expect(note.message).not.toContain('Firefox');
  });

  it('from the first device does not notify', async () => {
    expect(await securityNotes(await signIn(FIREFOX))).toEqual([]);
  });

  it('from a new device notifies once per device', async () => {
    for (const device of [FIREFOX, PHONE, FIREFOX, PHONE, PHONE]) await signIn(device);
    expect(await securityNotes(await signIn(FIREFOX))).toHaveLength(1);
  });

  it('from a new device is detected for each user separately', async () => {
    const other = `other-${email}`;
    await signIn(FIREFOX, { email: other });
    await signIn(PHONE);
    expect(await securityNotes(await signIn(FIREFOX))).toHaveLength(1);
    expect(await securityNotes(await signIn(FIREFOX, { email: other }))).toEqual([]);
  });

  it('from a new device notifies about all but the first of concurrent first sign-ins', async () => {
    const users = await Promise.all(['one', 'two', 'three', 'four'].map((device) => signIn(device)));
    // The first of the three has a notification of its own; a second notification stands for the two others.
    const notes = await securityNotes(users[0] as TestUser);
    expect(notes.map(({ metadata }: { metadata: { count?: number } }) => metadata.count)).toEqual([
      undefined,
      2,
    ]);
  });

  it('from a new device notifies once about concurrent sign-ins', async () => {
    await signIn(FIREFOX);
    const users = await Promise.all(Array.from({ length: 5 }, () => signIn(PHONE)));
    expect(await securityNotes(users[0] as TestUser)).toHaveLength(1);
  });

  it('whose token is refreshed by a new device does not notify', async () => {
    const user = await signIn(FIREFOX);
    const headers = { 'user-agent': PHONE };
    const renewed = await platform
      .as(null)
      .post('/api/auth/refresh', { refreshToken: user.refreshToken }, { headers });
    expect(renewed.status).toBe(200);
    expect(await securityNotes(renewed.data)).toEqual([]);
  });

  it('from a new device with a long name notifies with a shortened name', async () => {
    await signIn(FIREFOX);
    const [note] = await securityNotes(await signIn('x'.repeat(4000)));
    expect(note.message.length).toBeLessThan(400);
    expect(note.message).toContain('xxx …');
  });

  it('from a new device notifies when the device sends no name', async () => {
    await signIn(FIREFOX);
    const [note] = await securityNotes(await signIn(''));
    expect(note.message).toContain('its name is not known');
  });

  it('that fails stores no device', async () => {
    const user = await signIn(FIREFOX);
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    const jwt = await platform.outside.providers.identity.token({ email, name: 'Ann' });
    const headers = { authorization: `Bearer ${jwt}`, 'user-agent': PHONE };
    expect((await platform.as(null).post('/api/auth/idp/login', {}, { headers })).code).toBe('FORBIDDEN');
    const [{ count }] = await platform.dataSource.query(
      'select count(*)::int as count from known_device where user_id = $1',
      [user.id],
    );
    expect(count).toBe(1);
  });

  it('is from a new device if it is not among the fifty that the user used last', async () => {
    for (let device = 0; device < 52; device++) {
      platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
      await signIn(`device ${device}`);
    }
    const user = await signIn('device 51');
    const [{ count }] = await platform.dataSource.query(
      'select count(*)::int as count from known_device where user_id = $1',
      [user.id],
    );
    expect([count, await pairsOf(user)]).toEqual([50, 50]);
    const noteCountAfter = async (device: string) => {
      platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
      const reply = await platform.as(await signIn(device)).get('/api/user/notifications?type=security');
      return reply.body.pagination.total;
    };
    // All of the 52 devices but the first caused a notification; device 2 is the oldest of the fifty known devices.
    expect(await noteCountAfter('device 2')).toBe(51);
    expect(await noteCountAfter('device 1')).toBe(52); // device 1 is no longer known
  });

  it('does not notify admins, who have no notifications', async () => {
    await signIn(FIREFOX, { email: 'admin@example.com' });
    await signIn(PHONE, { email: 'admin@example.com', from: '198.51.100.1' });
    const [{ count }] = await platform.dataSource.query(
      `select count(*)::int as count from notification where type = 'security'
        and user_id = (select id from platform_user where email = 'admin@example.com')`,
    );
    expect(count).toBe(0);
  });
});
