import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents, type DomainEvent, type PlatformEvent } from '../../events/domain-events.js';
import { Clock } from '../../common/clock.js';
import type { AdminEvent } from '../admins/admin.events.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { ApprovalEvent } from '../approvals/approval.events.js';
import type { AddressEvent } from '../addresses/address.events.js';
import type { ApiKeyEvent } from '../api-keys/api-key.events.js';
import type { DepositEvent } from '../deposits/deposit.events.js';
import type { EmailChangedEvent, SecurityEvent } from '../users/security.events.js';
import type { WithdrawalEvent } from '../withdrawals/withdrawal.events.js';
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
import { MailsRepository } from './mails.repository.js';
import type { NewMail } from './mail.types.js';

/** Collects the mails of a domain event for the outbox, in the transaction of the event. Does nothing without SMTP_URL. */
@Injectable()
export class MailsListener implements OnModuleInit {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly mails: MailsRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
  ) {}

  onModuleInit(): void {
    if (!this.config.sendsMail) return;
    this.insertMailsOn<WithdrawalEvent>('withdrawal', withdrawalMails);
    this.insertMailsOn<DepositEvent>('deposit', depositMails);
    this.insertMailsOn<SecurityEvent>('security', securityMails);
    this.insertMailsOn<EmailChangedEvent>('email', emailChangedMails);
    this.insertMailsOn<AddressEvent>('address', addressMails);
    this.insertMailsOn<ApiKeyEvent>('api-key', apiKeyMails);
    this.insertAdminMailsOn<AdminEvent>('admin', adminMails);
    this.insertAdminMailsOn<ApprovalEvent>('approval', (event) =>
      approvalMails(
        event,
        this.admins.listPermitted(event.permission).map(({ email }) => email),
      ),
    );
  }

  private insertMailsOn<E extends DomainEvent>(topic: string, mailsOf: (event: E) => NewMail[]): void {
    this.domainEvents.subscribe<E>(topic, async (tx, event) => {
      for (const mail of mailsOf(event)) this.mails.insertMail(tx, event.userId, mail, this.clock.now());
    });
  }

  private insertAdminMailsOn<E extends PlatformEvent>(
    topic: string,
    mailsOf: (event: E) => Required<NewMail>[],
  ): void {
    this.domainEvents.subscribe<E>(topic, async (tx, event) => {
      for (const mail of mailsOf(event)) await this.mails.insertAdminMail(tx, mail, this.clock.now());
    });
  }
}
