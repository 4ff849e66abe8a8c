import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { insertIfNew } from '../../../database/entity-rows.js';
import { lockName, read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteExpiredRows } from '../../../jobs/delete-batch.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import {
  deleteSealed,
  endSeals,
  endSealsOf,
  findOneSealed,
  findSealed,
  sealedEntityOf,
  selectSealed,
} from '../../core/seals/seals.repository.js';
import type { UserFactors } from '../users/domain/account-restrictions.js';
import { Passkey, RecoveryCode, StepUp, TotpSecret } from './entities/factor.entity.js';
import type { FactorOwner } from './factors.types.js';

export type StoredPasskey = Passkey & Seal;
export type StoredTotpSecret = TotpSecret & Seal;

const BATCH_ROWS = 5000;
const OF_OWNER = 'subject_id = $1 and subject_type = $2';

/** Reads all three tables, so that somebody who deletes the rows of one table in the database does not switch step-ups off. */
const HAS_FACTORS = `
  select exists (select from passkey where ${OF_OWNER})
      or exists (select from totp_secret where ${OF_OWNER} and confirmed_at is not null)
      or exists (select from recovery_code where ${OF_OWNER}) as "hasFactors"`;

@Injectable()
export class FactorsRepository implements UserFactors {
  constructor(private readonly dataSource: DataSource) {}

  async hasFactors(tx: Tx, { id, type }: FactorOwner): Promise<boolean> {
    const [row] = await read<{ hasFactors: boolean }>(tx, HAS_FACTORS, [id, type]);
    return row?.hasFactors ?? false;
  }

  async hasFactorSince(tx: Tx, userId: string, since: Date): Promise<boolean> {
    const [row] = await read<{ isNew: boolean }>(
      tx,
      `select exists (
         select from (select subject_type, subject_id, created_at from passkey
                      union all select subject_type, subject_id, confirmed_at from totp_secret
                      union all select subject_type, subject_id, created_at from recovery_code) as factor
          where subject_type = 'user' and subject_id = $1 and created_at > $2) as "isNew"`,
      [userId, since],
    );
    return row?.isNew ?? false;
  }

  /** Serialises changes of an admin's factors until the transaction ends: admins have no row of their own. */
  async lockAdmin(tx: Tx, id: string): Promise<void> {
    await lockName(tx, `factors-of-admin:${id}`);
  }

