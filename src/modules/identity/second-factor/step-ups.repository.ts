import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import {
  endSealsOf,
  findSealed,
  sealedEntityOf,
  selectSealed,
} from '../../core/seals/ended-seals.repository.js';
import { StepUp } from './entities/step-up.entity.js';

export type StoredStepUp = StepUp & Seal;

@Injectable()
export class StepUpsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertStepUp(stepUp: StepUp): Promise<void> {
    await this.dataSource.manager.insert(StepUp, stepUp);
  }

  async findStepUp(id: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await findSealed(this.dataSource.manager, StepUp, 'id = $1', [id]);
    return stepUp;
  }

  async lockStepUp(tx: Tx, id: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await findSealed(tx, StepUp, 'id = $1 for update', [id]);
    return stepUp;
  }

  async findByChallenge(challenge: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await findSealed(this.dataSource.manager, StepUp, 'challenge = $1', [challenge]);
    return stepUp;
  }

  async lockByChallenge(tx: Tx, challenge: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await findSealed(tx, StepUp, 'challenge = $1 for update', [challenge]);
    return stepUp;
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

  /** Deletes a batch of the step-ups that expired at `until` or earlier, and returns their number. */
  deleteExpired(until: Date): Promise<number> {
    return deleteBatch(this.dataSource, {
      table: 'step_up',
      condition: 'expires_at <= $1',
      parameters: [until],
      orderBy: 'expires_at',
    });
  }
}
