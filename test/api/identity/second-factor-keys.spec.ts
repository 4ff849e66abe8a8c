import { FactorSecretsJob } from '../../../src/modules/identity/second-factor/factors.job.js';
import { captureLogOutput } from '../../fixtures/log-output.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { eventually } from '../../harness/eventually.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const NEW_KEY = 'another-token-hash-key-of-a-rotation-0123456789';
const NEW_FACTOR_KEY = 'another-second-factor-key-of-a-rotation-0123456789';
const UNRELATED_FACTOR_KEY = 'a-second-factor-key-that-no-secret-is-encrypted-with';
const NO_DETAILS_ACTION = 'recovery-codes.new';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

it('a passkey is accepted after the rotation of TOKEN_HASH_KEY', async () => {
  const user = await platform.given.user();
  const { authenticator } = await addPasskey(platform, user);
  const seals = () => platform.dataSource.query('select seal from passkey');
  const before = await seals();
  await startReplica(platform, {
    TOKEN_HASH_KEY: NEW_KEY,
    TOKEN_HASH_KEY_ALSO: [platform.env.TOKEN_HASH_KEY as string],
  });
  await eventually(async () => expect(await seals()).not.toEqual(before));

  const afterRotation = await startReplica(platform, { TOKEN_HASH_KEY: NEW_KEY });
  const jwt = await platform.outside.providers.identity.token({ email: user.email });
  const { token } = (await platform.as({ token: jwt }, afterRotation).post('/api/auth/idp/login')).data;
  const caller = platform.as({ token }, afterRotation);
  const { id, options } = (await caller.post('/api/user/step-up', { action: NO_DETAILS_ACTION, details: {} }))
    .data;
  const verified = await caller.post(`/api/user/step-up/${id}/verify`, {
    credential: authenticator.get(options),
  });
  expect(verified.status).toBe(200);
});

it('one-time codes are accepted during and after the rotation of SECOND_FACTOR_KEY, also those that nobody used meanwhile', async () => {
  const user = await platform.given.user();
  const idleUser = await platform.given.user();
  const app = await TotpApp.register(platform, user);
  const idleApp = await TotpApp.register(platform, idleUser);
  const secrets = () =>
    platform.dataSource.query('select secret, used_step from totp_secret order by subject_id');
  const before = (await secrets()) as { secret: Buffer; used_step: string }[];
  const bothKeys = {
    SECOND_FACTOR_KEY: NEW_FACTOR_KEY,
    SECOND_FACTOR_KEY_ALSO: platform.env.SECOND_FACTOR_KEY as string,
  };
  const during = await startReplica(platform, bothKeys);
  expect(await app.stepUp(NO_DETAILS_ACTION, {}, { at: during })).toEqual(expect.any(String));
  await eventually(async () => {
    const after = (await secrets()) as typeof before;
    for (const [index, { secret }] of after.entries()) expect(secret).not.toEqual(before[index]?.secret);
  });
  const instance = await startReplicaWithoutPort(platform, bothKeys);
  const log = captureLogOutput(platform);
  await instance.get(FactorSecretsJob).encryptSecrets(new AbortController().signal);
  const line = 'no secret of one-time codes is encrypted with SECOND_FACTOR_KEY_ALSO';
  expect(log.linesOf(line).length).toBeGreaterThan(0);

  const afterRotation = await startReplica(platform, { SECOND_FACTOR_KEY: NEW_FACTOR_KEY });
  expect(await idleApp.stepUp(NO_DETAILS_ACTION, {}, { at: afterRotation })).toEqual(expect.any(String));
  // A used code stays used.
  const { id } = (
    await platform
      .as(user, afterRotation)
      .post('/api/user/step-up', { action: NO_DETAILS_ACTION, details: {} })
  ).data;
  const again = await platform
    .as(user, afterRotation)
    .post(`/api/user/step-up/${id}/verify`, { code: app.usedCode() });
  expect(again.code).toBe('CODE_INVALID');
});

it('one-time codes are refused after the loss of SECOND_FACTOR_KEY, as the log says, and a recovery code replaces them [SEC-572]', async () => {
  const user = await platform.given.user();
  const app = await TotpApp.register(platform, user);
  const lost = await startReplica(platform, { SECOND_FACTOR_KEY: UNRELATED_FACTOR_KEY });
  const log = captureLogOutput(platform);
  const caller = platform.as(user, lost);
  const ask = async (action: string, details: object) =>
    (await caller.post('/api/user/step-up', { action, details })).data.id as string;
  const id = await ask('factor.remove', { kind: 'totp' });
  expect((await caller.post(`/api/user/step-up/${id}/verify`, { code: app.nextCode() })).code).toBe(
    'CODE_INVALID',
  );
  expect(
    log.linesOf('one-time codes are refused: SECOND_FACTOR_KEY does not decrypt their secret'),
  ).toHaveLength(1);

  const [recoveryCode] = app.recoveryCodes;
  const { token } = (await caller.post(`/api/user/step-up/${id}/verify`, { recoveryCode })).data;
  const headers = { 'x-step-up': token as string };
  expect((await caller.delete('/api/user/totp', undefined, { headers })).status).toBe(200);
  const { secret } = (await caller.post('/api/user/totp')).data as { secret: string };
  const confirmed = await caller.post('/api/user/totp/confirm', { code: TotpApp.codeOf(secret) });
  expect(confirmed.status).toBe(201);
});
