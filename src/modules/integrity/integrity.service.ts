import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { SerialQueue } from '../../common/serial-queue.js';
import { SYSTEM } from '../audit/audit.service.js';
import { WithdrawalPausesService, type WithdrawalPause } from '../withdrawals/withdrawal-pauses.service.js';
import { Examination, type Findings } from './examination.js';
import { brokenLaws, IntegrityRuns, type BrokenLaw, type Run } from './integrity-runs.js';

export interface Checked extends Findings {
  readonly runId: string;
}

export interface Resumed {
  readonly ended: WithdrawalPause;
  /** What was broken all the same, and does not pause withdrawals again. */
  readonly stillBroken: readonly BrokenLaw[];
}

/** Checks that all money is where it should be, and stops withdrawals when it is not. */
@Injectable()
export class IntegrityService {
  private readonly log = new Logger('Integrity');
  private readonly checks = new SerialQueue(async () => {
    this.latest = await this.checkAlone();
  });
  private latest: Checked | undefined;

  constructor(
    private readonly examination: Examination,
    private readonly runs: IntegrityRuns,
    private readonly pauses: WithdrawalPausesService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * One check at a time in a process: whoever asks while it runs shares the next one. Whoever asked, it is kept, and
   * a break that is news pauses withdrawals.
   */
  async check(): Promise<Checked> {
    await this.checks.enqueue();
    return this.latest as Checked;
  }

  /** Throws INVALID_STATE while withdrawals are paused. */
  async pause(reason: string, admin: AdminPrincipal): Promise<WithdrawalPause> {
    return this.unitOfWork.runInTransaction((tx) => this.pauses.pause(tx, admin, reason));
  }

  /**
   * Looks once more, then lets withdrawals go on, whatever was found: the admin's reason answers for it, and only
   * what comes on top pauses them again. Throws INVALID_STATE while they are not paused.
   */
  async resume(reason: string, admin: AdminPrincipal): Promise<Resumed> {
    await this.pauses.requirePaused(); // or what the check is about to find would be waved through unseen
    const { runId, findings } = await this.check();
    const stillBroken = brokenLaws(findings);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const ended = await this.pauses.resume(tx, admin, reason, stillBroken.map(inWords));
      await this.runs.acknowledge(tx, runId, admin.email);
      return { ended, stillBroken };
    });
  }

  private async checkAlone(): Promise<Checked> {
    const found = await this.examination.examine();
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const isPaused = (await this.pauses.lock(tx)) !== null;
      const news = await this.news(tx, brokenLaws(found.findings));
      const pausing = news.length > 0 && !isPaused;
      if (pausing) await this.pauses.pause(tx, SYSTEM, `Broken: ${news.map(inWords).join(', ')}.`);
      const runId = await this.runs.add(tx, found, pausing);
      if (news.length > 0) this.log.error({ msg: 'the ledger breaks its laws', laws: news.map(inWords) });
      return { ...found, runId };
    });
  }

  /** Broken laws about money owed, but those whose breaks an admin knows and that have been there since. */
  private async news(tx: Tx, broken: BrokenLaw[]): Promise<BrokenLaw[]> {
    const seen = [await this.runs.acknowledged(tx), await this.runs.newest(tx)];
    return broken.filter((law) => law.severity === 'owed' && !seen.every((run) => knows(run, law)));
  }
}

const inWords = ({ name, breakCount }: BrokenLaw) => `${name} (${breakCount})`;

/** All breaks of the law, with the same amounts. */
function knows(run: Run | null, law: BrokenLaw): boolean {
  const then = run?.broken.find(({ name }) => name === law.name);
  if (!then || then.breakCount < law.breakCount) return false;
  const known = new Set(then.breaks.map(({ subject, difference }) => `${subject} ${difference}`));
  return law.breaks.every(({ subject, difference }) => known.has(`${subject} ${difference}`));
}
