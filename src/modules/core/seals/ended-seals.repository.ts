import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deleteBatch } from '../../../jobs/delete-batch.js';

/** The SQL condition that the seal of a row of `table`, or one of the values that stand for it, is that of an ended credential. */
export function isSealEnded(table: string, ...values: string[]): string {
  const seals = [`${table}.seal`, ...values].join(', ');
  return `exists (select from ended_seal where ended_seal.seal in (${seals})) as "isSealEnded"`;
}

/** A statement, for a `with` clause, that ends the seals of the rows of `rows`, which have `seal` and `expires_at`. */
export function endSealsOf(rows: string): string {
  return `insert into ended_seal (seal, expires_at) select seal, expires_at from ${rows} where seal is not null on conflict do nothing`;
}

/** The seals of credentials that have ended. A copy of such a row, written back into its table, opens nothing. */
@Injectable()
export class EndedSealsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Deletes a batch of the seals whose rows expired by themselves at `until` or earlier, and returns their number. */
  deleteExpiredSeals(until: Date): Promise<number> {
    return deleteBatch(this.dataSource, {
      table: 'ended_seal',
      condition: 'expires_at <= $1',
      parameters: [until],
      orderBy: 'expires_at',
    });
  }
}
