import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Attempts } from '../../jobs/attempts.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import type { ClaimedMail } from './mails.repository.js';
import { MailsService } from './mails.service.js';

const JOB_NAME = 'mails';
const MAX_CONCURRENT = 8;
/**
 * How long a shutdown waits before it interrupts running attempts. The wait begins after the last request, at the latest after
 * SHUTDOWN_SECONDS (by default 8 s), and the process has to end within ten seconds.
 */
const SHUTDOWN_GRACE_MS = 1500;

/** Sends due mails, on every process. DEC-63 lists the cases in which a mail is sent twice. */
@Injectable()
export class MailsJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('MailsJob');
  private readonly attempts: Attempts<ClaimedMail>;
  /** Aborted as late as possible, since an interrupted mail that the SMTP server has accepted is sent again. */
  private readonly interruption = new AbortController();

  constructor(
    private readonly mails: MailsService,
    private readonly config: AppConfig,
    private readonly jobs: Jobs,
  ) {
    this.attempts = new Attempts(MAX_CONCURRENT, () => jobs.get(JOB_NAME));
  }

  async beforeApplicationShutdown(): Promise<void> {
    const grace = setTimeout(() => this.interruption.abort(), SHUTDOWN_GRACE_MS);
    await this.attempts.allEnded();
    clearTimeout(grace);
  }

  /** Starts a run soon, without waiting for it. */
  wakeUp(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  /** Sends all due mails and waits for their results. For tests. */
  async drain(): Promise<void> {
    await this.attempts.drain();
  }

  /** Does not wait for the attempts that it starts. The end of each one wakes the job. */
  @Job({
    name: JOB_NAME,
    purpose: 'Sends the e-mails that are due, if SMTP_URL is set',
    everySeconds: 2,
  })
  async startDueMails(stopping: AbortSignal): Promise<void> {
    if (!this.config.sendsMail) return;
    while (!stopping.aborted && this.attempts.free > 0) {
      const ids = this.attempts.items.map(({ id }) => id);
      const claimed = await this.mails.claimDue(ids, this.attempts.free);
      if (claimed.length === 0) return;
      for (const mail of claimed) this.attempts.start(mail, (claimedMail) => this.attemptMail(claimedMail));
    }
  }

  @Job({
    name: 'old-mails',
    purpose: 'Deletes the records of e-mails that are older than thirty days',
    everySeconds: 600,
    exclusive: true,
  })
  async deleteOldMails(stopping: AbortSignal): Promise<void> {
    await this.mails.deleteOldMails(stopping);
  }

  private async attemptMail(mail: ClaimedMail): Promise<void> {
    await this.mails
      .attemptMail(mail, this.interruption.signal)
      .catch((error: unknown) =>
        this.log.warn({ msg: 'the result of a mail was not recorded', mailId: mail.id, err: error }),
      );
  }
}
