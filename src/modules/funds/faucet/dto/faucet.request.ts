import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  MoneyInput,
  PageLimit,
  TextLength,
  WalletAddressInput,
} from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';

export class RequestPayoutRequest {
  @WalletAddressInput({
    code: 'INVALID_WALLET_ADDRESS',
    description: 'the recipient; letter case is ignored',
  })
  walletAddress!: string;

  @MoneyInput({
    optional: true,
    code: 'INVALID_AMOUNT',
    description: 'in USDC, from 100.00 to 10000.00; 1000.00 by default',
    example: '1000.00',
  })
  amount?: string | null;

  @ApiProperty({ description: 'purpose, shown in the history' })
  @IsOptional()
  @TextLength(1, 200)
  reason?: string | null;
}

export class FaucetHistoryQuery extends PageQuery {
  @PageLimit() // only a class with a decorator has its default documented
  override limit = 20;
}
