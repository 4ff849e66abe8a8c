import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  UUID_VERSIONS,
  type ListFormat,
} from '../../../http/request/input.decorators.js';
import { ADMIN_STATUSES, type AdminStatus } from '../domain/investment.state-machine.js';
import { INVESTMENT_ORDERS } from './investments.request.js';

const ID_LENGTH = 100;

export class AdminInvestmentsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(ADMIN_STATUSES, {
    description: 'active: also while the strategy is suspended; completed: closed by user or admin',
  })
  status?: AdminStatus;

  @ApiProperty({ example: 'balanced-10' })
  @IsOptional()
  @TextLength(1, ID_LENGTH)
  strategyId?: string;

  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @ApiProperty({ description: 'another name of userId' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  user_id?: string;

  @MoneyInput({ optional: true, description: 'least principal' })
  minAmount?: string;

  @DateInput({
    optional: true,
    description: 'created at this instant or later; a date alone is its first instant',
  })
  createdAfter?: string;

  @IsOptional()
  @IsIn(INVESTMENT_ORDERS)
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
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
    description: 'how much of the current value to redeem, before fees; the whole value when absent',
  })
  amount?: string;
}
