import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { RateLimitStorage } from '../../http/throttling/rate-limit-storage.js';
import { RateLimits } from '../../http/throttling/rate-limits.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { Meters } from '../../observability/meters.js';
import { PasswordsService } from './passwords.service.js';

const LIMIT = 2;

describe('PasswordAttempts', () => {
  let attempts: PasswordsService;
  let nowMs: number;

  beforeEach(() => {
    nowMs = Date.UTC(2026, 0, 1);
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    const config = new AppConfig({ RATE_LIMIT_SIGN_IN: LIMIT } as AppConfig);
    const storage = new RateLimitStorage(config);
    attempts = new PasswordsService(config, storage, new RateLimits(config, storage, new Meters()));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** The code of the refusal and how many attempts are left; `signIn` is the check of the password. */
  async function attempt(signIn: () => Promise<unknown>) {
    const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
    const code = await attempts.runCounted(response, 'admin@example.com', signIn).then(
      () => 'signed in',
      (error: { code: string }) => error.code,
    );
    return [code, response.getHeader('X-RateLimit-Remaining')];
  }

  const wrong = () => attempt(() => Promise.reject(new DomainError('INVALID_CREDENTIALS')));

  /** Begins a sign-in with the right password; the check of the password ends when `finish` is called. */
  async function slowSignIn() {
    let finish = () => {};
    const checked = new Promise<void>((resolve) => (finish = resolve));
    let reply = Promise.resolve<unknown[]>([]);
    await new Promise<void>((begun) => {
      reply = attempt(() => (begun(), checked));
    });
    return { reply: () => reply, finish };
  }

  it('gives back no attempt of the window after the one in which a success was counted', async () => {
    const slow = await slowSignIn();
    nowMs += 15 * 60_000;
    expect(await wrong()).toEqual(['INVALID_CREDENTIALS', 1]);
    slow.finish();
    expect((await slow.reply())[0]).toBe('signed in');
    expect(await wrong()).toEqual(['INVALID_CREDENTIALS', 0]);
    expect(await wrong()).toEqual(['TOO_MANY_ATTEMPTS', 0]);
  });

  it('counts no attempt that it refuses: only failures use up the limit', async () => {
    expect(await wrong()).toEqual(['INVALID_CREDENTIALS', 1]);
    const slow = await slowSignIn();
    expect(await attempt(() => Promise.resolve())).toEqual(['TOO_MANY_ATTEMPTS', 0]);
    slow.finish();
    expect(await slow.reply()).toEqual(['signed in', 1]);
    expect(await attempt(() => Promise.resolve())).toEqual(['signed in', 1]);
  });
});
