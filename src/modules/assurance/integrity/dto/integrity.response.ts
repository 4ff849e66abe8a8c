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
} from '../../../../http/openapi/fields.js';
import type { Severity, Verdict } from '../domain/invariant.js';

const VERDICTS: Verdict[] = ['holds', 'warning', 'broken'];
const SEVERITIES: Severity[] = ['owed', 'warning'];

const VerdictField = () =>
  Choice(VERDICTS, {
    description:
      'holds: no violation; warning: violations of severity warning only; broken: at least one of severity owed',
  });
const SeverityField = () =>
  Choice(SEVERITIES, {
    description:
      'owed: money owed to users may be wrong, which pauses withdrawals; warning: other figures differ',
  });
const BreakCount = () => Count({ description: 'number of all violations' });
const Amount = (description: string) => Text({ description, example: '12.5' });

export class ViolationResponse {
  @Text({
    example: 'user.available USDC of account 12',
    description: 'the account, entry, strategy or part of the log that violates the invariant',
  })
  subject!: string;
  @Uuid({ nullable: true, description: 'the user concerned; null if there is no single one' })
  userId!: string | null;
  @Amount('the amount that the invariant requires, with all its decimals')
  expected!: string;
  @Amount('the amount found')
  actual!: string;
  @Amount('actual − expected')
  difference!: string;
}

export class InvariantResponse {
  @Text({ example: 'trial-balance' })
  name!: string;
  @Text({ description: 'the invariant in a sentence' })
  description!: string;
  @SeverityField()
  severity!: Severity;
  @Choice(['holds', 'broken'])
  status!: 'holds' | 'broken';
  @ListOf(() => ViolationResponse, { description: 'the first hundred violations' })
  breaks!: ViolationResponse[];
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
  @Instant({ description: 'time of the snapshot' })
  checkedAt!: string;
  @Count({ description: 'duration in milliseconds' })
  durationMs!: number;
  @Count({ description: 'entries of the ledger, all of which were checked' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListOf(() => InvariantResponse)
  laws!: InvariantResponse[];
  @Nested(() => WithdrawalPauseResponse, { nullable: true, description: 'null while withdrawals are open' })
  pause!: WithdrawalPauseResponse | null;
}

export class ViolatedInvariantResponse {
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
  @Count({ description: 'duration in milliseconds' })
  durationMs!: number;
  @Count({ description: 'entries of the ledger at that time' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListOf(() => ViolatedInvariantResponse, { description: 'violated invariants' })
  broken!: ViolatedInvariantResponse[];
  @Flag({ description: 'true if this run paused withdrawals' })
  paused!: boolean;
  @DayText({
    nullable: true,
    description: 'the day of which this was the nightly check; null for checks that admins requested',
  })
  night!: string | null;
  @Text({
    nullable: true,
    description: 'e-mail address of the admin who resumed withdrawals after this run; null for other runs',
  })
  acknowledgedBy!: string | null;
}

export class ResumedWithdrawalsResponse {
  @Nested(() => WithdrawalPauseResponse, { description: 'the pause that has ended' })
  ended!: WithdrawalPauseResponse;
  @ListOf(() => ViolatedInvariantResponse, {
    description:
      'violations that remain; they are acknowledged, and only other violations pause withdrawals again',
  })
  stillBroken!: ViolatedInvariantResponse[];
}
