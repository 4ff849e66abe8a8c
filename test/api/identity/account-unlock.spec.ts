import type { TestUser } from '../../fixtures/given.js';
import { endHold, signInWith, startHold } from '../../fixtures/identities.js';
import { ageFactors, LOCK, lockByAdmin, UNLOCK } from '../../fixtures/locks.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

describe('POST /api/user/unlock', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const givenUser = () => platform.given.user();
  const lockOf = async (user: TestUser) => (await platform.as(user).get('/api/user/limits')).data.locked;
  const stepUp = (token: string) => ({ headers: { 'x-step-up': token } });
  const unlock = (user: { token: string }, token?: string, url?: string) =>
    platform.as(user, url).post(UNLOCK, {}, token === undefined ? {} : stepUp(token));

  it('needs a step-up, also if the user has no second factor or STEP_UP is off [SEC-543]', async () => {
    const ann = await givenUser();
    await platform.as(ann).post(LOCK);
    const relaxed = await startReplica(platform, { STEP_UP: 'off' });
    for (const reply of [await unlock(ann), await unlock(ann, undefined, relaxed)])
      expect([reply.status, reply.code, reply.body.error.details]).toEqual([
        403,
        'STEP_UP_REQUIRED',
        { action: 'account.unlock', methods: [] },
      ]);
    expect(await lockOf(ann)).not.toBeNull();
  });

  it('unlocks with a step-up, which counts once, and refuses the step-up of another action', async () => {
    const ann = await givenUser();
    const app = await TotpApp.register(platform, ann);
    await ageFactors(platform, ann.id);
    await platform.as(ann).post(LOCK);
    const foreign = await app.stepUp('recovery-codes.new', {});
    expect((await unlock(ann, foreign)).code).toBe('STEP_UP_INVALID');
    expect((await unlock(ann)).code).toBe('STEP_UP_REQUIRED');
    const token = await app.stepUp('account.unlock', {});
    expect((await unlock(ann, token)).status).toBe(200);
    expect([await lockOf(ann), (await unlock(ann, token)).code]).toEqual([null, 'STEP_UP_INVALID']);
  });

  it('is refused for an account that is not locked', async () => {
    const ann = await givenUser();
    const app = await TotpApp.register(platform, ann);
    expect((await unlock(ann, await app.stepUp('account.unlock', {}))).code).toBe('INVALID_STATE');
  });

  it('is refused if the account had a hold when it was locked, because a thief may have added the factor [SEC-544]', async () => {
    const ann = await givenUser();
    const app = await TotpApp.register(platform, ann);
    await ageFactors(platform, ann.id);
    await startHold(platform, ann.id, 'first-factor');
    const { data } = await platform.as(ann).post(LOCK);
    expect(data.locked.unlock).toBe('admins');
    await endHold(platform, ann.id);
    expect((await unlock(ann, await app.stepUp('account.unlock', {}))).code).toBe('INVALID_STATE');
    expect(await lockOf(ann)).not.toBeNull();
  });

  it.each(['a passkey', 'recovery codes'])(
    'is refused if the account was locked within seven days after the addition of %s, perhaps by a thief',
    async (kind) => {
      const ann = await givenUser();
      const app = await TotpApp.register(platform, ann);
      await ageFactors(platform, ann.id);
      if (kind === 'a passkey')
        await addPasskey(platform, ann, await app.stepUp('factor.add', { kind: 'passkey' }));
      else
        await platform
          .as(ann)
          .post('/api/user/recovery-codes', {}, stepUp(await app.stepUp('recovery-codes.new', {})));
      expect((await platform.as(ann).post(LOCK)).data.locked.unlock).toBe('admins');
      expect((await unlock(ann, await app.stepUp('account.unlock', {}))).code).toBe('INVALID_STATE');
    },
  );

  it('is refused if the account is locked again after a recovery code was used, which starts a hold', async () => {
    const ann = await givenUser();
    const app = await TotpApp.register(platform, ann);
    await ageFactors(platform, ann.id);
    await platform.as(ann).post(LOCK);
    const token = await app.stepUpByRecoveryCode('account.unlock', {});
    expect((await platform.as(ann).post(LOCK)).data.locked).toMatchObject({ unlock: 'admins' });
    expect((await unlock(ann, token)).code).toBe('INVALID_STATE');
  });

  it('is refused if an operator has locked the account', async () => {
    const ann = await givenUser();
    const app = await TotpApp.register(platform, ann);
    await ageFactors(platform, ann.id);
    await platform.as(ann).post(LOCK);
    await lockByAdmin(platform, ann.id);
    const { data } = await signInWith(platform, { email: ann.email });
    const again = { ...ann, token: data.token as string };
    const token = await app.stepUp('account.unlock', {}, { user: again });
    expect((await unlock(again, token)).code).toBe('INVALID_STATE');
    expect(await lockOf(again)).toMatchObject({ by: 'admin', unlock: 'admins', reason: 'She called' });
  });
});
