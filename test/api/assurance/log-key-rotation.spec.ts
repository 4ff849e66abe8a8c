import {
  type Jwks,
  type SignedReceipt,
  verifyCheckpoint,
  verifyConsistency,
  verifyReceipt,
} from '../../../client/verify.js';
import { createApp } from '../../../src/app.setup.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { SealingService } from '../../../src/modules/assurance/proofs/sealing.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { LogReader } from '../../fixtures/log-reader.js';
import { readCheckpoint } from '../../fixtures/rfc9162.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const signingKey = (name: string) => Buffer.from(name.padEnd(32, '.')).toString('base64');
const [FIRST, SECOND, THIRD] = [signingKey('first'), signingKey('second'), signingKey('third')];
/** The settings before, during and after the replacement of the first key. */
const SETTINGS_OF_STEPS: Record<string, string>[] = [
  { LOG_SIGNING_KEY: FIRST },
  { LOG_SIGNING_KEY: SECOND, LOG_SIGNING_KEY_ALSO: FIRST },
  { LOG_SIGNING_KEY: SECOND },
];
const NEVER_ABORTED = new AbortController().signal;

/** The answers of a process with the keys of one step, after it has sealed a deposit. */
interface Step {
  readonly log: LogReader;
  readonly size: number;
  readonly checkpoint: string;
  readonly keys: string;
  readonly jwks: Jwks;
  readonly receipt: SignedReceipt;
}

describe('While the key of the log is replaced', () => {
  let platform: TestPlatform;
  let user: TestUser;
  let receiptPath: string;
  const steps: Step[] = [];

  beforeAll(async () => {
    // No job seals or polls during the test.
    const settings = { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600', LOG_SIGNING_KEY: FIRST };
    platform = await startPlatform({ settings });
    user = await platform.given.user().withBalance('10.00');
    const order = { strategyId: 'balanced-10', amount: '10.00' };
    receiptPath = `${INVESTMENTS}/${(await platform.as(user).post(INVESTMENTS, order)).data.id}/receipt`;
    for (const settingsOfStep of SETTINGS_OF_STEPS) {
      steps.push(await startProcessWith(settingsOfStep));
      platform.clock.advance(HOUR_MS); // the keys are listed by the domain time of their first use
    }
  });
  afterAll(() => platform?.stop());

  /** Starts a process with these keys on the same database. The process seals a deposit of another user. */
  async function startProcessWith(settings: Record<string, string>): Promise<Step> {
    const app = await createApp(loadConfig({ ...platform.env, ...settings }), platform.clock);
    platform.beforeStop(() => app.close());
    await app.listen(0, '127.0.0.1');
    const baseUrl = await app.getUrl();
    const log = new LogReader(platform, baseUrl);
    const before = await log.readCheckpoint();
    await platform.given.user().withBalance('1.00');
    await eventually(async () => {
      await app.get(SealingService).sealCommittedTransactions(NEVER_ABORTED);
      expect((await log.readCheckpoint()).size).toBeGreaterThan(before.size);
    });
    const { size } = await log.readCheckpoint();
    const receipt = (await platform.as(user, baseUrl).get(receiptPath)).data;
    const jwks = (await platform.as(null, baseUrl).get('/.well-known/jwks.json')).body as unknown as Jwks;
    return { log, size, checkpoint: await log.checkpoint(), keys: await log.keys(), jwks, receipt };
  }

  /** A line of the keys that the second step publishes, one key a line, the newest first. */
  const lineOfKeys = (index: number) => `${steps[1]!.keys.split('\n')[index]}\n`;
  const secondKey = () => lineOfKeys(0);
  const firstKey = () => lineOfKeys(1);

  it('a restarted process signs checkpoints with both keys, the new one first', async () => {
    const { checkpoint, keys } = steps[1]!;
    expect(readCheckpoint(checkpoint, keys).signatures).toBe(2);
    for (const key of [firstKey(), secondKey()]) await verifyCheckpoint(checkpoint, key);
    // A line of a signature ends with base64 text that begins with the four bytes of the key id.
    const [firstSignature] = checkpoint.split('\n\n')[1]!.split('\n');
    const keyId = Buffer.from(firstSignature!.split(' ')[2]!, 'base64').subarray(0, 4);
    expect(keyId.toString('hex')).toBe(secondKey().split('+')[1]);
  });

  it('a client with only the first key verifies each new checkpoint until that key is removed', async () => {
    const [first, both, second] = steps as [Step, Step, Step];
    const consistency = (from: Step, to: Step) => second.log.consistency(from.size, to.size);
    expect(first.size).toBeLessThan(both.size);
    expect(both.size).toBeLessThan(second.size);
    await verifyConsistency(first.checkpoint, both.checkpoint, await consistency(first, both), firstKey());
    await verifyConsistency(both.checkpoint, second.checkpoint, await consistency(both, second), secondKey());
    await verifyConsistency(
      first.checkpoint,
      second.checkpoint,
      await consistency(first, second),
      second.keys,
    );
    await expect(verifyCheckpoint(second.checkpoint, firstKey())).rejects.toThrow(
      'None of the given keys has signed the checkpoint.',
    );
  });

  it('the published keys contain every key that has signed something, the newest first', () => {
    const [first, both, second] = steps as [Step, Step, Step];
    expect(first.keys).toBe(firstKey());
    expect([both.keys, second.keys]).toEqual(Array(2).fill(secondKey() + firstKey()));
    expect(second.jwks.keys).toHaveLength(2);
    expect(second.jwks.keys[1]).toEqual(first.jwks.keys[0]);
  });

  it('the other processes publish the key of a restarted process before it signs a receipt', async () => {
    const app = await createApp(loadConfig({ ...platform.env, LOG_SIGNING_KEY: THIRD }), platform.clock);
    platform.beforeStop(() => app.close());
    await app.listen(0, '127.0.0.1');
    const receipt = (await platform.as(user, await app.getUrl()).get(receiptPath)).data;
    const published = (await platform.as(null).get('/.well-known/jwks.json')).body as unknown as Jwks;
    expect(published.keys).toHaveLength(3);
    await verifyReceipt(receipt, published);
  });

  it('the published keys verify receipts of the old and of the new key', async () => {
    const [first, both, second] = steps as [Step, Step, Step];
    for (const { receipt } of steps) await verifyReceipt(receipt, second.jwks);
    await expect(verifyReceipt(both.receipt, first.jwks)).rejects.toThrow();
  });
});
