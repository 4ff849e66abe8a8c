import {
  EnumField,
  IntegerField,
  DayField,
  BooleanField,
  InstantField,
  ListField,
  NestedField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import type { Severity, Verdict } from '../domain/invariant.js';

const VERDICTS: Verdict[] = ['holds', 'warning', 'broken'];
const SEVERITIES: Severity[] = ['owed', 'warning'];

const VerdictField = () =>
  EnumField(VERDICTS, {
    description:
      'holds: no violation; warning: violations of severity warning only; broken: at least one of severity owed',
  });
const SeverityField = () =>
  EnumField(SEVERITIES, {
    description:
      'owed: money owed to users may be wrong, which pauses withdrawals; warning: other figures differ',
  });
const BreakCount = () => IntegerField({ description: 'number of all violations' });
const Amount = (description: string) => StringField({ description, example: '12.5' });

export class ViolationResponse {
  @StringField({
    example: 'user.available USDC of account 12',
    description: 'the account, entry, strategy or part of the log that violates the invariant',
  })
  subject!: string;
  @UuidField({ nullable: true, description: 'the user concerned; null if there is no single one' })
  userId!: string | null;
  @Amount('the amount that the invariant requires, with all its decimals')
  expected!: string;
  @Amount('the amount found')
  actual!: string;
  @Amount('actual − expected')
  difference!: string;
}

export class InvariantResponse {
  @StringField({ example: 'trial-balance' })
  name!: string;
  @StringField({ description: 'the invariant in a sentence' })
  description!: string;
  @SeverityField()
  severity!: Severity;
  @EnumField(['holds', 'broken'])
  status!: 'holds' | 'broken';
  @ListField(() => ViolationResponse, { description: 'the first hundred violations' })
  breaks!: ViolationResponse[];
  @BreakCount()
  breakCount!: number;
}

export class WithdrawalPauseResponse {
  @UuidField()
  id!: string;
  @InstantField()
  since!: string;
  @StringField({ description: 'e-mail address of an admin, or system', example: 'system' })
  pausedBy!: string;
  @StringField({ example: 'Broken: balances (1).' })
  reason!: string;
}

export class IntegrityResponse {
  @InstantField({ description: 'time of the snapshot' })
  checkedAt!: string;
  @IntegerField({ description: 'duration in milliseconds' })
  durationMs!: number;
  @IntegerField({ description: 'entries of the ledger, all of which were checked' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListField(() => InvariantResponse)
  laws!: InvariantResponse[];
  @NestedField(() => WithdrawalPauseResponse, {
    nullable: true,
    description: 'null while withdrawals are open',
  })
  pause!: WithdrawalPauseResponse | null;
}

export class ViolatedInvariantResponse {
  @StringField({ example: 'trial-balance' })
  name!: string;
  @SeverityField()
  severity!: Severity;
  @BreakCount()
  breakCount!: number;
}

export class IntegrityRunResponse {
  @UuidField()
  id!: string;
  @InstantField()
  checkedAt!: string;
  @IntegerField({ description: 'duration in milliseconds' })
  durationMs!: number;
  @IntegerField({ description: 'entries of the ledger at that time' })
  entries!: number;
  @VerdictField()
  status!: Verdict;
  @ListField(() => ViolatedInvariantResponse, { description: 'violated invariants' })
  broken!: ViolatedInvariantResponse[];
  @BooleanField({ description: 'true if this run paused withdrawals' })
  paused!: boolean;
  @DayField({
    nullable: true,
    description: 'the day of which this was the nightly check; null for checks that admins requested',
  })
  night!: string | null;
  @StringField({
    nullable: true,
    description: 'e-mail address of the admin who resumed withdrawals after this run; null for other runs',
  })
  acknowledgedBy!: string | null;
}

export class ResumedWithdrawalsResponse {
  @NestedField(() => WithdrawalPauseResponse, { description: 'the pause that has ended' })
  ended!: WithdrawalPauseResponse;
  @ListField(() => ViolatedInvariantResponse, {
    description:
      'violations that remain; they are acknowledged, and only other violations pause withdrawals again',
  })
  stillBroken!: ViolatedInvariantResponse[];
}
