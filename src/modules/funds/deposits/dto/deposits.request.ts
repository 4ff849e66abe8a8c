import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID, Matches } from 'class-validator';
import {
  DateInput,
  FilterInput,
  ListFormatInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  refusedAs,
  TextLength,
  UUID_VERSIONS,
  WalletAddressInput,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { DEPOSIT_STATUSES, type DepositStatus } from '../domain/deposit.state-machine.js';
import {
  ADDRESS_CURRENCIES,
  DEPOSIT_CURRENCIES,
  NETWORKS,
  type DepositCurrency,
  type Network,
} from '../domain/networks.js';
import { HOLD_REASONS, type HoldReason } from '../entities/deposit.entity.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/creation-input.js';
import { CursorInput } from '../../../../http/request/cursor-input.js';
import type { PageCursor } from '../../../../lists/list-page.js';

const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class DepositAddressQuery {
  @ApiProperty({ enum: ADDRESS_CURRENCIES })
  @IsOptional()
  @TextLength(0, 500)
  currency = 'USDT';

  @ApiProperty({ enum: NETWORKS })
  @IsOptional()
  @TextLength(0, 500)
  network = 'TRC20';
}

const DEPOSIT_SORTS = ['createdAt', 'amount', 'confirmations'] as const;
export type DepositSort = (typeof DEPOSIT_SORTS)[number];

export class DepositListQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @CursorInput()
  cursor: PageCursor | undefined;

  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @IsOptional()
  @IsIn(DEPOSIT_CURRENCIES)
  currency?: DepositCurrency;

  @IsOptional()
  @IsIn(DEPOSIT_SORTS)
  sortBy: DepositSort = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({ optional: true })
  startDate?: string;

  @DateInput({ optional: true })
  endDate?: string;
}

export class DepositClaimRequest {
  @ApiProperty({ example: `0x${'ab'.repeat(32)}` })
  @Matches(TX_HASH, refusedAs('INVALID_TX_HASH', 'must be 0x and 64 hex digits'))
  txHash!: string;

  @MoneyInput({ code: 'INVALID_AMOUNT' })
  amount!: string;

  @IsIn(['USDC', 'ETH'])
  currency!: 'USDC' | 'ETH';

  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS' })
  fromAddress!: string;
}

export class AdminDepositsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @CursorInput()
  cursor: PageCursor | undefined;

  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @FilterInput(DEPOSIT_CURRENCIES)
  currency?: DepositCurrency;

  @FilterInput(NETWORKS)
  network?: Network;

  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  userId?: string;

  @OtherNameOf('userId')
  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  user_id?: string;

  @FilterInput(HOLD_REASONS)
  holdReason?: HoldReason;

  @CreatedAfterInput('first reported')
  createdAfter?: string;

  @CreatedBeforeInput('first reported')
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
