import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { isSealEnded } from '../../core/seals/ended-seals.repository.js';
import { StepUp } from './entities/step-up.entity.js';

export type StoredStepUp = StepUp & Seal;

const SELECT_STEP_UP = `
  select id, subject_type as "subjectType", subject_id as "subjectId", family_id as "familyId", action,
         details_hash as "detailsHash", challenge, created_at as "createdAt", expires_at as "expiresAt",
         token_hash as "tokenHash", token_expires_at as "tokenExpiresAt", used_at as "usedAt", seal, ${isSealEnded('step_up')}
    from step_up`;

@Injectable()
export class StepUpsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insertStepUp(stepUp: StepUp): Promise<void> {
    await this.dataSource.manager.insert(StepUp, stepUp);
  }

  async findStepUp(id: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await this.dataSource.query<StoredStepUp[]>(`${SELECT_STEP_UP} where id = $1`, [id]);
    return stepUp;
  }

  async lockStepUp(tx: Tx, id: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await tx.query<StoredStepUp[]>(`${SELECT_STEP_UP} where id = $1 for update`, [id]);
    return stepUp;
  }

  async findByChallenge(challenge: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await this.dataSource.query<StoredStepUp[]>(`${SELECT_STEP_UP} where challenge = $1`, [
      challenge,
    ]);
    return stepUp;
  }

  async lockByChallenge(tx: Tx, challenge: string): Promise<StoredStepUp | undefined> {
    const [stepUp] = await tx.query<StoredStepUp[]>(`${SELECT_STEP_UP} where challenge = $1 for update`, [
      challenge,
    ]);
    return stepUp;
  }

  /** `hashes`: the forms in which the database may hold the token. */
  async lockByToken(tx: Tx, hashes: readonly Buffer[]): Promise<StoredStepUp | undefined> {
    const [stepUp] = await read<StoredStepUp>(
      tx,
      `${SELECT_STEP_UP} where token_hash = any($1::bytea[]) for update`,
      [hashes],
    );
    return stepUp;
  }

  /** Writes the next state of a locked step-up, and ends the seal of the present one. */
  updateStepUp(tx: Tx, before: StoredStepUp, after: StepUp): void {
    const { id, tokenHash, tokenExpiresAt, usedAt, seal } = after;
    write(
      tx,
      `with ended as (insert into ended_seal (seal, expires_at) values ($6, $7) on conflict do nothing)
       update step_up set token_hash = $2, token_expires_at = $3, used_at = $4, seal = $5 where id = $1`,
      [id, tokenHash, tokenExpiresAt, usedAt, seal, before.seal, before.tokenExpiresAt ?? before.expiresAt],
    );
  }

  /** Deletes a batch of those that expired at `until` or earlier, and returns their number. */
  deleteExpired(until: Date): Promise<number> {
    return deleteBatch(this.dataSource, {
      table: 'step_up',
      condition: 'expires_at <= $1',
      parameters: [until],
      orderBy: 'expires_at',
    });
  }
}
