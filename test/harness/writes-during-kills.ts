import { randomUUID } from 'node:crypto';
import type { TestUser } from '../fixtures/given.js';
import type { ApiProcess } from './api-process.js';
import { eventually } from './eventually.js';
import { NoResponseError, type Reply } from './http-client.js';

/** A kill follows when more than this number of writes per user, on average, were answered since the last one. */
const WRITES_PER_USER = 5;

interface WriteAttempt {
  user: TestUser;
  key: string;
  /** The id in the response; undefined without a response, or after 503. */
  id: string | undefined;
}

/** Sends writes of all users with new Idempotency-Keys, while the API process is killed and restarted several times. */
export async function writeDuringKills(
  api: ApiProcess,
  users: readonly TestUser[],
  kills: number,
  write: (user: TestUser, key: string) => Promise<Reply>,
): Promise<WriteAttempt[]> {
  const attempts: WriteAttempt[] = [];
  let running = true;
  const writeRepeatedly = async (user: TestUser) => {
    while (running) {
      const attempt: WriteAttempt = { user, key: randomUUID(), id: undefined };
      attempts.push(attempt);
      const reply = await write(user, attempt.key).catch(undefinedWithoutResponse);
      if (reply?.status === 201) attempt.id = reply.data.id;
      else if (reply && reply.status !== 503)
        throw new Error(`a write was answered with ${reply.status}: ${reply.text}`);
      else await api.waitUntilReady();
    }
  };
  const workers = Promise.all(users.map(writeRepeatedly));
  workers.catch(() => undefined); // the `await` in `finally` throws the error
  const answeredCount = () => attempts.filter(({ id }) => id !== undefined).length;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = answeredCount();
      await eventually(async () =>
        expect(answeredCount()).toBeGreaterThan(before + WRITES_PER_USER * users.length),
      );
      await api.kill();
      api.start();
      await api.waitUntilReady();
    }
  } finally {
    running = false;
    await workers;
  }
  return attempts;
}

/** For `catch`: undefined if the request has no response, so that its outcome is unknown. Throws other errors again. */
export function undefinedWithoutResponse(error: unknown): undefined {
  if (!(error instanceof NoResponseError)) throw error;
}
