import { Body, Controller, Get, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { ChangeTierRequest } from './dto/admin-users.request.js';
import { ChangedTierResponse, LimitTierResponse } from './dto/admin-users.response.js';
import { UserTiersService } from './user-tiers.service.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';

@ApiTags('Admin: users')
@Controller('api/admin/users')
export class UserTiersController {
  constructor(
    private readonly tiers: UserTiersService,
    private readonly stepUps: StepUps,
  ) {}

  @Put(':id/tier')
  @AdminRoute('users:write', {
    operationId: 'changeUserTier',
    summary: "Change a user's tier, which sets the limits, after the approval of a second admin",
    data: ChangedTierResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async change(
    @IdParam('user', 'USER_NOT_FOUND') id: string,
    @Body() body: ChangeTierRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ChangedTierResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.tier-change');
    const result = await this.tiers.changeTier(id, body, admin, check);
    return toChangeResponse(response, result, (changed) => toResponse(ChangedTierResponse, changed));
  }
}

@ApiTags('Admin: users')
@Controller('api/admin/tiers')
export class LimitTiersController {
  constructor(private readonly tiers: LimitTiersService) {}

  @Get()
  @AdminRoute('users:read', {
    operationId: 'listTiers',
    summary: 'The tiers of LIMITS_FILE with their limits; the first is that of new users',
    data: [LimitTierResponse],
  })
  list(): LimitTierResponse[] {
    return toResponses(LimitTierResponse, this.tiers.tiers);
  }
}
