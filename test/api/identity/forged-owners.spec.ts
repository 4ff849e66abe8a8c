import { hash } from '@node-rs/argon2';
import { generateSiweNonce } from 'viem/siwe';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import { tableOwner, type TableOwner } from '../../fixtures/table-owner.js';
import { transferToCustody } from '../../fixtures/transfers.js';
import { treasurySteps } from '../../fixtures/treasury.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PASSWORD = 'a-password-of-twelve';
const REGISTER = '/api/admin/auth/register';

describe('Somebody who can write the table', () => {
  let platform: TestPlatform;
  let owner: TableOwner;
  let wallets: WalletSteps;
  let approvals: ApprovalSteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    owner = await tableOwner(platform);
    wallets = new WalletSteps(platform);
    approvals = await approvalSteps(platform);
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const logIn = (email: string, password: string) =>
    platform.as(null).post('/api/admin/auth/login', { email, password });
  const setPassword = (body: object, by: { token: string } = admin) => platform.as(by).post(REGISTER, body);

  describe('wallet', () => {
    it('cannot sign in as a user by linking a wallet, whose owner can link it afterwards [SEC-409]', async () => {
      const victim = await platform.given.user();
      const wallet = newWallet();
      await owner.sql(
        'insert into wallet (address, user_id, created_at, seal) values ($1, $2, now(), $3)',
        wallet.address,
        victim.id,
        WRONG_SEAL,
      );
      expect((await wallets.check(wallet.address)).data.registered).toBe(false);
      expect((await wallets.login(await wallets.signChallenge(wallet))).code).toBe('USER_NOT_FOUND');
      expect(await owner.alertsAbout('wallet')).toHaveLength(1);
      const user = await platform.given.user();
      expect((await wallets.connect(user, await wallets.signChallenge(wallet))).status).toBe(200);
      expect((await wallets.login(await wallets.signChallenge(wallet))).data.user.id).toBe(user.id);
    });

    it('cannot move a linked wallet to a user, or restore one that is unlinked or suspended [SEC-410]', async () => {
      const { user, wallet } = await wallets.userWithWallet();
      const victim = await platform.given.user();
      const login = async (linked = wallet) =>
        (await wallets.login(await wallets.signChallenge(linked))).code;
      const copies = await owner.copyRows('wallet', 'user_id = $1', user.id);
      await owner.sql('update wallet set user_id = $1 where user_id = $2', victim.id, user.id);
      expect(await login()).toBe('USER_NOT_FOUND');
      await owner.restoreRows('wallet', 'id', copies);
      expect(await login()).toBeUndefined();
      const [{ id }] = copies as [{ id: string }];
      expect((await platform.as(user).delete(`/api/user/wallets/${id}`)).status).toBe(200);
      await owner.restoreRows('wallet', 'id', copies);
      expect(await login()).toBe('USER_NOT_FOUND');

      const { user: renamed, wallet: suspended } = await wallets.userWithWallet();
      const former = await owner.copyRows('wallet', 'user_id = $1', renamed.id);
      const change = { email: `new-${renamed.email}`, reason: 'Asked by letter' }; // suspends the wallets
      await approvals.carryOut(platform.as(admin).put(`${ADMIN_USERS}/${renamed.id}`, change));
      await owner.restoreRows('wallet', 'id', former);
      expect(await login(suspended)).toBe('USER_NOT_FOUND');
    });

    it('cannot make a wallet the proven recipient of a withdrawal by hand [SEC-471]', async () => {
      const user = await platform.given.user().withBalance('500.00');
      await transferToCustody(platform, '500.00');
      const treasury = await treasurySteps(platform);
      const { address } = newWallet();
      await owner.sql(
        'insert into wallet (address, user_id, created_at, seal) values ($1, $2, now(), $3)',
        address,
        user.id,
        WRONG_SEAL,
      );
      const id = await treasury.createApproved({ type: 'withdrawal', userId: user.id, amount: '120.00' });
      const transactionHash = await platform.outside.chain.payUsdc(address, '120.00');
      await treasury.confirm(id, { transactionHash });
      expect((await treasury.detail(id)).byAdmins.chainCheck).toBe('unverified');
      expect(await owner.alertsAbout('wallet')).toHaveLength(1);
    });

    it('cannot use a signature twice by restoring its challenge in wallet_nonce, or by a challenge of their own [SEC-411]', async () => {
      const { wallet } = await wallets.userWithWallet();
      const withoutEnd = (message: string) => message.replace(/\nExpiration Time: .+/, '');
      const signed = await wallets.signChallenge(wallet, { change: withoutEnd });
      const copies = await owner.copyRows('wallet_nonce', 'address = $1', wallet.address);
      expect((await wallets.login(signed)).status).toBe(200);
      await owner.restoreRows('wallet_nonce', 'nonce', copies);
      expect((await wallets.login(signed)).code).toBe('NONCE_EXPIRED');
      const nonce = generateSiweNonce();
      await owner.sql(
        `insert into wallet_nonce values ($1, $2, now() + interval '1 hour', $3)`,
        nonce,
        wallet.address,
        WRONG_SEAL,
      );
      const change = (message: string) => withoutEnd(message.replace(/Nonce: .+/, `Nonce: ${nonce}`));
      expect((await wallets.login(await wallets.signChallenge(wallet, { change }))).code).toBe(
        'NONCE_EXPIRED',
      );
      expect(await owner.alertsAbout('wallet_nonce')).toHaveLength(1);
    });
  });

  describe('admin_account', () => {
    it('cannot sign in as an admin with a password of their own, or with one that was replaced [SEC-412]', async () => {
      const [email, other] = ['first@example.com', 'second@example.com'];
      for (const listed of [email, other]) await listAdmin(platform, listed);
      const own = await hash(PASSWORD);
      await owner.sql(
        'insert into admin_account (email, password_hash, password_set_by, password_set_at, seal) values ($1, $2, $1, now(), $3)',
        other,
        own,
        WRONG_SEAL,
      );
      expect((await logIn(other, PASSWORD)).code).toBe('INVALID_CREDENTIALS');
      expect(await owner.alertsAbout('admin_account')).toHaveLength(1);

      await approvals.carryOut(setPassword({ email, password: PASSWORD }));
      const session = (await logIn(email, PASSWORD)).data;
      const copies = await owner.copyRows('admin_account', 'email = $1', email);
      const change = { email, password: 'another-password-of-mine', currentPassword: PASSWORD };
      expect((await setPassword(change, session)).status).toBe(201);
      await owner.restoreRows('admin_account', 'email', copies);
      expect((await logIn(email, PASSWORD)).code).toBe('INVALID_CREDENTIALS');
    });

    it('cannot hide that another admin has set the password of an account, which then decides nothing [SEC-413]', async () => {
      const email = 'given@example.com';
      await listAdmin(platform, email);
      await approvals.carryOut(setPassword({ email, password: PASSWORD }));
      const session = { email, token: (await logIn(email, PASSWORD)).data.token as string };
      await listAdmin(platform, 'next@example.com');
      const { data } = await setPassword({ email: 'next@example.com', password: PASSWORD });
      await owner.sql(
        `update admin_account set password_set_by = email, password_given_by = null, password_given_at = null where email = $1`,
        email,
      );
      expect((await approvals.approve(data.id, session)).code).toBe('FOUR_EYES_REQUIRED');
    });
  });

  describe('approval', () => {
    it.each([
      ['input', `input = jsonb_build_object('passwordHash', $2::text)`, 'admin2'],
      ['requested_by', `requested_by = 'admin2@example.com', reason = $2`, 'admin'],
    ])('gets no request approved after changing %s [SEC-414]', async (column, change, approver) => {
      const email = `colleague-${column}@example.com`;
      await listAdmin(platform, email);
      const { data } = await setPassword({ email, password: PASSWORD });
      await owner.sql('alter table approval disable trigger user');
      await owner.sql(
        `update approval set ${change} where id = $1`,
        data.id,
        await hash('a-password-of-a-thief'),
      );
      await owner.sql('alter table approval enable trigger user');
      expect((await approvals.approve(data.id, await platform.given.admin(approver))).data).toMatchObject({
        status: 'failed',
        failure: { code: 'INVALID_STATE' },
      });
      expect((await logIn(email, 'a-password-of-a-thief')).code).toBe('INVALID_CREDENTIALS');
      expect(await owner.alertsAbout('approval')).toHaveLength(1);
    });
  });

  it('wallet causes one alert, however often a forged row is read [SEC-415]', async () => {
    const wallet = newWallet();
    const victim = await platform.given.user();
    await owner.sql(
      'insert into wallet (address, user_id, created_at, seal) values ($1, $2, now(), $3)',
      wallet.address,
      victim.id,
      WRONG_SEAL,
    );
    for (let i = 0; i < 20; i++) await wallets.check(wallet.address);
    expect(await owner.alertsAbout('wallet')).toHaveLength(1);
    const [{ count }] = await owner.sql<[{ count: string }]>(
      `select count(*) from alert where kind = 'forged-credential' and subject_id = 'wallet'`,
    );
    expect(count).toBe('1');
  });
});
