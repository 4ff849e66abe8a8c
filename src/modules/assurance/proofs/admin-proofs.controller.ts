import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { ContinueLogRequest } from './dto/proofs.request.js';
import { CheckpointResponse, TransactionProofResponse } from './dto/proofs.response.js';
import { LogRestoresService } from './log-restores.service.js';
import { toCheckpointResponse, toTransactionProofResponse } from './proofs.mapper.js';
import { TransactionProofsService } from './transaction-proofs.service.js';

@Controller('api/admin')
export class AdminProofsController {
  constructor(
    private readonly restores: LogRestoresService,
    private readonly proofs: TransactionProofsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post('proofs/continue')
  @AdminRoute('*', {
    operationId: 'continueProofLog',
    summary:
      'Continue the transparency log after a restore, unless it contradicts a published checkpoint, after the approval of a second admin',
    data: CheckpointResponse,
    stepUp: true,
    approval: ApprovalResponse,
    errors: ['INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async continueLog(
    @Body() body: ContinueLogRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CheckpointResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'log.continue');
    const result = await this.restores.continueLog(body, admin, check);
    return toChangeResponse(response, result, toCheckpointResponse);
  }

  @Get('transactions/:id/proof')
  @AdminRoute('transactions:read', {
    summary: 'Proofs that the ledger transactions of a transaction of any user are in the transparency log',
    data: TransactionProofResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'PROOF_PENDING'],
  })
  async proveTransaction(
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
  ): Promise<TransactionProofResponse> {
    return toTransactionProofResponse(await this.proofs.proveAnyTransaction(id));
  }
}
