import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { MINUTE_MS } from '../../../common/durations.js';
import { newId } from '../../../common/ids.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import {
  addressSubject,
  userIdOf,
  type StoredVerdict,
  type Subject,
  type ScreeningAnswer,
} from './domain/verdict.js';
import { ScreeningProvider, type ScreenedSubject } from './screening-provider.client.js';
import { ScreeningQuestionsService, type ClaimedQuestion } from './screening-questions.service.js';
import { ScreeningRepository, type VerdictScope } from './screening.repository.js';

/** The network of withdrawal addresses. */
const NETWORK = 'ERC20';
const ALERT_SUBJECT = { type: 'service', id: 'screening-provider' };
const CONCURRENCY = 10;
const WAIT_FOR_OTHER_CLAIM_MS = 2500; // the provider's time-out, 2 seconds, and the time to store the answer
const WAIT_INTERVAL_MS = 100;
const REPORT_INTERVAL_MS = MINUTE_MS;

/** Screens subjects, one request per subject at a time, and reads their verdicts. */
@Injectable()
export class ScreeningService {
  private readonly log = new Logger('Screening');
  private readonly running = new Map<Subject, Promise<void>>();
  /** The provider's state that this process reported last, by raising or resolving the alert; undefined before any request. */
  private reported: { readonly isAvailable: boolean; readonly atMs: number } | undefined;

  constructor(
    private readonly provider: ScreeningProvider,
    private readonly repository: ScreeningRepository,
    private readonly questions: ScreeningQuestionsService,
    private readonly config: AppConfig,
    private readonly alerts: AlertsService,
    private readonly rateLimits: RateLimits,
  ) {}

  /** Without a configured provider nothing is screened and nothing is refused. */
  get isConfigured(): boolean {
    return this.config.SCREENING_URL !== undefined;
  }

  /** The newest verdict by subject. Subjects that were never screened have none. */
  getNewestVerdicts(
    subjects: readonly Subject[],
    scope: VerdictScope = {},
  ): Promise<Map<Subject, StoredVerdict>> {
    return this.repository.findNewestVerdicts(subjects, this.config.SCREENING_VALID_HOURS, scope);
  }

  /** Queues a subject without a fresh verdict for the screening job. */
  async queueUnscreened(tx: Tx, subject: Subject): Promise<void> {
    if (await this.isUnscreened(tx, subject)) await this.repository.insertQuestion(tx, subject);
  }

  /**
   * Queues an address that a user adds to the address book, unless it has a fresh verdict. Only the first ten that a user adds within a
   * day are queued; a further address is screened when an operator opens or decides a withdrawal to it.
   */
  async queueBookAddress(tx: Tx, userId: string, address: string): Promise<void> {
    if (!this.isConfigured) return;
    const subject = addressSubject(address);
    if (!(await this.isUnscreened(tx, subject))) return;
    const { used, limit } = await this.rateLimits.countDaily('address-screening', userId);
    if (used <= limit) await this.repository.insertQuestion(tx, subject);
  }

