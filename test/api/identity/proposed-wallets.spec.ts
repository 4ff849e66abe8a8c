import { randomUUID } from 'node:crypto';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A wallet that an admin names when creating a user', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let wallets: WalletSteps;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin();
    wallets = new WalletSteps(platform);
  });
  afterAll(() => platform?.stop());

  const newEmail = () => `made-${randomUUID()}@example.org`;
  const create = (wallet: PrivateKeyAccount, email = newEmail()) =>
    platform.as(admin).post(ADMIN_USERS, { email, walletAddress: wallet.address.toLowerCase() });
  const get = async (path: string, caller: { token: string } = admin) =>
    (await platform.as(caller).get(path)).data;
  const connect = async (user: TestUser, wallet: PrivateKeyAccount) =>
    wallets.connect(user, await wallets.signChallenge(wallet));
  const login = async (wallet: PrivateKeyAccount) => wallets.login(await wallets.signChallenge(wallet));

  it('is in the answer only, until its owner signs a challenge in a session of the account [SEC-330]', async () => {
    const wallet = newWallet();
    const email = newEmail();
    const { status, data } = await create(wallet, email);
    expect([status, data.walletAddress]).toEqual([201, wallet.address]);
    const owner = await platform.given.user(email);
    expect(owner.id).toBe(data.id);
    const shown = async () => [
      (await get(`${ADMIN_USERS}?userId=${owner.id}`))[0].walletAddress,
      (await get(`${ADMIN_USERS}/${owner.id}`)).walletAddress,
      (await get(`${ADMIN_USERS}/${owner.id}?view=basic`)).user.walletAddress,
      (await get(`${ADMIN_USERS}/${owner.id}/wallets`)).user.personalWallets.length,
      (await get(`${ADMIN_USERS}?search=${wallet.address.slice(4, 20)}`)).length,
      (await get('/api/user/profile', owner)).walletAddress,
      (await get('/api/user/wallets', owner)).length,
    ];
    expect(await shown()).toEqual([null, null, null, 0, 0, null, 0]);
    expect(await get('/api/user/notifications?type=security', owner)).toEqual([]);
    expect((await connect(owner, wallet)).status).toBe(200);
    const { address } = wallet;
    expect(await shown()).toEqual([address, address, address, 1, 1, address, 1]);
    expect((await login(wallet)).data.user.id).toBe(owner.id);
  });

  it('cannot sign in, with the same error as a wallet that nobody has named [SEC-331]', async () => {
    const wallet = newWallet();
    expect((await create(wallet)).status).toBe(201);
    expect((await wallets.check(wallet.address)).data.registered).toBe(false);
    const named = await login(wallet);
    const unnamed = await login(newWallet());
    expect([named.status, named.code]).toEqual([404, 'USER_NOT_FOUND']);
    expect(named.body.error).toEqual(unnamed.body.error);
  });

  it('can be linked by another user, and be named for further users [SEC-332]', async () => {
    const wallet = newWallet();
    const other = await platform.given.user();
    await create(wallet);
    expect((await create(wallet)).data.walletAddress).toBe(wallet.address);
    expect((await connect(other, wallet)).status).toBe(200);
    expect((await login(wallet)).data.user.id).toBe(other.id);
    expect((await create(wallet)).status).toBe(201); // the answer does not tell that a user has linked it

    const another = newWallet();
    await create(another);
    expect((await wallets.register(newEmail(), await wallets.signChallenge(another))).status).toBe(201);
  });

  it('is recorded in the audit log as a proposal', async () => {
    const wallet = newWallet();
    const { data } = await create(wallet);
    const [entry] = await get(`/api/admin/audit?subjectId=${data.id}&action=user.create`);
    expect(entry.after).toEqual({ email: data.email, status: 'active', proposedWallet: wallet.address });
  });
});
