import { mock } from 'node:test';
import { Logger, Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AppConfig } from '../config/app-config.js';
import { Leases } from './leases.js';
import { Clock, FrozenClock } from '../common/clock.js';
import { DAY_MS, MINUTE_MS } from '../common/durations.js';
import { Job } from './job.decorator.js';
import { Jobs } from './jobs.service.js';
import { QueueResources } from './work-queue.js';

/** The work of a job. Counts its runs. While `isHeld` is true, a run lasts until the test calls `end`. */
class Work {
  begun = 0;
  isHeld = false;
  failure: Error | undefined;
  stopping: AbortSignal | undefined;
  private finish: (() => void) | undefined;

  async run(stopping: AbortSignal): Promise<void> {
    this.begun += 1;
    this.stopping = stopping;
    if (this.isHeld) await new Promise<void>((resolve) => (this.finish = resolve));
    if (this.failure) throw this.failure;
  }

  async end(): Promise<void> {
    this.finish?.();
    await settled();
  }
}

/** The leases of all processes of a test; those of the service are in the database. */
class SharedLeases {
  readonly held = new Set<string>();
  areCommitsWaiting = false;
  commitsWait = () => Promise.resolve(this.areCommitsWaiting);

  async runExclusively(name: string, work: () => Promise<unknown>): Promise<boolean> {
    if (this.held.has(name)) return false;
    this.held.add(name);
    await work().finally(() => this.held.delete(name));
    return true;
  }
}

