import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { DAY_MS } from '../../common/durations.js';
import { afterCommit } from '../../database/statements.js';
import { Job } from '../../jobs/job.decorator.js';
import type { RecordResult, WorkQueue } from '../../jobs/work-queue.js';
import { WorkQueues } from '../../jobs/work-queues.js';
import { Meters } from '../../observability/meters.js';
import { mailAfterFailure } from './domain/mail-outcome.js';
import { renderMail } from './domain/mail-templates.js';
import { Mail } from './entities/mail.entity.js';
import { MAIL_TABLE, type ClaimedMail } from './mails.repository.js';
import { SmtpClient } from './smtp.client.js';

const JOB_NAME = 'mails';
/** Time-out of one attempt. */
const ATTEMPT_MS = 60_000;

/** Sends due mails, on every process. DEC-63 lists the cases in which a mail is sent twice. */
@Injectable()
export class MailsJob {
  private readonly log = new Logger('Mails');
  readonly queue: WorkQueue<Mail, ClaimedMail>;

  constructor(
    private readonly smtp: SmtpClient,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly meters: Meters,
    queues: WorkQueues,
  ) {
    this.queue = queues.create<Mail, ClaimedMail>({
      job: JOB_NAME,
      entity: Mail,
      table: MAIL_TABLE,
      maxRunning: 8,
      maxRunningPerOwner: 4,
      attempt: (mail, interrupted) => this.sendMail(mail, interrupted),
      recordTries: 20, // a mail that the SMTP server accepted is sent again if its result is not recorded
      // Interrupted as late as possible, for the same reason. The wait begins after the last request, at the latest after
      // SHUTDOWN_SECONDS (by default 8 s), and the process has to end within ten seconds.
      graceMs: 1500,
      retentionMs: 30 * DAY_MS,
    });
  }

  @Job({
    name: JOB_NAME,
    purpose: 'Sends the e-mails that are due, if SMTP_URL is set',
    everySeconds: 2,
  })
  async startDueMails(stopping: AbortSignal): Promise<void> {
    if (this.config.sendsMail) await this.queue.startDue(stopping);
  }

  @Job({
    name: 'old-mails',
    purpose: 'Deletes the records of e-mails that are older than thirty days',
    everySeconds: 600,
    exclusive: true,
  })
  deleteOldMails(stopping: AbortSignal): Promise<void> {
    return this.queue.deleteOld(stopping);
  }

  private async sendMail(mail: ClaimedMail, interrupted: AbortSignal): Promise<RecordResult | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), interrupted]);
    const { id: mailId, kind, attempts, recipient } = mail;
    try {
      const rendered = renderMail(mail, this.config.PUBLIC_URL);
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

  private resultOf(
    mail: ClaimedMail,
    result: Pick<Mail, 'status' | 'dueAt' | 'settledAt' | 'failure'>,
  ): RecordResult {
    return async (tx) => {
      if (await this.queue.settle(mail, result, tx)) afterCommit(tx, () => this.reportResult(mail, result));
    };
  }

  private reportResult(
    { id: mailId, kind, attempts }: ClaimedMail,
    { status, failure }: Pick<Mail, 'status' | 'failure'>,
  ): void {
    // A mail whose attempt failed is waiting again, unless it was given up.
    this.meters.count('mail-attempt', status === 'waiting' ? 'failed' : status);
    if (status === 'given-up')
      this.log.error({ msg: 'a mail was given up', mailId, kind, attempts, failure });
  }
}

/** The code of the server's reply, or the kind of fault such as ECONNECTION. */
function failureOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return String(responseCode ?? code ?? (error as Error).name);
}
