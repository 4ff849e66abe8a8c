import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { AccessReasonRequest } from './dto/admin-users.request.js';
import { EndedHoldResponse } from './dto/admin-users.response.js';
import { UserRestrictionsService } from './user-restrictions.service.js';
import { toResponse } from '../../../http/response/to-response.js';

@ApiTags('Admin: users')
@Controller('api/admin/users')
export class UserHoldsController {
  constructor(
    private readonly restrictions: UserRestrictionsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post(':id/hold/end')
  @AdminRoute('users:write', {
    summary: "End a user's security hold before its time, after the approval of a second admin",
    data: EndedHoldResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async end(
    @IdParam('user', 'USER_NOT_FOUND') id: string,
    @Body() { reason }: AccessReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EndedHoldResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.hold-end');
    const result = await this.restrictions.endHold(id, reason, admin, check);
    return toChangeResponse(response, result, (hold) =>
      toResponse(EndedHoldResponse, hold, { id: hold.userId }),
    );
  }
}
