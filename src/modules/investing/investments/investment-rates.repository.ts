import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

@Injectable()
export class InvestmentRatesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** When any investment last changed; null without one. */
  async findLastChange(): Promise<Date | null> {
    const [row] = await this.dataSource.query<{ at: Date | null }[]>(
      'select max(updated_at) as at from investment',
    );
    return row?.at ?? null;
  }
}
