import { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { FrozenClock } from '../common/clock.js';
import type { AppConfig } from '../config/app-config.js';
import { Job } from './job.decorator.js';
import { Jobs } from './jobs.service.js';
import type { Leases } from './leases.js';
import type { QueueResources } from './work-queue.js';

class AtStart {
  readonly seen: string[] = [];

  @Job({ name: 'daily', purpose: 'may take long', dailyAt: '00:00', atStart: true })
  daily(): Promise<void> {
    return this.work('daily');
  }

  @Job({ name: 'failing', purpose: 'fails', everySeconds: 10, atStart: true })
  async failing(): Promise<void> {
    await this.work('failing');
    throw new Error('not this time');
  }

  @Job({ name: 'interval', purpose: 'begins at once', everySeconds: 10, atStart: true })
  interval(): Promise<void> {
    return this.work('interval');
  }

  private async work(name: string): Promise<void> {
    this.seen.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    this.seen.push(`${name} ends`);
  }
}

describe('The jobs at the start', () => {
  it('follow one another, those of each day last, also after a failed one', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const provider = new AtStart();
    const discovery = { getProviders: () => [{ metatype: AtStart, instance: provider }] };
    const jobs = new Jobs(
      discovery as unknown as DiscoveryService,
      { commitsWait: () => Promise.resolve(false) } as Leases,
      new FrozenClock(new Date('2026-03-02T05:00:00.000Z')),
      {} as AppConfig,
      {} as QueueResources,
    );
    jobs.onModuleInit();
    jobs.onApplicationBootstrap();
    await jobs.started;
    await jobs.onModuleDestroy();
    expect(warn).toHaveBeenCalledTimes(1);
    const names = ['failing', 'interval', 'daily'];
    expect(provider.seen).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });
});
