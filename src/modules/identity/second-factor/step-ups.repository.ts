import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteExpiredRows } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import {
  endSealsOf,
  findOneSealed,
  sealedEntityOf,
  selectSealed,
} from '../../core/seals/seals.repository.js';
import { StepUp } from './entities/step-up.entity.js';

export type StoredStepUp = StepUp & Seal;

@Injectable()
export class StepUpsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertStepUp(stepUp: StepUp): Promise<void> {
    await this.dataSource.manager.insert(StepUp, stepUp);
  }

  findStepUp(id: string): Promise<StoredStepUp | undefined> {
    return findOneSealed(this.dataSource.manager, StepUp, 'id = $1', [id]);
  }

  lockStepUp(tx: Tx, id: string): Promise<StoredStepUp | undefined> {
    return findOneSealed(tx, StepUp, 'id = $1 for update', [id]);
  }

  findByChallenge(challenge: string): Promise<StoredStepUp | undefined> {
    return findOneSealed(this.dataSource.manager, StepUp, 'challenge = $1', [challenge]);
  }

  lockByChallenge(tx: Tx, challenge: string): Promise<StoredStepUp | undefined> {
    return findOneSealed(tx, StepUp, 'challenge = $1 for update', [challenge]);
  }

  /** `hashes`: the forms in which the database may hold the token. */
  async lockByToken(tx: Tx, hashes: readonly Buffer[]): Promise<StoredStepUp | undefined> {
    const select = `${selectSealed(tx.connection, StepUp)} where token_hash = any($1::bytea[]) for update`;
    const [row] = await read(tx, select, [hashes]);
    return row && sealedEntityOf(tx.connection, StepUp, row);
  }

  /** Writes the next state of a locked step-up, and ends the seal of the present one. */
  updateStepUp(tx: Tx, before: StoredStepUp, after: StepUp): void {
    const { id, tokenHash, tokenExpiresAt, usedAt, seal } = after;
    write(
      tx,
      `with ended as (${endSealsOf('(values ($6::bytea, $7::timestamptz)) as former (seal, expires_at)')})
       update step_up set token_hash = $2, token_expires_at = $3, used_at = $4, seal = $5 where id = $1`,
      [id, tokenHash, tokenExpiresAt, usedAt, seal, before.seal, before.tokenExpiresAt ?? before.expiresAt],
    );
  }

  deleteExpired(until: Date, stopping: AbortSignal): Promise<void> {
    return deleteExpiredRows(this.dataSource, 'step_up', until, stopping);
  }
}
