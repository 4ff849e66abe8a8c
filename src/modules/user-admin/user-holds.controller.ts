import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { EndHoldRequest } from './dto/admin-users.request.js';
import { EndedHoldResponse } from './dto/admin-users.response.js';
import { toEndedHoldResponse } from './user-holds.mapper.js';
import { UserHoldEndsService } from './user-hold-ends.service.js';

@ApiTags('Admin: users')
@Controller('api/admin/users')
export class UserHoldsController {
  constructor(private readonly holdEnds: UserHoldEndsService) {}

  @Post(':id/hold/end')
  @AdminRoute('users:write', {
    summary: "End a user's security hold before its time, after the approval of a second admin",
    data: EndedHoldResponse,
    approval: ApprovalResponse,
    errors: ['USER_NOT_FOUND', 'INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async end(
    @Param('id', new IdPipe('USER_NOT_FOUND')) id: string,
    @Body() { reason }: EndHoldRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EndedHoldResponse | ApprovalResponse> {
    return toChangeResponse(response, await this.holdEnds.endHold(id, reason, admin), toEndedHoldResponse);
  }
}
