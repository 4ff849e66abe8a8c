import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import {
  BulkCompleteResponse,
  BulkRejectResponse,
  PaymentFileLineResponse,
} from './dto/admin-withdrawal.response.js';
import { BulkCompleteRequest, BulkRejectRequest, PaymentFileQuery } from './dto/withdrawals.request.js';
import { WithdrawalBatchesService } from './withdrawal-batches.service.js';
import { toPaymentFile, toPaymentFileLineResponse } from './withdrawals.mapper.js';

@Controller('api/admin/withdrawals')
export class WithdrawalBatchesController {
  constructor(
    private readonly batches: WithdrawalBatchesService,
    private readonly stepUps: StepUps,
  ) {}

  @Get('payment-file')
  @AdminRoute('withdrawals:approve', {
    operationId: 'getPaymentFile',
    summary:
      'What the caller has taken and not completed, the newest last, to be paid at the custody provider with the id of each as its reference',
    data: [PaymentFileLineResponse],
    csv: true,
    extraFields: { hasMore: { type: 'boolean', description: 'true if the list is cut; CSV has all' } },
    errors: ['VALIDATION_ERROR'],
  })
  async paymentFile(
    @Query() { format, takenAfter }: PaymentFileQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<PaymentFileLineResponse[]> | RawResponse> {
    if (format === 'csv')
      return streamCsv({
        fileName: 'payments.csv',
        model: PaymentFileLineResponse,
        batches: this.batches.exportPayments(admin, takenAfter),
        toItem: toPaymentFileLineResponse,
      });
    return toPaymentFile(await this.batches.listPayments(admin, takenAfter));
  }

  @Post('bulk-complete')
  @AdminRoute('withdrawals:approve', {
    operationId: 'completeWithdrawals',
    summary: 'Complete several withdrawals; a failure of one does not affect the others',
    idempotent: true,
    stepUp: true,
    data: BulkCompleteResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async complete(
    @Body() { items }: BulkCompleteRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<BulkCompleteResponse> {
    const check = this.stepUps.checkOf(admin, token, 'withdrawal.bulk-complete');
    const result = await this.batches.completeSeveral(items, admin, check);
    return toResponse(BulkCompleteResponse, result, { completed: result.changed });
  }

  @Post('bulk-reject')
  @AdminRoute('withdrawals:approve', {
    operationId: 'rejectWithdrawals',
    summary: 'Reject several withdrawals for one reason; a failure of one does not affect the others',
    idempotent: true,
    data: BulkRejectResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Body() { ids, reason }: BulkRejectRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<BulkRejectResponse> {
    // The request has no step-up: withdrawals that need one are rejected one by one.
    const check = this.stepUps.checkOf(admin, undefined, 'withdrawal.reject');
    const result = await this.batches.rejectSeveral(ids, reason, admin, check);
    return toResponse(BulkRejectResponse, result, { rejected: result.changed });
  }
}
