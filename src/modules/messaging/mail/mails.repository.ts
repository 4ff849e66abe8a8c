import { Injectable } from '@nestjs/common';
import { insertRow, updateRow } from '../../../database/entity-rows.js';
import { read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { windowMsOf } from '../../../events/collapsing.js';
import type { QueueTable } from '../../../jobs/claim-statement.js';
import type { ClaimedItem } from '../../../jobs/queue.decorator.js';
import { Mail } from './entities/mail.entity.js';
import {
  isSecurityMail,
  type MailDetails,
  type MailKind,
  type NewMail,
  type UserMail,
} from './mail.types.js';

/** A claimed mail, with the language and the name of its user. */
export interface ClaimedMail extends ClaimedItem {
  /** Null for mail to an admin. */
  readonly userId: string | null;
  readonly recipient: string;
  readonly kind: MailKind;
  readonly details: MailDetails;
  readonly repeats: number | null;
  readonly furtherDetails: readonly MailDetails[];
  readonly createdAt: Date;
  readonly language: string;
  readonly name: string | null;
}

export interface AdminMail extends Required<NewMail> {
  readonly id: string;
}

/** Users take turns, and so do admins. The leases are in real time: tests and the sandbox can move the domain clock. */
export const MAIL_TABLE: QueueTable = {
  name: 'mail',
  waiting: `status = 'waiting'`,
  owner: { sql: 'coalesce(user_id, md5(recipient)::uuid)', type: 'uuid' },
  classes: ['is_security', 'not is_security'],
  lease: { column: 'leased_until', seconds: 150 }, // longer than an attempt (60 s) and the tries to record its result (60 s)
  // The module users owns platform_user.
  columns: `user_id as "userId", recipient, kind, details, repeats, further_details as "furtherDetails", item.created_at as "createdAt", coalesce(language, 'en') as language, full_name as name
    from item left join platform_user on platform_user.id = user_id`,
};

@Injectable()
export class MailsRepository {
  /**
   * Inserts nothing for anonymised users, whose addresses begin with `erased-`, and only mail about security for users who have switched
   * e-mail off. Reads `platform_user` of the module users; the lock waits for the end of an erasure.
   */
  insertMail(tx: Tx, mail: UserMail): void {
    const { id, userId, recipient, kind, details, createdAt, dueAt, repeats, furtherDetails } = mail;
    const values = [id, userId, recipient ?? null, kind, JSON.stringify(details), isSecurityMail(kind)];
    write(
      tx,
      `insert into mail (id, user_id, recipient, kind, details, is_security, status, attempts, created_at, due_at, repeats,
                         further_details)
       select $1, id, coalesce($3, email), $4, $5, $6, 'waiting', 0, $7, $8, $9, $10 from platform_user
        where id = $2 and ($6 or notify_email) and coalesce($3, email) <> 'erased-' || id || '@erased.invalid'
          for key share
           on conflict (id) do nothing`,
      [...values, createdAt, dueAt, repeats, JSON.stringify(furtherDetails)],
    );
  }

  /** Earlier mails of the users and kinds of the arrivals, within their time windows: about one event, or summaries that still wait. */
  findEarlierInWindows(
    tx: Tx,
    arrivals: readonly { userId: string; kind: string; at: Date }[],
    now: Date,
  ): Promise<UserMail[]> {
    return read(
      tx,
      `select id, mail.user_id as "userId", mail.kind, details, created_at as "createdAt", due_at as "dueAt", repeats,
              further_details as "furtherDetails"
         from (select distinct on (user_id, kind) * from unnest($1::uuid[], $2::text[], $3::timestamptz[])
                 as arrival (user_id, kind, since) order by user_id, kind, since) as arrival
         join mail on mail.user_id = arrival.user_id and mail.kind = arrival.kind and created_at > since
        where repeats is null or (status = 'waiting' and attempts = 0 and due_at > $4)
          for update of mail`,
      [
        arrivals.map(({ userId }) => userId),
        arrivals.map(({ kind }) => kind),
        arrivals.map(({ at, kind }) => new Date(at.getTime() - windowMsOf(kind))),
        now,
      ],
    );
  }

  /** Changes a summary that the transaction has locked. */
  updateSummary(tx: Tx, { id, repeats, furtherDetails }: UserMail): void {
    updateRow(tx, Mail, id, { repeats, furtherDetails });
  }

  /** Inserts a mail to an admin, whose language the service does not know. */
  insertAdminMail(tx: Tx, mail: AdminMail, now: Date): void {
    const { id, recipient, kind, details } = mail;
    const waiting = { isSecurity: isSecurityMail(kind), status: 'waiting', attempts: 0 } as const;
    const fields = { id, recipient, kind, details, ...waiting, createdAt: now, dueAt: now };
    insertRow(tx, Mail, fields, 'on conflict (id) do nothing');
  }

  async deleteMailsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Mail, { userId });
  }
}
