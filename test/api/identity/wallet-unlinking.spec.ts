import type { PrivateKeyAccount } from 'viem/accounts';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestUser } from '../../fixtures/given.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const WALLETS = '/api/user/wallets';

let platform: TestPlatform;
let walletSteps: WalletSteps;

beforeAll(async () => {
  platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
  walletSteps = new WalletSteps(platform);
});
afterAll(() => platform?.stop());

const walletsOf = async (user: TestUser) => (await platform.as(user).get(WALLETS)).data;
const login = async (wallet: PrivateKeyAccount) => walletSteps.login(await walletSteps.signChallenge(wallet));
const newestNotification = async (user: { token: string }) =>
  (await platform.as(user).get('/api/user/notifications?type=security')).data[0];
const auditEntries = async (userId: string, action: string) => {
  const admin = platform.as(await platform.given.admin());
  return (await admin.get(`/api/admin/audit?subjectId=${userId}&action=${action}`)).data;
};

/** Requires that a sign-in with the wallet fails as one with a wallet that was never linked. */
async function requireSignInRejected(wallet: PrivateKeyAccount): Promise<void> {
  const unlinkedReply = await login(newWallet());
  const reply = await login(wallet);
  expect([reply.status, reply.code]).toEqual([404, 'USER_NOT_FOUND']);
  expect(reply.body.error).toEqual(unlinkedReply.body.error);
  expect((await walletSteps.check(wallet.address)).data.registered).toBe(false);
}

describe('A user', () => {
  it('sees linked wallets and unlinks one, which can no longer sign in', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const [linked, ...otherWallets] = await walletsOf(user);
    expect(otherWallets).toEqual([]);
    expect(linked).toEqual({
      id: expect.any(String),
      address: wallet.address,
      linkedAt: platform.clock.now().toISOString(),
      suspendedAt: null,
    });
    const reply = await platform.as(user).delete(`${WALLETS}/${linked.id}`);
    expect(reply.data).toEqual(linked);
    expect(await walletsOf(user)).toEqual([]);
    await requireSignInRejected(wallet);
    expect(await newestNotification(user)).toMatchObject({ title: 'Wallet unlinked', priority: 'high' });
    expect((await newestNotification(user)).message).toContain(wallet.address);
    const [entry] = await auditEntries(user.id, 'wallet.unlink');
    // The field `admin` names the actor, here the user.
    expect(entry).toMatchObject({ admin: user.email, before: { address: wallet.address } });
    expect((await platform.as(user).get('/api/user/profile')).data.walletAddress).toBeNull();
    expect((await platform.as(user).get('/api/balance/wallet')).data.wallets).toEqual([]);
  });

  it('ends only the sessions opened by the wallet when unlinking it', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const otherWallet = newWallet();
    await walletSteps.connect(user, await walletSteps.signChallenge(otherWallet));
    const walletTokens = (await login(wallet)).data;
    const otherTokens = (await login(otherWallet)).data;
    const refresh = ({ refreshToken }: { refreshToken: string }) =>
      platform.as(null).post('/api/auth/refresh', { refreshToken });
    const renewedTokens = (await refresh(walletTokens)).data; // a later session of the wallet's family
    const { id } = (await walletsOf(user)).find(
      ({ address }: { address: string }) => address === wallet.address,
    );
    expect((await platform.as(user).delete(`${WALLETS}/${id}`)).status).toBe(200);
    for (const pair of [walletTokens, renewedTokens]) {
      await eventually(async () =>
        expect((await platform.as(pair).get('/api/auth/check')).code).toBe('TOKEN_INVALID'),
      );
      expect((await refresh(pair)).code).toBe('REFRESH_TOKEN_REVOKED');
    }
    for (const session of [user, otherTokens])
      expect((await platform.as(session).get('/api/auth/check')).status).toBe(200);
    expect((await refresh(otherTokens)).status).toBe(200);
  });

  it('ends a session of the wallet by unlinking it, although the session is refreshed at the same time', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const { refreshToken } = (await login(wallet)).data;
    const [{ id }] = await walletsOf(user);
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from platform_user where id = $1 for update', [user.id]);
    const requireLockWaits = async (count: number) =>
      expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(count);
    const unlinked = platform.as(user).delete(`${WALLETS}/${id}`);
    await eventually(() => requireLockWaits(1));
    const refreshed = platform.as(null).post('/api/auth/refresh', { refreshToken });
    await eventually(() => requireLockWaits(2));
    await holder.rollbackTransaction();
    await holder.release();
    expect((await unlinked).status).toBe(200);
    const { data } = await refreshed; // undefined if the unlinking came first; in both cases no token stays valid
    const validSessions = `select id from session where wallet_id = $1 and revoked_at is null`;
    expect(await platform.dataSource.query(validSessions, [id])).toEqual([]);
    const refreshTokens = [refreshToken, data?.refreshToken].filter((token) => token !== undefined);
    for (const token of refreshTokens)
      expect((await platform.as(null).post('/api/auth/refresh', { refreshToken: token })).code).toBe(
        'REFRESH_TOKEN_REVOKED',
      );
  });

  it('gets 404 WALLET_NOT_FOUND when unlinking an unlinked wallet or a wallet of another user', async () => {
    const { user } = await walletSteps.userWithWallet();
    const { user: otherUser } = await walletSteps.userWithWallet();
    const [own] = await walletsOf(user);
    const [foreign] = await walletsOf(otherUser);
    await platform.as(user).delete(`${WALLETS}/${own.id}`);
    for (const id of [own.id, foreign.id, UNKNOWN_ID]) {
      const reply = await platform.as(user).delete(`${WALLETS}/${id}`);
      expect([reply.status, reply.code]).toEqual([404, 'WALLET_NOT_FOUND']);
    }
    expect(await walletsOf(otherUser)).toEqual([foreign]);
  });

  it('can link an unlinked wallet again, even if it belonged to another user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const otherUser = await platform.given.user();
    const [{ id }] = await walletsOf(user);
    await platform.as(user).delete(`${WALLETS}/${id}`);
    expect((await walletSteps.connect(otherUser, await walletSteps.signChallenge(wallet))).status).toBe(200);
    expect((await walletSteps.connect(user, await walletSteps.signChallenge(wallet))).code).toBe('FORBIDDEN');
    expect((await login(wallet)).data.user.id).toBe(otherUser.id);
  });

  it('can link another wallet after unlinking one of ten', async () => {
    const user = await platform.given.user();
    for (let count = 0; count < 10; count++)
      await walletSteps.connect(user, await walletSteps.signChallenge(newWallet()));
    const eleventh = newWallet();
    expect((await walletSteps.connect(user, await walletSteps.signChallenge(eleventh))).code).toBe(
      'VALIDATION_ERROR',
    );
    const [{ id }] = await walletsOf(user);
    await platform.as(user).delete(`${WALLETS}/${id}`);
    expect((await walletSteps.connect(user, await walletSteps.signChallenge(eleventh))).status).toBe(200);
  });

  it('cannot unlink the wallet that is the only way to sign in, because the e-mail address is unverified', async () => {
    const { user } = await walletSteps.userWithWallet();
    await platform.dataSource.query('update platform_user set email_verified = false where id = $1', [
      user.id,
    ]);
    const [{ id }] = await walletsOf(user);
    const refused = await platform.as(user).delete(`${WALLETS}/${id}`);
    expect([refused.status, refused.code]).toEqual([422, 'INVALID_STATE']);
    await walletSteps.connect(user, await walletSteps.signChallenge(newWallet()));
    expect((await platform.as(user).delete(`${WALLETS}/${id}`)).status).toBe(200);
  });
});

