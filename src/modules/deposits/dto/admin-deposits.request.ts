import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  PageLimit,
  PageNumber,
  UUID_VERSIONS,
  type ListFormat,
} from '../../../http/request/input.decorators.js';
import { DEPOSIT_STATUSES, type DepositStatus } from '../domain/deposit.state-machine.js';
import { DEPOSIT_CURRENCIES, NETWORKS, type DepositCurrency, type Network } from '../domain/networks.js';
import { HOLD_REASONS, type HoldReason } from '../entities/deposit.entity.js';
import { DEPOSIT_SORTS, type DepositSort } from './deposits.request.js';

export class AdminDepositsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @FilterInput(DEPOSIT_CURRENCIES)
  currency?: DepositCurrency;

  @FilterInput(NETWORKS)
  network?: Network;

  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @ApiProperty({ description: 'another name of userId' })
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  user_id?: string;

  @FilterInput(HOLD_REASONS)
  holdReason?: HoldReason;

  @DateInput({
    optional: true,
    description: 'first reported at this instant or later; a date without a time means midnight UTC',
  })
  createdAfter?: string;

  @DateInput({
    optional: true,
    description: 'first reported before this instant; a date without a time means midnight UTC',
  })
  createdBefore?: string;

  @IsOptional()
  @IsIn(DEPOSIT_SORTS)
  sortBy: DepositSort = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';

  @ListFormatInput()
  format: ListFormat = 'json';
}
