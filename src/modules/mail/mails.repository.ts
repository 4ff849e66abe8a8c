import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { write } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Mail } from './entities/mail.entity.js';
import { isSecurityMail, type MailDetails, type MailKind, type NewMail } from './mail.types.js';

/** A mail that this process has claimed for one attempt, with the language and the name of its user. */
export interface ClaimedMail {
  readonly id: string;
  readonly recipient: string;
  readonly kind: MailKind;
  readonly details: MailDetails;
  readonly createdAt: Date;
  /** Number of attempts to send, including this one. Identifies the claim: the next one after an expired lease is higher. */
  readonly attempts: number;
  readonly language: string;
  readonly name: string | null;
}

type MailToInsert = NewMail & { readonly id: string };

@Injectable()
export class MailsRepository {
  constructor(@InjectRepository(Mail) private readonly mails: Repository<Mail>) {}

  /**
   * Inserts a mail to a user, by default to the user's address. Inserts nothing for anonymised users, nor mail that is not about
   * security for users who have switched e-mail off. Reads `platform_user` of the module users; the lock waits for the end of
   * an erasure.
   */
  insertMail(tx: Tx, userId: string, { id, recipient, kind, details }: MailToInsert, now: Date): void {
    write(
      tx,
      `insert into mail (id, user_id, recipient, kind, details, is_security, status, attempts, created_at, due_at)
       select $1, id, coalesce($3, email), $4, $5, $6, 'waiting', 0, $7, $7 from platform_user
        where id = $2 and ($6 or notify_email) and coalesce($3, email) <> 'erased-' || id || '@erased.invalid'
          for key share
           on conflict (id) do nothing`,
      [id, userId, recipient ?? null, kind, JSON.stringify(details), isSecurityMail(kind), now],
    );
  }

  /** Inserts a mail to an admin, whose language the service does not know. */
  insertAdminMail(tx: Tx, { id, recipient, kind, details }: Required<MailToInsert>, now: Date): void {
    write(
      tx,
      `insert into mail (id, recipient, kind, details, is_security, status, attempts, created_at, due_at)
       values ($1, $2, $3, $4, $5, 'waiting', 0, $6, $6) on conflict (id) do nothing`,
      [id, recipient, kind, JSON.stringify(details), isSecurityMail(kind), now],
    );
  }

  /**
   * Claims due mails that have no valid lease: those about security first, and the longest due first among each of the two.
   * `excluded` are the ids of the mails that this process is sending; it does not claim them again when their leases expire.
   */
  claimDueMails(
    now: Date,
    { excluded, limit, leaseSeconds }: { excluded: readonly string[]; limit: number; leaseSeconds: number },
  ): Promise<ClaimedMail[]> {
    return this.mails.query<ClaimedMail[]>(CLAIM_DUE_MAILS, [now, excluded, limit, leaseSeconds]);
  }

  /**
   * Ends the claim. Returns false, without a change, if another process has claimed or settled the mail after the lease had
   * expired, or if the mail was deleted.
   */
  async updateClaimedMail(
    tx: Tx,
    { id, attempts }: ClaimedMail,
    changes: Pick<Mail, 'status' | 'dueAt' | 'settledAt' | 'failure'>,
  ): Promise<boolean> {
    const claim = { id, attempts, status: 'waiting' } as const;
    const { affected } = await tx.update(Mail, claim, { ...changes, leasedUntil: null });
    return affected === 1;
  }

  /** Gives back a claimed mail whose attempt was interrupted; the attempt is not counted. */
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

// Leases use the database's clock, because tests and the sandbox can move the domain clock.
const DUE_MAILS = `select id from mail
     where status = 'waiting' and due_at <= $1 and id <> all($2::uuid[])
       and (leased_until is null or leased_until < clock_timestamp())`;

// Two scans of the index `mail_due`, because one scan would pass all mails about security that are not due yet.
// The module users owns platform_user.
const CLAIM_DUE_MAILS = `
  with security as (
    ${DUE_MAILS} and is_security order by due_at, id limit $3::bigint for update skip locked
  ), other as (
    ${DUE_MAILS} and not is_security order by due_at, id limit $3::bigint - (select count(*) from security)
     for update skip locked
  ), claimed as (
    update mail set attempts = attempts + 1, leased_until = clock_timestamp() + make_interval(secs => $4)
      from (select id from security union all select id from other) as due where mail.id = due.id
    returning mail.id, user_id, recipient, kind, details, created_at, attempts
  )
  select claimed.id, recipient, kind, details, claimed.created_at as "createdAt", attempts,
         coalesce(language, 'en') as language, full_name as name
    from claimed left join platform_user on platform_user.id = user_id`;
