import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { afterCommit } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { Consumer } from '../../../events/consumer.decorator.js';
import { derivedId } from '../../../events/derived-ids.js';
import type { DomainEvent, PlatformEvent } from '../../../events/domain-events.js';
import type { RecordedEvent } from '../../../events/event-consumers.js';
import { callByTopic, type ByTopic } from '../../../events/event-topics.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import type { ApprovalEvent } from '../../identity/approvals/approvals.types.js';
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
import { isDust } from '../../funds/deposits/deposit.events.js';
import { collapseMails, mailOfOne, type Arrival } from './domain/mail-timing.js';
import { MAILS } from './mails.job.js';
import { MailsRepository } from './mails.repository.js';
import type { NewMail } from './mail.types.js';

const CONSUMER = 'mails';

/** The mails that follow from an event, by its topic. `emailsOf`: the addresses of the admins who can decide about an approval. */
const MAILS_OF: ByTopic<NewMail[], (event: ApprovalEvent) => string[]> = {
  withdrawal: withdrawalMails,
  deposit: depositMails,
  security: securityMails,
  email: emailChangedMails,
  address: addressMails,
  'api-key': apiKeyMails,
  admin: adminMails,
  approval: (event: ApprovalEvent, emailsOf) => approvalMails(event, emailsOf(event)),
};

/** Inserts the mails that follow from domain events, and starts sending them. Inserts none without SMTP_URL. */
@Injectable()
export class MailsConsumer {
  constructor(
    private readonly mails: MailsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly admins: AdminDirectoryService,
  ) {}

  @Consumer({ name: CONSUMER, topics: Object.keys(MAILS_OF) })
  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    if (!this.config.sendsMail) return;
    const now = this.clock.now();
    const arrivals: Arrival[] = [];
    for (const { id: eventId, event } of events) {
      const { userId, at } = event as DomainEvent;
      for (const [index, mail] of this.toMails(event).entries()) {
        const id = derivedId(eventId, CONSUMER, index);
        // Without a user it is a mail to an admin, whose address the mail has.
        if (userId === undefined) this.mails.insertAdminMail(tx, { id, ...(mail as Required<NewMail>) }, now);
        else if (mail.recipient === undefined) arrivals.push({ ...mail, id, userId, at });
        else this.mails.insertMail(tx, mailOfOne({ ...mail, id, userId, at }, now));
      }
    }
    await this.insertCollapsed(tx, arrivals, now);
    afterCommit(tx, () => this.jobs.get(MAILS).wake());
  }

  /**
   * The mail about a first event of a kind is sent to a user at once; the events of the next ten minutes are in one mail after that time.
   */
  private async insertCollapsed(tx: Tx, arrivals: readonly Arrival[], now: Date): Promise<void> {
    if (arrivals.length === 0) return;
    const earlier = await this.mails.findEarlierInWindows(tx, arrivals, now);
    const { added, grown } = collapseMails(arrivals, earlier, now);
    for (const mail of added) this.mails.insertMail(tx, mail);
    for (const mail of grown) this.mails.updateSummary(tx, mail);
  }

  private toMails(event: PlatformEvent): NewMail[] {
    if (isDust(event, this.config.DUST_THRESHOLD)) return [];
    const emailsOf = ({ permission }: ApprovalEvent) =>
      this.admins.listPermitted(permission).map(({ email }) => email);
    return callByTopic(MAILS_OF, event, emailsOf) ?? [];
  }
}
