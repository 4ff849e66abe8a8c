import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

@Injectable()
export class HealthRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findSchemaVersion(): Promise<{ name: string; migrations: number } | undefined> {
    const [row] = await this.dataSource.query<{ name: string; migrations: number }[]>(
      `select name, count(*) over ()::int as migrations from migrations order by id desc limit 1`,
    );
    return row;
  }

  /** Reads `webhook_event` of webhooks: the last callback of a provider, and the failed ones since `failedSince`. */
  async getCallbackFigures(
    provider: string,
    failedSince: Date,
  ): Promise<{ last: Date | null; failed: number }> {
    const [row] = await this.dataSource.query<{ last: Date | null; failed: number }[]>(
      `select (select max(received_at) from webhook_event where provider = $1) as last, count(*)::int as failed
         from webhook_event where provider = $1 and status = 'failed' and received_at > $2`,
      [provider, failedSince],
    );
    return row ?? { last: null, failed: 0 };
  }

  /** Reads `withdrawal` of withdrawals. */
  async findOldestOpenWithdrawal(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ oldest: Date | null }[]>(
      `select min(created_at) as oldest from withdrawal where status in ('pending', 'approved', 'processing')`,
    );
    return row?.oldest ?? null;
  }
}
