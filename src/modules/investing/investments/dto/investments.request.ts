import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  FilterInput,
  ListFormatInput,
  MoneyInput,
  TextLength,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import {
  ADMIN_STATUSES,
  SHOWN_STATUSES,
  type AdminStatus,
  type ShownStatus,
} from '../domain/investment.state-machine.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import {
  CreatedAfterInput,
  CreatedBeforeInput,
  OrderByInput,
  SortByInput,
  UserIdInput,
} from '../../../../http/request/list-inputs.js';

const UUID_V4 = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/;
const ID_LENGTH = 100;

export class CreateInvestmentRequest {
  @ApiProperty({ description: 'id of the strategy', example: 'balanced-10' })
  @TextLength(1, ID_LENGTH)
  strategyId!: string;

  @MoneyInput({
    code: 'INVALID_AMOUNT',
    description: 'USDC, from minInvestment to maxInvestment of the strategy',
  })
  amount!: string;

  @ApiProperty({ description: 'USDC when absent' })
  @IsOptional()
  @IsIn(['USDC'])
  currency?: string;

  @ApiProperty({ description: 'a second use is rejected with DUPLICATE_INVESTMENT' })
  @IsOptional()
  @Matches(UUID_V4, { message: 'must be a UUID v4' })
  idempotencyKey?: string;
}

export class MoveInvestmentRequest {
  @ApiProperty({ example: 'aggressive-20', description: 'another strategy than the present one' })
  @TextLength(1, ID_LENGTH)
  strategyId!: string;
}

export class ClosingQuoteQuery {
  @MoneyInput({
    optional: true,
    code: 'INVALID_AMOUNT',
    description:
      'value of the part to close, above zero and at most the price; the whole investment when absent',
  })
  amount?: string;
}

const StrategyFilter = () =>
  applyDecorators(
    ApiProperty({ description: 'only in this strategy', example: 'balanced-10' }),
    IsOptional(),
    TextLength(1, ID_LENGTH),
  );

const INVESTMENT_ORDERS = ['createdAt', 'amount', 'currentValue'] as const;
const InvestmentOrder = () =>
  SortByInput(
    INVESTMENT_ORDERS,
    'currentValue changes at midnight UTC: pages of a cursor from the day before can repeat or leave out investments',
  );

export class InvestmentsQuery extends PageQuery {
  override limit = 20;

  @FilterInput(SHOWN_STATUSES, { description: 'all when absent' })
  status?: ShownStatus;

  @StrategyFilter()
  strategyId?: string;

  @InvestmentOrder()
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';
}

export class AdminInvestmentsQuery extends PageQuery {
  @FilterInput(ADMIN_STATUSES, {
    description: 'active: also while the strategy is suspended; completed: closed by user or admin, or moved',
  })
  status?: AdminStatus;

  @StrategyFilter()
  strategyId?: string;

  @UserIdInput()
  userId?: string;

  @OtherNameOf('userId')
  @UserIdInput()
  user_id?: string;

  @MoneyInput({ optional: true, description: 'least principal' })
  minAmount?: string;

  @CreatedAfterInput()
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;

  @InvestmentOrder()
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @ListFormatInput()
  format: ListFormat = 'json';
}

export class RejectInvestmentRequest {
  @ApiProperty({ description: 'part of the notification to the user' })
  @TextLength(1, 500)
  reason!: string;
}

export class CloseInvestmentRequest {
  // Null is rejected, so that a client that lost the amount does not close the whole investment.
  @MoneyInput({
    optional: 'never-null',
    code: 'INVALID_AMOUNT',
    description: 'how much of the price to redeem, before fees; the whole price when absent',
  })
  amount?: string;
}
