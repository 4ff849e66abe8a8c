import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { ReceiptResponse } from './dto/receipt.response.js';
import { ReceiptsService } from './receipts.service.js';

@Controller('api/user')
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Get('investments/:id/receipt')
  @UserRoute({
    scope: 'investments:read',
    summary:
      "The signed receipt of one of the user's investments, from which its value can be computed again",
    data: ReceiptResponse,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND', 'PROOF_PENDING'],
  })
  investment(
    @CurrentUser() user: UserPrincipal,
    @IdParam('investment', 'INVESTMENT_NOT_FOUND') id: string,
  ): Promise<ReceiptResponse> {
    return this.receipts.signInvestmentReceipt(user.id, id);
  }

  @Get('deposits/:id/receipt')
  @UserRoute({
    scope: 'deposits:read',
    summary: "The signed receipt of one of the user's deposits",
    data: ReceiptResponse,
    errors: ['PERMISSION_DENIED', 'DEPOSIT_NOT_FOUND', 'PROOF_PENDING'],
  })
  deposit(
    @CurrentUser() user: UserPrincipal,
    @IdParam('deposit', 'DEPOSIT_NOT_FOUND') id: string,
  ): Promise<ReceiptResponse> {
    return this.receipts.signDepositReceipt(user.id, id);
  }

  @Get('withdrawals/:id/receipt')
  @UserRoute({
    scope: 'withdrawals:read',
    summary: "The signed receipt of one of the user's withdrawals",
    data: ReceiptResponse,
    errors: ['PERMISSION_DENIED', 'WITHDRAWAL_NOT_FOUND', 'PROOF_PENDING'],
  })
  withdrawal(
    @CurrentUser() user: UserPrincipal,
    @IdParam('withdrawal', 'WITHDRAWAL_NOT_FOUND') id: string,
  ): Promise<ReceiptResponse> {
    return this.receipts.signWithdrawalReceipt(user.id, id);
  }
}
