import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Clock } from '../../kernel/clock.js';
import type { Day } from '../../kernel/days.js';
import { Integrity } from './integrity.service.js';

const EVERY_MS = 60_000;

/** Once soon after each midnight UTC, by whichever replica comes first. */
@Injectable()
export class NightlyCheck implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly nights = new Repeated(
    () => this.tonight(),
    new Logger('Integrity'),
    'the nightly check did not come to its end, another look tries again',
  );
  /** The last day that needs no look at the database any more. */
  private settled: Day | undefined;

  constructor(
    private readonly integrity: Integrity,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.nights.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.nights.end();
  }

  /** Does nothing when the day was checked already, or another replica is at it. */
  async tonight(): Promise<void> {
    const today = this.clock.today();
    if (this.settled === today) return;
    if (await this.claim(today)) {
      await this.integrity.check();
      await this.dataSource.query('update integrity_night set done = true where day = $1', [today]);
    }
    if (await this.isDone(today)) this.settled = today;
  }

  /** True for one replica; for another one when the first has not come to its end in twenty minutes. */
  private async claim(day: Day): Promise<boolean> {
    const claimed = await this.dataSource.query<unknown[]>(
      `insert into integrity_night as night (day, claimed_until) values ($1, clock_timestamp() + interval '20 minutes')
       on conflict (day) do update set claimed_until = excluded.claimed_until
         where not night.done and night.claimed_until < clock_timestamp()
       returning day`,
      [day],
    );
    return claimed.length > 0;
  }

  private async isDone(day: Day): Promise<boolean> {
    const [night] = await this.dataSource.query<unknown[]>(
      'select from integrity_night where day = $1 and done',
      [day],
    );
    return night !== undefined;
  }
}
