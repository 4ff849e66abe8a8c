import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../../common/ids.js';
import type { CollectedWrite } from '../../database/collected-rows.js';
import { collectRow } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Mail } from './entities/mail.entity.js';
import type { MailDetails, MailKind, NewMail } from './mail.types.js';

/** A mail that was claimed for an attempt, with the language and the name of its user. */
export interface ClaimedMail {
  readonly id: string;
  readonly recipient: string;
  readonly kind: MailKind;
  readonly details: MailDetails;
  readonly createdAt: Date;
  /** Including this attempt. Identifies the claim: a process whose lease has expired finds another number. */
  readonly attempts: number;
  readonly language: string;
  readonly name: string | null;
}

const MAILS: CollectedWrite<NewMail & { readonly userId: string; readonly at: Date }> = {
  name: 'mails',
  toRows: (mails) =>
    mails.map(({ userId, recipient, kind, details, isSecurity, at }) => ({
      ...{ id: newId(), user_id: userId, recipient: recipient ?? null, kind, details },
      ...{ is_security: isSecurity, at },
    })),
};

@Injectable()
export class MailsRepository {
  constructor(@InjectRepository(Mail) private readonly mails: Repository<Mail>) {}

  /** Collects a mail. The database does not insert it for an erased user, nor optional mail for a user who has switched it off. */
  async collectMail(tx: Tx, userId: string, mail: NewMail, now: Date): Promise<void> {
    await collectRow(tx, MAILS, { ...mail, userId, at: now });
  }

  /** Claims the mails that have been due longest and that no process attempts. `excluded`: those that this process attempts. */
  claimDueMails(
    now: Date,
    { excluded, limit, leaseSeconds }: { excluded: readonly string[]; limit: number; leaseSeconds: number },
  ): Promise<ClaimedMail[]> {
    return this.mails.query<ClaimedMail[]>(CLAIM_DUE_MAILS, [now, excluded, limit, leaseSeconds]);
  }

  /** False, without a change, if the lease has expired and another process has claimed or settled the mail. */
  async updateClaimedMail(
    tx: Tx,
    { id, attempts }: ClaimedMail,
    changes: Pick<Mail, 'status' | 'dueAt' | 'settledAt' | 'failure'>,
  ): Promise<boolean> {
    const claim = { id, attempts, status: 'waiting' } as const;
    const { affected } = await tx.update(Mail, claim, { ...changes, leasedUntil: null });
    return affected === 1;
  }

  /** Undoes a claim whose attempt was interrupted. */
  async releaseMail({ id, attempts }: ClaimedMail): Promise<void> {
    const claim = { id, attempts, status: 'waiting' } as const;
    await this.mails.update(claim, { attempts: attempts - 1, leasedUntil: null });
  }

  async deleteMailsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Mail, { userId });
  }

  async deleteMailsBefore(time: Date, limit: number): Promise<number> {
    const [, deleted] = await this.mails.query<[unknown, number]>(
      'delete from mail where id in (select id from mail where created_at < $1 order by created_at limit $2)',
      [time, limit],
    );
    return deleted;
  }
}

// The lease is real time, by the database's clock: the domain clock of development and tests can be moved. Table: users.
const CLAIM_DUE_MAILS = `
  with due as (
    select id from mail
     where status = 'waiting' and due_at <= $1 and id <> all($2::uuid[])
       and (leased_until is null or leased_until < clock_timestamp())
     order by due_at, id limit $3 for update skip locked
  ), claimed as (
    update mail set attempts = attempts + 1, leased_until = clock_timestamp() + make_interval(secs => $4)
      from due where mail.id = due.id
    returning mail.id, user_id, recipient, kind, details, created_at, attempts
  )
  select claimed.id, recipient, kind, details, claimed.created_at as "createdAt", attempts, language, full_name as name
    from claimed join platform_user on platform_user.id = user_id`;
