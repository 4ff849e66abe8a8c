import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { AdminFactorResetsService } from './admin-factor-resets.service.js';
import { ResetAdminFactorsRequest } from './dto/factors.request.js';
import { ResetAdminFactorsResponse } from './dto/factors.response.js';

@Controller('api/admin/factors')
export class AdminFactorResetsController {
  constructor(
    private readonly resets: AdminFactorResetsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post('reset')
  @AdminRoute('*', {
    summary:
      'Remove all second factors of another admin and end their sessions, after the approval of a third admin',
    data: ResetAdminFactorsResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_EMAIL',
      'FOUR_EYES_REQUIRED',
      'INVALID_STATE',
    ],
  })
  async reset(
    @Body() body: ResetAdminFactorsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResetAdminFactorsResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'factor.reset');
    const result = await this.resets.resetFactors(body, admin, check);
    return toChangeResponse(response, result, (reset) => reset);
  }
}
