import { verifyConsistency } from '../../../client/verify.js';
import { LOG_KEY } from '../../fixtures/proof-log.js';
import { addDays } from '../../../src/common/days.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { LiabilitySteps } from '../../fixtures/liability-steps.js';
import { captureLogOutput } from '../../fixtures/log-output.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { signCheckpoint } from '../../../src/modules/assurance/proofs/domain/checkpoint.js';
import { SigningKey } from '../../../src/modules/assurance/proofs/domain/signing-key.js';

const CONTINUE = '/api/admin/proofs/continue';
const CLOSED_DAYS = 8; // the redaction of the log output would change only some of their roots, which are random
const REASON = 'No newer checkpoint was published';

describe('A log whose database was restored', () => {
  let platform: TestPlatform;
  let log: LogReader;
  let admin: TestAdmin;
  let olderCheckpoint: string;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { FOUR_EYES: 'off', LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' },
    });
    log = new LogReader(platform);
    admin = await platform.given.admin();
    await platform.given.user().withBalance('10.00');
    await log.seal();
    olderCheckpoint = await log.checkpoint();
    await platform.given.user().withBalance('20.00');
    await log.seal();
  });
  afterAll(() => platform?.stop());

  /** Marks the log as `npm run restore` does. */
  const markRestored = () => platform.dataSource.query('update proof_log set restored_at = now()');
  const continueLog = (body: object) => platform.as(admin).post(CONTINUE, body);
  const openAlerts = async (): Promise<{ kind: string }[]> =>
    (await platform.as(admin).get('/api/admin/alerts')).data.filter(
      ({ kind }: { kind: string }) => kind === 'log-restored',
    );
  /** A checkpoint with the origin and the signature of the log, unless another origin or key is given. */
  const signed = (size: number, root: Buffer, { origin, key }: { origin?: string; key?: string } = {}) =>
    signCheckpoint({ origin: origin ?? (olderCheckpoint.split('\n')[0] as string), size, root }, [
      new SigningKey(Buffer.from(key ?? (platform.env.LOG_SIGNING_KEY as string), 'base64')),
    ]);

  it('seals nothing and has an open alert until an admin continues it [SEC-174]', async () => {
    await markRestored();
    const before = await log.checkpoint();
    const user = await platform.given.user().withBalance('30.00');
    await platform.runJob('log-sealing');
    await platform.runJob('log-sealing'); // raises no second alert
    expect(await log.checkpoint()).toBe(before);
    expect(await openAlerts()).toHaveLength(1);
    const [{ id }] = (await platform.as(user).get('/api/user/transactions')).data;
    expect((await platform.as(user).get(`/api/user/transactions/${id}/proof`)).code).toBe('PROOF_PENDING');

    const { status, data } = await continueLog({ reason: REASON, checkpoint: olderCheckpoint });
    expect([status, data.checkpoint]).toEqual([200, before]);
    expect(await openAlerts()).toEqual([]);
    await log.seal();
    const { size } = await log.readCheckpoint();
    const path = await log.consistency(1, size); // 1: the size of the older checkpoint
    await verifyConsistency(olderCheckpoint, await log.checkpoint(), path, await log.keys());
    const [entry] = (await platform.as(admin).get('/api/admin/audit?action=log.continue')).data;
    expect(entry).toMatchObject({ action: 'log.continue', reason: REASON, admin: admin.email });
  });

  it('is continued without a checkpoint if the admin names none', async () => {
    await markRestored();
    expect((await continueLog({ reason: REASON })).status).toBe(200);
  });

  it('is not continued with a checkpoint that it contradicts or that no key of the log has signed [SEC-175]', async () => {
    await markRestored();
    const { size } = await log.readCheckpoint();
    const [largerSize, otherRoot] = [signed(size + 1, Buffer.alloc(32)), signed(size, Buffer.alloc(32))];
    for (const checkpoint of [largerSize, otherRoot])
      expect(await continueLog({ reason: REASON, checkpoint })).toMatchObject({
        status: 422,
        code: 'INVALID_STATE',
      });
    for (const checkpoint of [
      'x',
      '',
      signed(1, Buffer.alloc(32), { key: LOG_KEY }), // another key
      olderCheckpoint.replace('\n1\n', '\n2\n'), // a changed size under the signature of the old one
      signed(1, Buffer.alloc(32), { origin: 'x/y' }),
    ])
      expect(await continueLog({ reason: REASON, checkpoint })).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        body: { error: { details: { fields: [{ field: 'checkpoint' }] } } },
      });
    expect(await continueLog({})).toMatchObject({ status: 400, code: 'REASON_REQUIRED' });
    expect((await continueLog({ reason: REASON })).status).toBe(200);
  });

  it('is continued with the checkpoint that the service wrote to its log output for a closed day', async () => {
    const output = captureLogOutput(platform);
    const days = new LiabilitySteps(platform);
    await days.endJobs();
    await days.closeDaysUpTo(addDays(platform.clock.today(), CLOSED_DAYS - 1));
    const lines = output.linesOf('log.checkpoint');
    expect(lines).toHaveLength(CLOSED_DAYS);
    for (const { checkpoint, size } of lines) {
      await markRestored();
      expect(await continueLog({ reason: REASON, checkpoint })).toMatchObject({ status: 200 });
      const [entry] = (await platform.as(admin).get('/api/admin/audit?action=log.continue')).data;
      expect(entry.after).toMatchObject({ checkpointSize: size });
    }
  });

  it('cannot be continued a second time', async () => {
    await markRestored();
    expect((await continueLog({ reason: REASON })).status).toBe(200);
    expect(await continueLog({ reason: REASON })).toMatchObject({ status: 422, code: 'INVALID_STATE' });
  });
});
