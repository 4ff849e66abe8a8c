import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import {
  DateInput,
  FilterInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  WalletAddressInput,
  refusedAs,
} from '../../../http/request/input.decorators.js';
import { DEPOSIT_STATUSES, type DepositStatus } from '../domain/deposit.state-machine.js';
import { DEPOSIT_CURRENCIES, type DepositCurrency } from '../domain/networks.js';

const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class DepositAddressQuery {
  @ApiProperty({ description: 'USDT or USDC' })
  @IsOptional()
  @TextLength(0, 500)
  currency = 'USDT';

  @ApiProperty({ description: 'TRC20, ERC20 or BEP20' })
  @IsOptional()
  @TextLength(0, 500)
  network = 'TRC20';
}

export const DEPOSIT_SORTS = ['createdAt', 'amount', 'confirmations'] as const;
export type DepositSort = (typeof DEPOSIT_SORTS)[number];

export class DepositListQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

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