  /** For the erasure of a user. */
  async deleteScreeningQuestionsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.repository.deleteScreeningQuestionsOfUser(tx, userId);
  }

  /** Accepts reviews for one withdrawal; returns the time. */
  acceptForWithdrawal(
    tx: Tx,
    withdrawalId: string,
    reviews: readonly StoredVerdict[],
    by: string,
    reason: string,
  ): Promise<Date> {
    return this.repository.insertAcceptances(tx, withdrawalId, reviews, by, reason);
  }

  /**
   * Screens each subject without a fresh verdict, at most ten at once. Never called in a transaction, whose locks would
   * wait for the provider. Does not throw if a subject could not be screened: the caller reads the verdicts afterwards.
   */
  screenSubjects(subjects: readonly Subject[]): Promise<void> {
    return this.screenEach(subjects, (subject) => this.screenOnce(subject));
  }

  /** Screens the due subjects of the queue, until the queue is empty or the provider is unavailable. */
  @Job({
    name: 'screening',
    purpose:
      'Asks the screening provider about new users, users with a changed e-mail address, new addresses of address books and the addresses of withdrawals that an operator has opened',
    everySeconds: 1,
  })
  async screenDueSubjects(stopping: AbortSignal): Promise<void> {
    if (!this.isConfigured) return;
    let subjects: readonly Subject[];
    do {
      subjects = await this.repository.findDueSubjects(CONCURRENCY);
      await this.screenEach(subjects, async (subject) =>
        this.ask(await this.questions.claimQueuedQuestion(subject)),
      );
    } while (subjects.length === CONCURRENCY && this.reported?.isAvailable !== false && !stopping.aborted);
  }

  private async isUnscreened(tx: Tx, subject: Subject): Promise<boolean> {
    return !(await this.getNewestVerdicts([subject], { manager: tx })).get(subject)?.isFresh;
  }

  private async screenEach(
    subjects: readonly Subject[],
    screen: (subject: Subject) => Promise<void>,
  ): Promise<void> {
    const waiting = [...new Set(subjects)];
    const screenNext = async (): Promise<void> => {
      for (let subject = waiting.shift(); subject; subject = waiting.shift()) {
        try {
          await screen(subject);
        } catch (err) {
          // The other subjects are screened nevertheless. The caller finds no fresh verdict on this one.
          this.log.error({ msg: 'screening: a subject could not be screened', subject, err });
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, screenNext));
  }

  /**
   * Concurrent calls for one subject share one request: in this process by the map, across processes and with the job by the lease. The
   * job does not use the map: its attempt skips a question that was postponed, which these calls have to ask nevertheless.
   */
  private screenOnce(subject: Subject): Promise<void> {
    const running =
      this.running.get(subject) ?? this.screenSubject(subject).finally(() => this.running.delete(subject));
    this.running.set(subject, running);
    return running;
  }

  private async screenSubject(subject: Subject): Promise<void> {
    const question = await this.questions.claimQuestion(subject);
    await (question ? this.ask(question) : this.waitForOtherClaim(subject));
  }

  private async ask(question: ClaimedQuestion | undefined): Promise<void> {
    if (!question) return;
    const { subject } = question;
    const answer = await this.askProvider(question);
    if (!answer) return;
    await this.questions.storeVerdict(question, answer);
    if (answer.verdict === 'blocked')
      this.log.error({ msg: 'screening: a subject is blocked', subject, reference: answer.reference });
  }

  /** The provider's answer. If the provider does not answer, postpones the question and returns undefined. */
  private async askProvider(question: ClaimedQuestion): Promise<ScreeningAnswer | undefined> {
    let answer: ScreeningAnswer;
    try {
      answer = await this.provider.screen(newId(), toScreenedSubject(question));
    } catch (error) {
      await this.markUnavailable(error);
      await this.questions.postponeQuestion(question);
      return undefined;
    }
    await this.markAvailable();
    return answer;
  }

  /** Returns when the claim of the question has ended, so that the verdict can be read, or after 2.5 seconds. */
  private async waitForOtherClaim(subject: Subject): Promise<void> {
    for (let waitedMs = 0; waitedMs < WAIT_FOR_OTHER_CLAIM_MS; waitedMs += WAIT_INTERVAL_MS) {
      if (!(await this.repository.isClaimed(subject))) return;
      await sleep(WAIT_INTERVAL_MS);
    }
  }

  private async markUnavailable(error: unknown): Promise<void> {
    this.log.warn({ msg: 'the screening provider has given no valid answer', err: error });
    if (!this.updateReported(false)) return;
    await this.alerts.raise({
      kind: 'screening-away',
      subject: ALERT_SUBJECT,
      message: 'The screening provider does not answer: withdrawals without a fresh verdict wait.',
      nextStep: 'Read the cause in the log. The service repeats its questions until the provider answers.',
    });
  }

  private async markAvailable(): Promise<void> {
    if (!this.updateReported(true)) return;
    await this.alerts.resolveBySystem('screening-away', ALERT_SUBJECT.id);
  }

  /**
   * Returns true if the state has to be reported, and stores it as reported. A changed state is reported at once, the same state once a
   * minute, because another process may have reported the opposite.
   */
  private updateReported(isAvailable: boolean): boolean {
    const atMs = performance.now();
    if (this.reported?.isAvailable === isAvailable && atMs - this.reported.atMs < REPORT_INTERVAL_MS)
      return false;
    this.reported = { isAvailable, atMs };
    return true;
  }
}

function toScreenedSubject({ subject, email, name }: ClaimedQuestion): ScreenedSubject {
  const id = userIdOf(subject);
  if (id !== null) return { type: 'user', id, email: email ?? '', ...(name === null ? {} : { name }) };
  const address = subject.slice('address:'.length);
  return { type: 'address', id: address, address, network: NETWORK };
}
