import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toResponse } from '../../../http/response/to-response.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { AcceptReviewRequest } from './dto/screening.request.js';
import { AcceptedReviewResponse } from './dto/screening.response.js';
import { UserScreeningService } from './user-screening.service.js';

@Controller('api/admin/users')
export class UserScreeningController {
  constructor(
    private readonly screening: UserScreeningService,
    private readonly stepUps: StepUps,
  ) {}

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Accept a user whose screening verdict is `review`, until the next verdict, after the approval of a second admin',
    data: AcceptedReviewResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  })
  async accept(
    @IdParam('user', 'USER_NOT_FOUND') id: string,
    @Body() body: AcceptReviewRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedReviewResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'screening.accept');
    const result = await this.screening.acceptReview(id, body.reason, admin, check);
    return toChangeResponse(response, result, (accepted) => toResponse(AcceptedReviewResponse, accepted));
  }
}
