import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { AppConfig } from '../../config/app-config.js';
import { afterCommit } from '../../database/statements.js';
import type { Tx } from '../../database/tx.js';
import { derivedId } from '../../events/derived-ids.js';
import type { DomainEvent, PlatformEvent } from '../../events/domain-events.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from '../../events/event-consumers.js';
import { topicOf } from '../../events/event-topics.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { ApprovalEvent } from '../approvals/approval.events.js';
import {
  addressMails,
  adminMails,
  apiKeyMails,
  approvalMails,
  depositMails,
  emailChangedMails,
  securityMails,
  withdrawalMails,
} from './domain/mail-details.js';
import { MAILS } from './mails.job.js';
import { MailsRepository } from './mails.repository.js';
import type { NewMail } from './mail.types.js';

type ToMails = (event: never) => NewMail[];

/** Inserts the mails that follow from domain events, and starts sending them. Inserts none without SMTP_URL. */
@Injectable()
export class MailsConsumer implements EventConsumer, OnModuleInit {
  readonly name = 'mails';
  private readonly mailsOf: Readonly<Record<string, ToMails>> = {
    withdrawal: withdrawalMails,
    deposit: depositMails,
    security: securityMails,
    email: emailChangedMails,
    address: addressMails,
    'api-key': apiKeyMails,
    admin: adminMails,
    approval: (event: ApprovalEvent) => approvalMails(event, this.emailsPermitted(event)),
  };
  readonly topics = Object.keys(this.mailsOf);

  constructor(
    private readonly consumers: EventConsumers,
    private readonly mails: MailsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
  ) {}

  onModuleInit(): void {
    this.consumers.register(this);
  }

  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    if (!this.config.sendsMail) return;
    for (const { id, event } of events)
      for (const [index, mail] of this.toMails(event).entries())
        this.insertMail(tx, { id: derivedId(id, this.name, index), ...mail }, event);
    afterCommit(tx, () => this.jobs.get(MAILS).wake());
  }

  private toMails(event: PlatformEvent): NewMail[] {
    return this.mailsOf[topicOf(event.name)]?.(event as never) ?? [];
  }

  private insertMail(tx: Tx, mail: NewMail & { id: string }, event: PlatformEvent): void {
    const { userId } = event as Partial<DomainEvent>;
    const now = this.clock.now();
    if (userId !== undefined) this.mails.insertMail(tx, userId, mail, now);
    else if (mail.recipient !== undefined)
      this.mails.insertAdminMail(tx, { ...mail, recipient: mail.recipient }, now);
  }

  private emailsPermitted({ permission }: ApprovalEvent): string[] {
    return this.admins.listPermitted(permission).map(({ email }) => email);
  }
}