  /** The oldest first. */
  findPasskeys(
    { id, type }: FactorOwner,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredPasskey[]> {
    return findSealed(manager, Passkey, `${OF_OWNER} order by created_at, id`, [id, type]);
  }

  /** False, without a change, if the authenticator's credential is registered already. */
  insertPasskey(tx: Tx, passkey: Passkey): Promise<boolean> {
    return insertIfNew(tx, Passkey, passkey);
  }

  async recordPasskeyUse(
    tx: Tx,
    id: string,
    { signCount, at }: { signCount: number; at: Date },
  ): Promise<void> {
    await tx.update(Passkey, id, { signCount, lastUsedAt: at });
  }

  /** Deletes a passkey and ends its seal, so that a copy of its row verifies nothing. False if there is none. */
  async deletePasskey(tx: Tx, { id, type }: FactorOwner, passkeyId: string): Promise<boolean> {
    const deleted = await deleteSealed(tx, {
      table: 'passkey',
      condition: `${OF_OWNER} and id = $3`,
      parameters: [id, type, passkeyId],
    });
    return deleted > 0;
  }

  findTotpSecret(
    { id, type }: FactorOwner,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredTotpSecret | undefined> {
    return findOneSealed(manager, TotpSecret, OF_OWNER, [id, type]);
  }

  /** Inserts a secret or replaces the present one. */
  async saveTotpSecret(tx: Tx, secret: TotpSecret): Promise<void> {
    await tx.upsert(TotpSecret, secret, ['subjectId', 'subjectType']);
  }

  /**
   * False, without a change, if this code or a later one was used before, or the secret has been replaced: then the row has another time
   * of creation, which jobs that encrypt or seal a row again do not change.
   */
  async useTotpStep(
    tx: Tx,
    { subjectId, subjectType, createdAt }: TotpSecret,
    step: number,
  ): Promise<boolean> {
    const [, used] = await tx.query<[unknown, number]>(
      `update totp_secret set used_step = $3
        where ${OF_OWNER} and created_at = $4 and (used_step is null or used_step < $3)`,
      [subjectId, subjectType, step, createdAt],
    );
    return used > 0;
  }

  /** Deletes the secret and ends its seal. False if there is no confirmed one. */
  async deleteTotpSecret(tx: Tx, { id, type }: FactorOwner): Promise<boolean> {
    const deleted = await deleteSealed(tx, {
      table: 'totp_secret',
      condition: `${OF_OWNER} and confirmed_at is not null`,
      parameters: [id, type],
    });
    return deleted > 0;
  }

  countRecoveryCodesLeft(
    { id, type }: FactorOwner,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    return manager.countBy(RecoveryCode, { subjectId: id, subjectType: type, usedAt: IsNull() });
  }

  /** `hashes`: the forms in which the database may hold the code. Locks the row. */
  lockRecoveryCode(tx: Tx, hashes: readonly Buffer[]): Promise<(RecoveryCode & Seal) | undefined> {
    return findOneSealed(tx, RecoveryCode, 'code_hash = any($1::bytea[]) for update', [hashes]);
  }

  async insertRecoveryCodes(tx: Tx, codes: RecoveryCode[]): Promise<void> {
    await tx.insert(RecoveryCode, codes);
  }

  /** Stores that a code is used, and ends the seal of the unused code, so that a copy of its row opens nothing. */
  async useRecoveryCode(tx: Tx, { codeHash, usedAt, seal }: RecoveryCode): Promise<void> {
    await endSeals(tx, { table: 'recovery_code', condition: 'code_hash = $1', parameters: [codeHash] });
    await tx.update(RecoveryCode, { codeHash }, { usedAt, seal });
  }

  /** Deletes the codes of an owner and ends their seals. */
  async deleteRecoveryCodes(tx: Tx, { id, type }: FactorOwner): Promise<void> {
    await deleteSealed(tx, { table: 'recovery_code', condition: OF_OWNER, parameters: [id, type] });
  }

  /** Deletes all factors, codes and step-ups of an owner, and ends their seals. */
  async deleteAll(tx: Tx, { id, type }: FactorOwner): Promise<void> {
    const ofOwner = { condition: OF_OWNER, parameters: [id, type] };
    for (const table of ['passkey', 'totp_secret', 'recovery_code'])
      await deleteSealed(tx, { table, ...ofOwner });
    const expiresAt = 'greatest(expires_at, token_expires_at)';
    await deleteSealed(tx, { table: 'step_up', ...ofOwner, expiresAt });
  }

  /** A batch of all passkeys, in the order of their ids. */
  findPasskeysAfter(id: string): Promise<StoredPasskey[]> {
    return findSealed(this.dataSource.manager, Passkey, `id > $1 order by id limit ${BATCH_ROWS}`, [id]);
  }

  /** A batch of all secrets, in the order of their owners. Ids of users and admins never agree. */
  findTotpSecretsAfter(subjectId: string): Promise<StoredTotpSecret[]> {
    const batch = `subject_id > $1 order by subject_id limit ${BATCH_ROWS}`;
    return findSealed(this.dataSource.manager, TotpSecret, batch, [subjectId]);
  }

  /** Replaces an encrypted secret and ends the former seal, unless the row has changed meanwhile. Keeps the used step. */
  async replaceTotpSecret(
    before: StoredTotpSecret,
    { secret, seal }: Pick<TotpSecret, 'secret' | 'seal'>,
  ): Promise<void> {
    await this.dataSource.query(
      `with replaced as (update totp_secret set secret = $3, seal = $4 where ${OF_OWNER} and seal = $5
                         returning $5::bytea as seal, null::timestamptz as expires_at)
       ${endSealsOf('replaced')}`,
      [before.subjectId, before.subjectType, secret, seal, before.seal],
    );
  }

  /** Replaces the seal of a row and ends the former seal, unless the row has got another seal meanwhile. */
  async replaceSeal(table: 'passkey' | 'totp_secret', seal: Buffer | null, newSeal: Buffer): Promise<void> {
    await this.dataSource.query(
      `with sealed as (update ${table} set seal = $2 where seal = $1 returning $1::bytea as seal, null::timestamptz as expires_at)
       ${endSealsOf('sealed')}`,
      [seal, newSeal],
    );
  }
}

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
