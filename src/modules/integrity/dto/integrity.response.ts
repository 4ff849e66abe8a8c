import {
  Choice,
  Count,
  DayText,
  Flag,
  Instant,
  ListOf,
  Nested,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import type { WithdrawalPause } from '../../withdrawals/withdrawal-pauses.service.js';
import type { Finding, Verdict } from '../examination.js';
import type { BrokenLaw, Run } from '../integrity-runs.js';
import type { Checked, Resumed } from '../integrity.service.js';
import type { Break, Severity } from '../law.js';

const VERDICTS: Verdict[] = ['holds', 'warning', 'broken'];
const SEVERITIES: Severity[] = ['owed', 'warning'];

const VerdictField = () =>
  Choice(VERDICTS, {
    description:
      'holds: every law does; warning: only laws of that severity are broken; broken: one of severity owed is',
  });
const SeverityField = () =>
  Choice(SEVERITIES, {
    description:
      'owed: what users are owed may be wrong, withdrawals are paused; warning: somebody should look',
  });
const BreakCount = () => Count({ description: 'all breaks there are' });
const Amount = (description: string) => Text({ description, example: '12.5' });

export class IntegrityBreakResponse {
  @Text({ example: 'user.available USDC of account 12', description: 'account, entry or strategy' })
  subject!: string;
  @Uuid({ nullable: true, description: 'whose it is; null where it is no user’s' })
  userId!: string | null;
  @Amount('what the law asks for, with all its decimals')
  expected!: string;
  @Amount('what there is')
  actual!: string;
  @Amount('actual less expected')
  difference!: string;
}

export class IntegrityLawResponse {
  @Text({ example: 'trial-balance' })
  name!: string;
  @Text({ description: 'the law in a sentence' })
  description!: string;
  @SeverityField()
  severity!: Severity;
  @Choice(['holds', 'broken'])
  status!: 'holds' | 'broken';
  @ListOf(() => IntegrityBreakResponse, { description: 'the first hundred' })
  breaks!: IntegrityBreakResponse[];
  @BreakCount()
  breakCount!: number;
}

export class WithdrawalPauseResponse {
  @Uuid()
  id!: string;
  @Instant()
  since!: string;
  @Text({ description: 'e-mail address of an admin, or system', example: 'system' })
  pausedBy!: string;
  @Text({ example: 'Broken: balances (1).' })
  reason!: string;
}

export class IntegrityResponse {
  @Instant({ description: 'when the database was looked at' })
  checkedAt!: string;
  @Count({ description: 'milliseconds that it took' })
  durationMs!: number;
  @Count({ description: 'entries of the ledger, all of them were looked at' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListOf(() => IntegrityLawResponse)
  laws!: IntegrityLawResponse[];
  @Nested(() => WithdrawalPauseResponse, { nullable: true, description: 'null while withdrawals are open' })
  pause!: WithdrawalPauseResponse | null;
}

export class BrokenLawResponse {
  @Text({ example: 'trial-balance' })
  name!: string;
  @SeverityField()
  severity!: Severity;
  @BreakCount()
  breakCount!: number;
}

export class IntegrityRunResponse {
  @Uuid()
  id!: string;
  @Instant()
  checkedAt!: string;
  @Count({ description: 'milliseconds that it took' })
  durationMs!: number;
  @Count({ description: 'entries of the ledger at that time' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListOf(() => BrokenLawResponse, { description: 'empty when all laws held' })
  broken!: BrokenLawResponse[];
  @Flag({ description: 'this run has paused withdrawals' })
  paused!: boolean;
  @DayText({
    nullable: true,
    description: 'the day whose nightly check it was; null of what admins asked for',
  })
  night!: string | null;
  @Text({ nullable: true, description: 'the admin who resumed withdrawals knowing what it found' })
  acknowledgedBy!: string | null;
}

export class ResumedWithdrawalsResponse {
  @Nested(() => WithdrawalPauseResponse, { description: 'the pause that has ended' })
  ended!: WithdrawalPauseResponse;
  @ListOf(() => BrokenLawResponse, {
    description:
      'what is broken all the same: it is acknowledged, and only what comes on top pauses withdrawals again',
  })
  stillBroken!: BrokenLawResponse[];
}

export function toIntegrityResponse(checked: Checked, pause: WithdrawalPause | null): IntegrityResponse {
  return {
    checkedAt: checked.checkedAt.toISOString(),
    durationMs: checked.durationMs,
    entries: checked.entries,
    status: checked.verdict,
    laws: checked.findings.map(toLawResponse),
    pause: pause && toWithdrawalPauseResponse(pause),
  };
}

export function toIntegrityRunResponse(run: Run): IntegrityRunResponse {
  return {
    id: run.id,
    checkedAt: run.checkedAt.toISOString(),
    durationMs: run.durationMs,
    entries: run.entries,
    status: run.verdict,
    broken: run.broken.map(toBrokenLawResponse),
    paused: run.paused,
    night: run.night,
    acknowledgedBy: run.acknowledgedBy,
  };
}

export function toWithdrawalPauseResponse({
  id,
  since,
  pausedBy,
  reason,
}: WithdrawalPause): WithdrawalPauseResponse {
  return { id, since: since.toISOString(), pausedBy, reason };
}

export function toResumedWithdrawalsResponse({ ended, stillBroken }: Resumed): ResumedWithdrawalsResponse {
  return { ended: toWithdrawalPauseResponse(ended), stillBroken: stillBroken.map(toBrokenLawResponse) };
}

function toLawResponse({ law, breaks, breakCount }: Finding): IntegrityLawResponse {
  return {
    name: law.name,
    description: law.description,
    severity: law.severity,
    status: breakCount > 0 ? 'broken' : 'holds',
    breaks: breaks.map(toBreakResponse),
    breakCount,
  };
}

function toBreakResponse({ subject, userId, expected, actual, difference }: Break): IntegrityBreakResponse {
  return { subject, userId, expected, actual, difference };
}

function toBrokenLawResponse({ name, severity, breakCount }: BrokenLaw): BrokenLawResponse {
  return { name, severity, breakCount };
}