/** Resolves after all promises that wait for no timer have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Jobs', () => {
  const clock = new FrozenClock(new Date('2026-03-02T05:00:00.000Z'));
  const leases = new SharedLeases();
  const works = new Map<string, Work>();
  const apps: INestApplicationContext[] = [];
  let warnings: unknown[];

  beforeEach(() => {
    warnings = [];
    works.clear();
    clock.moveTo('2026-03-02T05:00:00.000Z');
    mock.timers.enable({ apis: ['setInterval'] });
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((entry: unknown) => void warnings.push(entry));
  });
  afterEach(async () => {
    for (const work of works.values()) await work.end();
    await Promise.all(apps.splice(0).map((app) => app.close()));
    mock.timers.reset();
    jest.restoreAllMocks();
  });

  /** A process of the service with the jobs of one class. */
  async function start(provider: Type): Promise<Jobs> {
    @Module({
      imports: [DiscoveryModule],
      providers: [
        Jobs,
        provider,
        { provide: Leases, useValue: leases },
        { provide: Clock, useValue: clock },
        { provide: QueueResources, useValue: {} },
        { provide: AppConfig, useValue: { DEPOSIT_POLL_SECONDS: 3 } },
      ],
    })
    class ProcessModule {}
    const app = await NestFactory.createApplicationContext(ProcessModule, {
      logger: false,
      abortOnError: false,
    });
    apps.push(app);
    await settled();
    return app.get(Jobs);
  }

  const workOf = (name: string): Work => {
    if (!works.has(name)) works.set(name, new Work());
    return works.get(name) as Work;
  };

  async function pass(milliseconds: number): Promise<void> {
    mock.timers.tick(milliseconds);
    await settled();
  }

  class Intervals {
    @Job({ name: 'plain', purpose: 'begins after an interval', everySeconds: 10 })
    plain(stopping: AbortSignal): Promise<void> {
      return workOf('plain').run(stopping);
    }

    @Job({ name: 'at-start', purpose: 'begins at once', everySeconds: 10, atStart: true })
    atStart(stopping: AbortSignal): Promise<void> {
      return workOf('at-start').run(stopping);
    }

    @Job({
      name: 'setting',
      purpose: 'has its interval from a setting',
      everySeconds: 'DEPOSIT_POLL_SECONDS',
    })
    setting(stopping: AbortSignal): Promise<void> {
      return workOf('setting').run(stopping);
    }
  }

  class Daily {
    @Job({ name: 'daily', purpose: 'runs each morning', dailyAt: '06:30' })
    daily(stopping: AbortSignal): Promise<void> {
      return workOf('daily').run(stopping);
    }
  }

  class Exclusive {
    @Job({ name: 'exclusive', purpose: 'runs in one process', dailyAt: '00:00', exclusive: true })
    exclusive(stopping: AbortSignal): Promise<void> {
      return workOf('exclusive').run(stopping);
    }
  }

  class Independent {
    @Job({ name: 'independent', purpose: 'writes nothing', everySeconds: 10, withoutDatabase: true })
    independent(stopping: AbortSignal): Promise<void> {
      return workOf('independent').run(stopping);
    }
  }

  class Twice {
    @Job({ name: 'same', purpose: 'has a name', everySeconds: 1 })
    async first(): Promise<void> {}

    @Job({ name: 'same', purpose: 'has the same name', everySeconds: 1 })
    async second(): Promise<void> {}
  }

  it('runs a method at its interval, which a setting may hold; first after one interval, or at the start', async () => {
    await start(Intervals);
    const runs = () => ['plain', 'at-start', 'setting'].map((name) => workOf(name).begun);
    expect(runs()).toEqual([0, 1, 0]);
    await pass(3000);
    expect(runs()).toEqual([0, 1, 1]);
    for (let second = 4; second <= 10; second++) await pass(1000);
    expect(runs()).toEqual([1, 2, 3]); // the setting's 3, 6 and 9
  });

  it('begins no run while one is under way', async () => {
    const work = workOf('plain');
    work.isHeld = true;
    await start(Intervals);
    for (let run = 0; run < 3; run++) await pass(10_000);
    expect(work.begun).toBe(1);
    await work.end();
    expect(work.begun).toBe(1);
    await pass(10_000);
    expect(work.begun).toBe(2);
  });

  it('begins no run while commits wait for a standby, except of a job without the database', async () => {
    await start(Intervals);
    await start(Independent);
    const runs = () => [workOf('plain').begun, workOf('independent').begun];
    leases.areCommitsWaiting = true;
    await pass(10_000);
    expect(runs()).toEqual([0, 1]);
    leases.areCommitsWaiting = false;
    await pass(10_000);
    expect(runs()).toEqual([1, 2]);
  });

  it('logs a failed run under the name of its job and runs the job again at the next interval', async () => {
    const work = workOf('plain');
    work.failure = new Error('not this time');
    const jobs = await start(Intervals);
    await pass(10_000);
    expect(warnings).toEqual([expect.objectContaining({ job: 'plain', err: work.failure })]);
    await expect(jobs.get('plain').runOnce()).rejects.toThrow('not this time');
    work.failure = undefined;
    await pass(10_000);
    expect(work.begun).toBe(3); // two runs failed, the third succeeded
    expect(warnings).toHaveLength(2);
  });

  it('runs once more after the run under way, however many callers wake the job or wait for it', async () => {
    const work = workOf('plain');
    work.isHeld = true;
    const job = (await start(Intervals)).get('plain');
    job.wake();
    job.wake();
    const waiting = Promise.all([job.runOnce(), job.runOnce()]);
    await settled();
    expect(work.begun).toBe(1);
    await work.end();
    expect(work.begun).toBe(2);
    await work.end();
    await waiting;
    await job.idle();
    expect(work.begun).toBe(2);
  });

  it('runs a daily job once on each day of the domain clock, from its time on', async () => {
    const work = workOf('daily');
    await start(Daily);
    clock.moveTo('2026-03-02T06:29:59.999Z');
    await pass(MINUTE_MS);
    expect(work.begun).toBe(0);
    clock.advance(1);
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    expect(work.begun).toBe(1);
    clock.advance(DAY_MS - 1); // 06:29:59.999
    await pass(MINUTE_MS);
    expect(work.begun).toBe(1);
    clock.moveTo('2026-03-03T23:59:59.999Z');
    await pass(MINUTE_MS);
    expect(work.begun).toBe(2);
  });

  it('runs a daily job at its time even if it has run earlier on that day', async () => {
    const work = workOf('daily');
    const jobs = await start(Daily);
    await jobs.get('daily').runOnce(); // at 05:00
    clock.moveTo('2026-03-02T06:30:00.000Z');
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    expect(work.begun).toBe(2);
  });

  it('tries a daily job again a minute after a run that failed', async () => {
    const work = workOf('daily');
    await start(Daily);
    clock.moveTo('2026-03-02T06:30:00.000Z');
    work.failure = new Error('not this time');
    await pass(MINUTE_MS);
    work.failure = undefined;
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    expect(work.begun).toBe(2);
  });

  it('runs an exclusive job in one process at a time; the other process runs it afterwards', async () => {
    const work = workOf('exclusive');
    work.isHeld = true;
    await start(Exclusive);
    await start(Exclusive);
    await pass(MINUTE_MS);
    expect(work.begun).toBe(1);
    await pass(MINUTE_MS);
    expect(work.begun).toBe(1);
    await work.end();
    await pass(MINUTE_MS); // the day is done only in the process that has run the job
    expect(work.begun).toBe(2);
    await work.end();
    await pass(MINUTE_MS);
    expect(work.begun).toBe(2);
  });

  it('asks the run under way to stop at shutdown, waits for its end, and begins no other', async () => {
    const work = workOf('plain');
    work.isHeld = true;
    const job = (await start(Intervals)).get('plain');
    job.wake();
    job.wake();
    await settled();
    expect(work.stopping?.aborted).toBe(false);
    let isClosed = false;
    const closing = apps[0]?.close().then(() => (isClosed = true));
    await settled();
    expect(work.stopping?.aborted).toBe(true);
    expect(isClosed).toBe(false);
    await work.end();
    await closing;
    job.wake();
    await pass(10_000);
    expect(work.begun).toBe(1);
  });

  it('refuses to start with two jobs of one name, and throws an error that names an unknown job', async () => {
    await expect(start(Twice)).rejects.toThrow('Two jobs are called same.');
    const jobs = await start(Daily);
    expect(() => jobs.get('nightly')).toThrow('No job is called nightly.');
  });
});