describe('A user with an unverified e-mail address', () => {
  it('keeps one of two wallets that concurrent requests unlink', async () => {
    const { user } = await walletSteps.userWithWallet();
    await walletSteps.connect(user, await walletSteps.signChallenge(newWallet()));
    await platform.dataSource.query('update platform_user set email_verified = false where id = $1', [
      user.id,
    ]);
    const wallets = (await walletsOf(user)) as { id: string }[];
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from platform_user where id = $1 for update', [user.id]);
    const replies = wallets.map(({ id }) => platform.as(user).delete(`${WALLETS}/${id}`));
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(2));
    await holder.rollbackTransaction();
    await holder.release();
    const codes = (await Promise.all(replies)).map(({ code, status }) => code ?? status);
    expect(codes).toEqual(expect.arrayContaining([200, 'INVALID_STATE']));
    expect(await walletsOf(user)).toHaveLength(1);
  });
});

describe('An admin', () => {
  const path = (user: TestUser, id: string) => `/api/admin/users/${user.id}/wallets/${id}`;

  it('unlinks a wallet of a user and notifies the user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const admin = await platform.given.admin();
    const { data } = await platform.as(admin).get(`/api/admin/users/${user.id}/wallets`);
    const [{ id }] = data.user.personalWallets;
    const reply = await platform.as(admin).call('DELETE', path(user, id), { reason: 'Stolen phone' });
    expect([reply.status, reply.data.address]).toEqual([200, wallet.address]);
    await requireSignInRejected(wallet);
    expect((await newestNotification(user)).title).toBe('Wallet unlinked');
    const [entry] = await auditEntries(user.id, 'wallet.unlink');
    expect(entry).toMatchObject({ admin: admin.email, reason: 'Stolen phone', before: { walletId: id } });
  });

  it('unlinks only wallets of the named user, needs no reason, and needs the permission to change users', async () => {
    const { user } = await walletSteps.userWithWallet();
    const { user: otherUser } = await walletSteps.userWithWallet();
    const [own] = await walletsOf(user);
    const [foreign] = await walletsOf(otherUser);
    const admin = platform.as(await platform.given.admin());
    expect((await admin.delete(path(user, foreign.id))).code).toBe('WALLET_NOT_FOUND');
    expect((await admin.delete(path(user, 'x'))).code).toBe('WALLET_NOT_FOUND');
    expect((await admin.delete(path({ ...user, id: UNKNOWN_ID }, own.id))).code).toBe('USER_NOT_FOUND');
    const readonly = platform.as(await platform.given.admin('readonly'));
    expect((await readonly.delete(path(user, own.id))).code).toBe('PERMISSION_DENIED');
    expect((await admin.delete(path(user, own.id))).status).toBe(200);
  });
});

