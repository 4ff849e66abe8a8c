import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { DAY_MS, HOUR_MS } from '../../../src/common/durations.js';
import { SealingService } from '../../../src/modules/assurance/proofs/sealing.service.js';
import { captureLogOutput } from '../../fixtures/log-output.js';
import { LogReader, PROOFS } from '../../fixtures/log-reader.js';
import { readCheckpoint } from '../../fixtures/rfc9162.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const WEBHOOKS = '/api/user/webhooks';

describe('The checkpoints of days', () => {
  let platform: TestPlatform;
  let log: LogReader;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600', PROOF_RETENTION_DAYS: '2' },
    });
    log = new LogReader(platform);
    await log.seal();
  });
  afterAll(() => platform?.stop());

  const publish = (day: string) =>
    platform.app
      .get(UnitOfWork)
      .runInTransaction((tx) => platform.app.get(SealingService).publishDayCheckpoint(tx, day));

  it('are sent to the webhooks of all users that subscribe to log.checkpoint', async () => {
    const subscribers = [];
    for (const events of [['log.checkpoint'], ['log.checkpoint', 'deposit.seen'], ['deposit.seen']]) {
      const user = await platform.given.user();
      const { data } = await platform.as(user).post(WEBHOOKS, { url: 'http://127.0.0.1:9/', events });
      subscribers.push({ user, id: data.id as string });
    }
    await publish('2026-03-01');
    const deliveredEvents = await Promise.all(
      subscribers.map(async ({ user, id }) =>
        (await platform.as(user).get(`${WEBHOOKS}/${id}/deliveries`)).data.map(
          ({ event }: { event: string }) => event,
        ),
      ),
    );
    expect(deliveredEvents).toEqual([['log.checkpoint'], ['log.checkpoint'], []]);
    const [{ body }] = await platform.dataSource.query('select body from webhook_delivery limit 1');
    const { type, data } = JSON.parse(body as string);
    const { size, root } = readCheckpoint(data.checkpoint, await log.keys());
    expect(type).toBe('log.checkpoint');
    expect(data).toEqual({
      day: '2026-03-01',
      size,
      root: root.toString('base64'),
      checkpoint: await log.checkpoint(),
    });
  });

  it('are written to the log output without redaction', async () => {
    const output = captureLogOutput(platform);
    // Roots are random, and the redaction patterns match only some of them: one round could pass by chance.
    for (let round = 0; round < 12; round++) {
      await platform.given.user().withBalance('1.00');
      await log.seal();
      await publish('2026-03-01');
      const { size, root } = await log.readCheckpoint();
      const checkpoint = await log.checkpoint();
      const fields = { day: '2026-03-01', size, root: root.toString('base64'), checkpoint };
      expect(output.linesOf('log.checkpoint').at(-1)).toMatchObject(fields);
    }
  });

  it('remain after PROOF_RETENTION_DAYS, when the earlier checkpoints of the same day are deleted', async () => {
    const sealedOn: { day: string; size: number }[] = [];
    for (let day = 0; day < 4; day++) {
      for (let round = 0; round < 3; round++) {
        await platform.given.user().withBalance('1.00');
        await log.seal();
        const { size } = await log.readCheckpoint();
        sealedOn.push({ day: platform.clock.today(), size });
        platform.clock.advance(HOUR_MS);
      }
      platform.clock.advance(DAY_MS - 3 * HOUR_MS);
    }
    await platform.runJob('log-retention');
    const { data } = await platform.as(null).get(`${PROOFS}/checkpoints?limit=100`);
    const kept = new Set(data.map(({ size }: { size: number }) => size));
    const oldDays = [...new Set(sealedOn.map(({ day }) => day))].slice(0, 2); // the other two are within the retention
    for (const { day, size } of sealedOn) {
      const isLast = !sealedOn.some((other) => other.day === day && other.size > size);
      const isKept = isLast || !oldDays.includes(day);
      expect({ day, size, isKept: kept.has(size) }).toEqual({ day, size, isKept });
    }
    const [firstSize, lastSize] = [sealedOn[0]!.size, sealedOn.at(-1)!.size];
    // A consistency proof exists although the checkpoint of the first size was deleted.
    expect(await log.consistency(firstSize, lastSize)).not.toEqual([]);
  });
});
