import { AppConfig } from '../../../config/app-config.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import { RateLimits, type LimitedCaller } from '../../../http/throttling/rate-limits.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { Meters } from '../../../observability/meters.js';
import { PasswordsService } from './passwords.service.js';

/** Failed attempts that one network address has in a window. */
const LIMIT = 2;

describe('PasswordsService', () => {
  let passwords: PasswordsService;
  let nowMs: number;

  beforeEach(() => {
    nowMs = Date.UTC(2026, 0, 1);
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    const config = new AppConfig({ RATE_LIMIT_SIGN_IN: LIMIT } as AppConfig);
    const storage = new RateLimitStorage();
    passwords = new PasswordsService(config, storage, new RateLimits(config, storage, new Meters()));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Returns the error code and the number of attempts left. `signIn` replaces the verification of the password. */
  async function attempt(signIn: () => Promise<unknown>) {
    let attemptsLeft: number | undefined;
    const caller: LimitedCaller = {
      tracker: 'address 192.0.2.1',
      showState: ({ limit, used }) => (attemptsLeft = Math.max(0, limit - used)),
    };
    const code = await passwords.limitAttempts(caller, 'admin@example.com', signIn).then(
      () => 'signed in',
      (error: { code: string }) => error.code,
    );
    return [code, attemptsLeft];
  }

  const attemptWithWrongPassword = () =>
    attempt(() => Promise.reject(new DomainError('INVALID_CREDENTIALS')));

  /** Begins a sign-in with the right password, whose verification ends when `finish` is called. */
  async function beginSlowSignIn() {
    let finish = () => {};
    const verified = new Promise<void>((resolve) => (finish = resolve));
    let reply = Promise.resolve<unknown[]>([]);
    await new Promise<void>((resolveBegun) => {
      reply = attempt(() => {
        resolveBegun();
        return verified;
      });
    });
    return { reply, finish };
  }

  it('does not give the attempt of a successful sign-in back once the window that counted it has ended', async () => {
    const slow = await beginSlowSignIn();
    nowMs += 15 * 60_000; // the window of the slow sign-in has ended
    expect(await attemptWithWrongPassword()).toEqual(['INVALID_CREDENTIALS', 1]);
    slow.finish();
    expect((await slow.reply)[0]).toBe('signed in');
    expect(await attemptWithWrongPassword()).toEqual(['INVALID_CREDENTIALS', 0]);
    expect(await attemptWithWrongPassword()).toEqual(['TOO_MANY_ATTEMPTS', 0]);
  });

  it('counts failed attempts and attempts in progress, but none that it rejects or that has succeeded', async () => {
    expect(await attemptWithWrongPassword()).toEqual(['INVALID_CREDENTIALS', 1]);
    const slow = await beginSlowSignIn();
    expect(await attempt(() => Promise.resolve())).toEqual(['TOO_MANY_ATTEMPTS', 0]);
    slow.finish();
    expect(await slow.reply).toEqual(['signed in', 1]);
    expect(await attempt(() => Promise.resolve())).toEqual(['signed in', 1]);
  });
});