describe('A change of the e-mail address', () => {
  const changeEmail = async (user: TestUser) => {
    const admin = platform.as(await platform.given.admin());
    const email = `renamed-${crypto.randomUUID()}@example.org`;
    expect((await admin.put(`/api/admin/users/${user.id}`, { email })).status).toBe(200);
    return platform.given.user(email);
  };

  it('suspends every linked wallet until it is linked again', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    const second = newWallet();
    await walletSteps.connect(user, await walletSteps.signChallenge(second));
    const at = platform.clock.now().toISOString();
    const renamed = await changeEmail(user);
    expect(renamed.id).toBe(user.id);
    for (const suspended of [wallet, second]) await requireSignInRejected(suspended);
    const listed = await walletsOf(renamed);
    expect(listed.map(({ suspendedAt }: { suspendedAt: string }) => suspendedAt)).toEqual([at, at]);
    expect((await platform.as(renamed).get('/api/user/profile')).data.walletAddress).toBeNull();
    const notifications = (await platform.as(renamed).get('/api/user/notifications?type=security')).data;
    const suspensions = notifications.filter(({ title }: { title: string }) => title === 'Wallet suspended');
    expect(suspensions).toHaveLength(2);
    const [entry] = await auditEntries(user.id, 'user.change');
    expect(entry.after.suspendedWallets).toEqual([wallet.address, second.address].sort());

    const linkAgain = async () => walletSteps.connect(renamed, await walletSteps.signChallenge(second));
    expect((await linkAgain()).code).toBe('SECURITY_HOLD');
    platform.clock.advance(24 * HOUR_MS);
    const again = await linkAgain();
    expect([again.status, again.data.suspendedAt]).toEqual([200, null]);
    expect((await login(second)).data.user.id).toBe(user.id);
    await requireSignInRejected(wallet);
  });

  it('keeps wallets suspended after suspension and reactivation of the user', async () => {
    const { user, wallet } = await walletSteps.userWithWallet();
    await changeEmail(user);
    const admin = platform.as(await platform.given.admin());
    await admin.put(`/api/admin/users/${user.id}`, { status: 'suspended', reason: 'Stolen' });
    await admin.put(`/api/admin/users/${user.id}`, { status: 'active' });
    await requireSignInRejected(wallet);
  });

  it.each(['a sign-in by a wallet', 'the linking of a wallet'])(
    'rejects a concurrent request for %s',
    async (request) => {
      const isSignIn = request === 'a sign-in by a wallet';
      const { user, wallet } = await walletSteps.userWithWallet();
      const added = newWallet();
      const proof = await walletSteps.signChallenge(isSignIn ? wallet : added);
      const holder = platform.dataSource.createQueryRunner();
      await holder.startTransaction();
      await holder.query('select 1 from platform_user where id = $1 for update', [user.id]);
      const requireLockWaits = async (count: number) =>
        expect((await platform.dataSource.query(LOCK_WAITS)).length).toBeGreaterThanOrEqual(count);
      const emailChange = changeEmail(user);
      await eventually(() => requireLockWaits(1));
      const concurrent = isSignIn ? walletSteps.login(proof) : walletSteps.connect(user, proof);
      await eventually(() => requireLockWaits(2));
      await holder.commitTransaction();
      await holder.release();
      await emailChange;
      const { status } = await concurrent;
      expect(status >= 400 && status < 500).toBe(true);
      for (const account of [wallet, added]) await requireSignInRejected(account);
    },
  );
});
