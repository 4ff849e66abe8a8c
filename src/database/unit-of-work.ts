import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { sqlState } from './database-error.js';

declare const inTransaction: unique symbol;

/** An open database transaction: what every write takes as its first argument. Only `UnitOfWork` makes one. */
export type Tx = EntityManager & { readonly [inTransaction]: true };

const ATTEMPTS = 3;
const JITTER_MS = 30;
const RETRYABLE = new Set(['40001', '40P01']); // serialization failure, deadlock: nothing was done

/** The one way to write: all of `work` happens or nothing. */
@Injectable()
export class UnitOfWork {
  constructor(private readonly dataSource: DataSource) {}

  async run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction((manager) => work(manager as Tx));
      } catch (error) {
        if (attempt === ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * JITTER_MS * attempt));
      }
    }
  }
}
