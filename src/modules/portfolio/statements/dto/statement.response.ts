import {
  EnumField,
  DayField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { IN_LANGUAGE } from '../../transactions/dto/transaction.response.js';

export class StatementBalanceResponse {
  @MoneyField({ description: 'available + invested' }) total!: string;
  @MoneyField({ description: 'USDC that can be withdrawn or invested, without reserved amounts' })
  available!: string;
  @MoneyField({ description: 'principal of open investments' }) invested!: string;
  @MoneyField({ description: 'held for withdrawals in progress' }) reserved!: string;
  @MoneyField({ description: 'unrealised growth of open investments' }) accruedEarnings!: string;
}

export class MovementResponse {
  @InstantField() date!: string;
  @StringField({
    description:
      'a withdrawal has two movements: withdrawal-requested (available → reserved), then withdrawal-paid or withdrawal-returned (reserved → available); other movements have the type of the ledger posting',
    example: 'deposit',
  })
  type!: string;
  @StringField({ example: 'deposit' }) referenceType!: string;
  @StringField({
    description:
      'id of the deposit, investment or withdrawal; of a partial closing followed by a colon and its number',
  })
  referenceId!: string;
  @StringField({ description: IN_LANGUAGE }) description!: string;
  @MoneyField({
    description:
      'change of the available balance; 0.00 for withdrawal-paid, which is paid from the reserved balance, unless it was booked by hand',
  })
  amount!: string;
  @MoneyField({ description: 'available balance after the movement' }) balance!: string;
  @MoneyField({ description: 'change of the reserved balance; 0.00 for other movements than of withdrawals' })
  reservedAmount!: string;
  @MoneyField({ description: 'reserved balance after the movement' }) reservedBalance!: string;
  @StringField({
    nullable: true,
    description: 'transaction of withdrawal-paid on chain; null for other types',
  })
  txHash!: string | null;
  @StringField({
    nullable: true,
    description:
      'destination of withdrawal-paid; null for other types and for a payment that was booked by hand',
  })
  toAddress!: string | null;
}

export class DailyGrowthResponse {
  @DayField() date!: string;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({
    description:
      'growth that the investments in the strategy earned on the day; a loss is negative. accruedEarnings includes it from the following midnight on',
  })
  growth!: string;
}

export class StatementResponse {
  @EnumField(['USDC']) currency!: string;
  @DayField() from!: string;
  @DayField() to!: string;
  @NestedField(() => StatementBalanceResponse, { description: 'before the first day' })
  opening!: StatementBalanceResponse;
  @NestedField(() => StatementBalanceResponse, {
    description: 'at the end of the last day; now, if that is today',
  })
  closing!: StatementBalanceResponse;
  @ListField(() => MovementResponse, {
    description:
      'of the available and the reserved balance, the oldest first: opening.available + all amounts = closing.available, and opening.reserved + all reservedAmounts = closing.reserved',
  })
  movements!: MovementResponse[];
  @ListField(() => DailyGrowthResponse, {
    description:
      'the days on which investments earned; today is not among them. Their sum is the same in the history of the balance, the charts and the digests',
  })
  growth!: DailyGrowthResponse[];
}
