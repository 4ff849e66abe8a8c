import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  FilterInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
} from '../../../http/request/input.decorators.js';
import { SHOWN_STATUSES, type ShownStatus } from '../domain/investment.state-machine.js';

const UUID_V4 = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/;
const ID_LENGTH = 100;

export class CreateInvestmentRequest {
  @ApiProperty({ example: 'balanced-10' })
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

export const INVESTMENT_ORDERS = ['createdAt', 'amount', 'currentValue'] as const;

export class InvestmentsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @FilterInput(SHOWN_STATUSES, { description: 'all when absent' })
  status?: ShownStatus;

  @IsOptional()
  @TextLength(1, ID_LENGTH)
  strategyId?: string;

  @IsOptional()
  @IsIn(INVESTMENT_ORDERS)
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';
}
