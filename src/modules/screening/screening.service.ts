import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { ScreeningProvider, userIdOf, type ScreenedSubject, type Subject } from './screening-provider.js';
import { ScreeningRecords, type Claim, type StoredVerdict } from './screening-records.js';

/** Of a withdrawal's address: withdrawals are paid as ERC20 tokens. */
const NETWORK = 'ERC20';
/** The subject of the alert while the provider is away. */
const PROVIDER = { type: 'service', id: 'screening-provider' };
const MOST_AT_ONCE = 10;
const RETRY_AFTER_SECONDS = 5;
const WAIT_FOR_ANOTHER_MS = 2500; // the time-out of a question, and the storing of its answer
const LOOK_EVERY_MS = 100;

type Claiming = (subject: Subject) => Promise<Claim | undefined>;

/** Asks the provider about subjects, one question per subject at a time, and reads what it answered. */
@Injectable()
export class ScreeningService {
  private readonly log = new Logger('Screening');
  private readonly asked = new Map<Subject, Promise<void>>();
  /** Undefined until the provider was asked for the first time. */
  private isAway: boolean | undefined;

  constructor(
    private readonly provider: ScreeningProvider,
    private readonly records: ScreeningRecords,
    private readonly config: AppConfig,
    private readonly alerts: AlertsService,
  ) {}

  /** Whether a provider is configured. Without one nothing is asked and nothing is refused. */
  get isConfigured(): boolean {
    return this.config.SCREENING_URL !== undefined;
  }

  /** The newest verdicts, by subject. Inside a transaction as that transaction sees them. */
  newest(
    subjects: readonly Subject[],
    options: { manager?: EntityManager; withdrawalId?: string | null } = {},
  ): Promise<Map<Subject, StoredVerdict>> {
    return this.records.newest(subjects, options);
  }

  /** Has a subject screened in the background, unless its verdict is fresh. */
  async requestScreening(tx: Tx, subject: Subject): Promise<void> {
    await this.records.insertQuestion(tx, subject);
  }

  /**
   * Asks about each subject without a fresh verdict, at most ten at once; never called in a transaction. A failed
   * question leaves its subject without a fresh verdict: the caller reads the verdicts again.
   */
  askAll(subjects: readonly Subject[]): Promise<void> {
    return this.askEach(subjects, (subject) => this.records.claim(subject));
  }

  private async askEach(subjects: readonly Subject[], claim: Claiming): Promise<void> {
    const waiting = [...new Set(subjects)];
    const askNext = async (): Promise<void> => {
      for (let subject = waiting.shift(); subject; subject = waiting.shift()) {
        await this.ask(subject, claim).catch(() => undefined); // logged where it failed
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, askNext));
  }

  @Job({
    name: 'screening',
    purpose: 'Asks the screening provider about new users and the addresses of new withdrawals',
    everySeconds: 1,
  })
  async askDue(stopping: AbortSignal): Promise<void> {
    if (!this.isConfigured) return;
    let subjects: readonly Subject[];
    do {
      subjects = await this.records.due(MOST_AT_ONCE);
      await this.askEach(subjects, (subject) => this.records.claimDue(subject));
    } while (subjects.length === MOST_AT_ONCE && !this.isAway && !stopping.aborted);
  }

  /** Asks one question per subject at a time, across processes by a lease. A second caller waits for the first's answer. */
  private ask(subject: Subject, claim: Claiming): Promise<void> {
    const asked =
      this.asked.get(subject) ?? this.askAlone(subject, claim).finally(() => this.asked.delete(subject));
    this.asked.set(subject, asked);
    return asked;
  }

  private async askAlone(subject: Subject, claiming: Claiming): Promise<void> {
    const claim = await claiming(subject);
    if (!claim) return this.untilAnswered(subject);
    const answer = await this.provider
      .screen(newId(), screenedSubject(claim))
      .catch(async (error: unknown) => {
        await this.becameUnavailable(error);
        await this.records.postpone(claim);
        throw error;
      });
    await this.becameAvailable();
    await this.records.storeVerdict(claim, answer);
    if (answer.verdict === 'blocked')
      this.log.error({ msg: 'screening: a subject is blocked', subject, reference: answer.reference });
  }

  private async untilAnswered(subject: Subject): Promise<void> {
    for (let waited = 0; waited < WAIT_FOR_ANOTHER_MS; waited += LOOK_EVERY_MS) {
      if (!(await this.records.isBeingAsked(subject))) return;
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async becameUnavailable(error: unknown): Promise<void> {
    this.log.warn({ msg: 'the screening provider has not answered a question', err: error });
    if (this.isAway) return;
    this.isAway = true;
    await this.alerts.raise({
      kind: 'screening-away',
      subject: PROVIDER,
      message: 'The screening provider is away: withdrawals without a fresh verdict wait.',
      nextStep: 'Look at the log for the cause. The questions are asked again until the provider answers.',
    });
  }

  private async becameAvailable(): Promise<void> {
    if (this.isAway === false) return;
    this.isAway = false;
    await this.alerts.settle('screening-away', PROVIDER.id);
  }
}

/** 503 with Retry-After: nothing passes without a verdict. */
export function screeningUnavailable(): never {
  fail('SERVICE_UNAVAILABLE', undefined, {
    message: 'The screening provider has not answered for this withdrawal yet. Try again shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function screenedSubject({ subject, email, name }: Claim): ScreenedSubject {
  const id = userIdOf(subject);
  if (id !== null) return { type: 'user', id, email: email ?? '', ...(name === null ? {} : { name }) };
  const address = subject.slice('address:'.length);
  return { type: 'address', id: address, address, network: NETWORK };
}
