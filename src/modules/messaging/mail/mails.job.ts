import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { afterCommit } from '../../../database/statements.js';
import { Queue, type RecordResult } from '../../../jobs/queue.decorator.js';
import { Meters } from '../../../observability/meters.js';
import { LockLinksService } from '../../identity/locks/locks.service.js';
import { renderMail } from './domain/mail-templates.js';
import { mailAfterFailure } from './domain/mail-timing.js';
import { Mail } from './entities/mail.entity.js';
import { isSecurityMail } from './mail.types.js';
import { MAIL_TABLE, type ClaimedMail } from './mails.repository.js';
import { SmtpClient } from './smtp.client.js';

export const MAILS = 'mails';
/** Time-out of one attempt. */
const ATTEMPT_MS = 60_000;

/** Sends the mails that are due. DEC-63 lists the cases in which a mail is sent twice. */
@Injectable()
export class MailsJob {
  private readonly log = new Logger('Mails');

  constructor(
    private readonly smtp: SmtpClient,
    private readonly lockLinks: LockLinksService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly meters: Meters,
  ) {}

  @Queue<Mail, ClaimedMail>({
    name: MAILS,
    purpose: 'Sends the e-mails that are due, if SMTP_URL is set',
    everySeconds: 2,
    entity: Mail,
    table: MAIL_TABLE,
    maxRunning: 8,
    maxRunningPerOwner: 4,
    isOn: ({ sendsMail }) => sendsMail,
    recordTries: 20, // a mail that the SMTP server accepted is sent again if its result is not recorded
    // Interrupted as late as possible, for the same reason. The wait begins after the last request, at the latest after
    // SHUTDOWN_SECONDS (by default 8 s), and the process has to end within ten seconds.
    graceMs: 1500,
    retentionDays: 30,
  })
  async sendMail(mail: ClaimedMail, interrupted: AbortSignal): Promise<RecordResult<Mail> | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), interrupted]);
    const { id: mailId, kind, attempts, recipient } = mail;
    try {
      const lockUrl = await this.createLockLink(mail);
      const rendered = renderMail({ ...mail, lockUrl }, this.config.PUBLIC_URL);
      await this.smtp.sendMail({ ...rendered, id: mailId, recipient }, signal);
    } catch (error) {
      if (interrupted.aborted) return undefined;
      const failure = failureOf(error);
      this.log.warn({ msg: 'a mail was not sent', mailId, kind, attempts, failure, err: error });
      return this.resultOf(mail, { ...mailAfterFailure(mail, this.clock.now()), failure });
    }
    const now = this.clock.now();
    return this.resultOf(mail, { status: 'sent', dueAt: now, settledAt: now, failure: null });
  }

  /** Every mail about security lets its user lock the account. Optional mail has no link, since nothing about the account has changed. */
  private async createLockLink({ userId, kind }: ClaimedMail): Promise<string | undefined> {
    return userId !== null && isSecurityMail(kind) ? this.lockLinks.createLink(userId) : undefined;
  }

  private resultOf(
    { id: mailId, kind, attempts }: ClaimedMail,
    result: Pick<Mail, 'status' | 'dueAt' | 'settledAt' | 'failure'>,
  ): RecordResult<Mail> {
    const { status, failure } = result;
    const report = () => {
      // A mail whose attempt failed is waiting again, unless it was given up.
      this.meters.count('mail-attempt', status === 'waiting' ? 'failed' : status);
      if (status === 'given-up')
        this.log.error({ msg: 'a mail was given up', mailId, kind, attempts, failure });
    };
    return async (tx, settle) => {
      if (await settle(result)) afterCommit(tx, report);
    };
  }
}

/** The code of the server's reply, or the kind of fault such as ECONNECTION. */
function failureOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return String(responseCode ?? code ?? (error as Error).name);
}
