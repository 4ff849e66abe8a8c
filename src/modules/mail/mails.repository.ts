import { Injectable } from '@nestjs/common';
import { insertRow } from '../../database/entity-rows.js';
import { write } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { QueueTable } from '../../jobs/claim-statement.js';
import type { ClaimedItem } from '../../jobs/queue.decorator.js';
import { Mail } from './entities/mail.entity.js';
import { isSecurityMail, type MailDetails, type MailKind, type NewMail } from './mail.types.js';

/** A claimed mail, with the language and the name of its user. */
export interface ClaimedMail extends ClaimedItem {
  readonly recipient: string;
  readonly kind: MailKind;
  readonly details: MailDetails;
  readonly createdAt: Date;
  readonly language: string;
  readonly name: string | null;
}

type MailToInsert = NewMail & { readonly id: string };

/** Users take turns, and so do admins. The leases are in real time: tests and the sandbox can move the domain clock. */
export const MAIL_TABLE: QueueTable = {
  name: 'mail',
  waiting: `status = 'waiting'`,
  owner: { sql: 'coalesce(user_id, md5(recipient)::uuid)', type: 'uuid' },
  classes: ['is_security', 'not is_security'],
  lease: { column: 'leased_until', seconds: 150 }, // longer than an attempt (60 s) and the tries to record its result (60 s)
  // The module users owns platform_user.
  columns: `recipient, kind, details, item.created_at as "createdAt", coalesce(language, 'en') as language, full_name as name
    from item left join platform_user on platform_user.id = user_id`,
};

@Injectable()
export class MailsRepository {
  /**
   * Inserts a mail to a user, by default to the user's address. Inserts nothing for anonymised users, nor mail that is not about
   * security for users who have switched e-mail off. Reads `platform_user` of the module users.
   */
  insertMail(tx: Tx, userId: string, { id, recipient, kind, details }: MailToInsert, now: Date): void {
    write(
      tx,
      `insert into mail (id, user_id, recipient, kind, details, is_security, status, attempts, created_at, due_at)
       select $1, id, coalesce($3, email), $4, $5, $6, 'waiting', 0, $7, $7 from platform_user
        where id = $2 and ($6 or notify_email) and coalesce($3, email) <> 'erased-' || id || '@erased.invalid'
           on conflict (id) do nothing`,
      [id, userId, recipient ?? null, kind, JSON.stringify(details), isSecurityMail(kind), now],
    );
  }

  /** Inserts a mail to an admin, whose language the service does not know. */
  insertAdminMail(tx: Tx, { id, recipient, kind, details }: Required<MailToInsert>, now: Date): void {
    insertRow(tx, Mail, {
      id,
      userId: null,
      recipient,
      kind,
      details,
      isSecurity: isSecurityMail(kind),
      status: 'waiting',
      attempts: 0,
      createdAt: now,
      dueAt: now,
      leasedUntil: null,
      settledAt: null,
      failure: null,
    });
  }

  async deleteMailsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Mail, { userId });
  }
}
