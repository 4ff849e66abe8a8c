import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  WalletAddressInput,
} from '../../../../http/request/input.decorators.js';
import { CursorInput } from '../../../../http/request/cursor-input.js';
import type { PageCursor } from '../../../../lists/list-page.js';

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

export class FaucetHistoryQuery {
  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @CursorInput()
  cursor: PageCursor | undefined;
}
