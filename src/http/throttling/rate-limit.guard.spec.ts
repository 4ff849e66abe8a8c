import { Controller, Get, Global, Module, type INestApplication } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '../../config/app-config.js';
import { Clock, FrozenClock } from '../../common/clock.js';
import { Meters } from '../../observability/meters.js';
import { PublicRoute } from '../auth/route.js';
import { ErrorFilter } from '../response/error.filter.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { RateLimitGuard, throttlerOptions } from './rate-limit.guard.js';
import { RateLimits } from './rate-limits.js';

const LIMIT = 2;
const LIMITS = { RATE_LIMIT_PUBLIC: LIMIT, RATE_LIMIT_RPC: LIMIT } as AppConfig;

@Controller()
class Routes {
  @Get('one')
  @PublicRoute({ summary: 'a public route' })
  one(): void {}

  @Get('two')
  @PublicRoute({ summary: 'another public route' })
  two(): void {}

  @Get('rpc')
  @PublicRoute({ summary: 'a route of another class', rateClass: 'rpc' })
  rpc(): void {}

  @Get('free')
  @PublicRoute({ summary: 'a route without a limit', rateClass: 'none' })
  free(): void {}
}

@Global()
@Module({
  imports: [
    ThrottlerModule.forRootAsync({ inject: [AppConfig, RateLimitStorage], useFactory: throttlerOptions }),
  ],
  controllers: [Routes],
  providers: [
    { provide: AppConfig, useValue: new AppConfig(LIMITS) },
    { provide: Clock, useValue: new FrozenClock(new Date()) },
    Meters,
    RateLimits,
    { provide: RateLimitStorage, useFactory: () => new RateLimitStorage() },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [AppConfig, RateLimitStorage],
})
class LimitedModule {}

describe('RateLimitGuard', () => {
  let app: INestApplication;
  let url: string;
  let nowMs = Date.UTC(2026, 0, 1);

  beforeEach(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    app = await NestFactory.create(LimitedModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterEach(async () => {
    await app.close();
    jest.restoreAllMocks();
  });

  /** The status of a response and its rate limit headers. */
  async function send(path: string) {
    const { status, headers } = await fetch(`${url}/${path}`);
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
    return [status, ...names.map((name) => headers.get(name) && Number(headers.get(name)))];
  }

  const after = (minutes: number) => nowMs / 1000 + minutes * 60;

  it('counts all routes of a rate class together, and each rate class separately', async () => {
    const end = after(60);
    expect(await send('one')).toEqual([200, LIMIT, 1, end, null]);
    expect(await send('two')).toEqual([200, LIMIT, 0, end, null]);
    expect(await send('one')).toEqual([429, LIMIT, 0, end, 3600]);
    expect(await send('rpc')).toEqual([200, LIMIT, 1, end, null]);
    expect(await send('free')).toEqual([200, null, null, null, null]);
  });

  it('blocks a caller until the window ends; refused requests do not extend it', async () => {
    const end = after(60);
    for (let i = 0; i < LIMIT; i++) expect((await send('one'))[0]).toBe(200);
    expect(await send('one')).toEqual([429, LIMIT, 0, end, 3600]);
    nowMs += 59 * 60_000;
    expect(await send('two')).toEqual([429, LIMIT, 0, end, 60]);
    nowMs += 60_000;
    expect(await send('one')).toEqual([200, LIMIT, 1, after(60), null]);
  });

  it('sets each header once, without the name of the class', async () => {
    for (let i = 0; i <= LIMIT; i++) {
      const { headers } = await fetch(`${url}/one`);
      const names = [...headers.keys()].filter((name) => /ratelimit|retry/.test(name));
      const ofLimit = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
      expect(names.sort()).toEqual(i < LIMIT ? ofLimit : ['retry-after', ...ofLimit]);
    }
  });
});
