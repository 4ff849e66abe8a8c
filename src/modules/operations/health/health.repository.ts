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
}
