import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { WalletSteps } from '../../fixtures/wallets.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const CANONICAL = 'jos\u00e9@xn--bcher-kva.example';
const SPELLINGS = [
  'jose\u0301@b\u00fccher.example', // NFD
  'JOS\u00c9@B\u00dcCHER.example',
  ' jos\u00e9@bu\u0308cher.example ',
  'jos\u00e9@XN--BCHER-KVA.example',
];

describe('E-mail addresses', () => {
  let platform: TestPlatform;
  let admin: { token: string };

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const signIn = async (email: string) => {
    const jwt = await platform.outside.providers.identity.token({ email });
    return platform.as({ token: jwt }).post('/api/auth/idp/login', {});
  };

  it('lead to one account, whatever spelling of the address the identity provider states [SEC-459]', async () => {
    const { status, data } = await signIn(CANONICAL);
    expect([status, data.user.email]).toEqual([200, CANONICAL]);
    for (const email of SPELLINGS) {
      const reply = await signIn(email);
      expect([email, reply.status, reply.data.user.id]).toEqual([email, 200, data.user.id]);
    }
  });

  it.each([
    ['\u202eann@example.org', 'has control, format or invisible characters'],
    ['a\u200bnn@example.org', 'has control, format or invisible characters'],
    ['x@example.org>', 'must be an e-mail address'],
    ['\u212aim@example.org', 'has characters that stand for others'],
  ])('are refused with EMAIL_MANDATORY and the reason if they are like %j', async (email, reason) => {
    const { status, code, body } = await signIn(email);
    expect([status, code, body.error.details]).toEqual([401, 'EMAIL_MANDATORY', { reason }]);
  });

  it('have one spelling when admins create, change and search users [SEC-460]', async () => {
    const created = await platform.as(admin).post(ADMIN_USERS, { email: 'Ren\u00e9@M\u00fcller.example' });
    const email = 'ren\u00e9@xn--mller-kva.example';
    expect([created.status, created.data.email]).toEqual([201, email]);
    const again = await platform.as(admin).post(ADMIN_USERS, { email: 'rene\u0301@mu\u0308ller.example' });
    expect([again.status, again.code]).toEqual([400, 'VALIDATION_ERROR']);
    for (const text of [' REN\u00c9@m\u00fcller.example', email]) {
      const search = encodeURIComponent(text);
      const { data } = await platform.as(admin).get(`${ADMIN_USERS}/search?email=${search}`);
      expect(data.users.map(({ id }: { id: string }) => id)).toEqual([created.data.id]);
      const list = await platform.as(admin).get(`${ADMIN_USERS}?search=${search}`);
      expect(list.data.map(({ id }: { id: string }) => id)).toEqual([created.data.id]);
    }
    const other = await platform.given.user();
    const taken = await platform
      .as(admin)
      .put(`${ADMIN_USERS}/${other.id}`, { email: 'RENE\u0301@M\u00fcller.example', reason: 'Asked' });
    expect(taken.status).toBe(400);
    expect((await signIn('ren\u00e9@m\u00fcller.example')).data.user.id).toBe(created.data.id);
  });

  it('of ADMINS_FILE are found in any spelling', async () => {
    await listAdmin(platform, 'chef@xn--kse-qla.example');
    expect((await signIn('chef@K\u00c4SE.example')).data).toMatchObject({ isAdmin: true });
  });

  /** Writes an address to the account and to its latest change as an earlier version did, which did not make it canonical. */
  async function spellAsEarlierVersion(id: string, email: string): Promise<void> {
    await platform.dataSource.query('update platform_user set email = $2 where id = $1', [id, email]);
    await queryWithoutTriggers(platform, 'update user_account_change set email = $2 where user_id = $1', [
      id,
      email,
    ]);
  }

  it('of accounts from earlier versions still lead to these accounts in their former spelling', async () => {
    const user = await platform.given.user();
    const former = 'old@stra\u00dfe.example';
    await spellAsEarlierVersion(user.id, former);
    expect((await signIn('Old@Stra\u00dfe.example')).data.user.id).toBe(user.id);
  });

  it('of ADMINS_FILE are recognised in the former spelling of an account from an earlier version', async () => {
    const wallets = new WalletSteps(platform);
    const { user, wallet } = await wallets.userWithWallet();
    await listAdmin(platform, 'chief@xn--bcher-kva.example');
    const former = 'chief@b\u00fccher.example';
    await spellAsEarlierVersion(user.id, former);
    expect((await wallets.login(await wallets.signChallenge(wallet))).code).toBe('FORBIDDEN');
  });

  it('of ADMINS_FILE take an account from an earlier version out of the list of users at the admin’s sign-in', async () => {
    const user = await platform.given.user();
    await listAdmin(platform, 'head@xn--bcher-kva.example');
    await spellAsEarlierVersion(user.id, 'head@b\u00fccher.example');
    const listed = async () => (await platform.as(admin).get(`${ADMIN_USERS}?userId=${user.id}`)).data.length;
    expect(await listed()).toBe(1);
    const { isAdmin, user: account } = (await signIn('Head@b\u00fccher.example')).data;
    expect([isAdmin, account.id, await listed()]).toEqual([true, user.id, 0]);
  });
});
