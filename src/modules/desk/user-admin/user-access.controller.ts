import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { LocksService } from '../../identity/locks/locks.service.js';
import { AccessReasonRequest } from './dto/admin-users.request.js';
import {
  EndedHoldResponse,
  EndedLockResponse,
  LockedUserResponse,
  ResetFactorsResponse,
} from './dto/admin-users.response.js';
import { UserFactorResetsService } from './user-factor-resets.service.js';
import { UserRestrictionsService } from './user-restrictions.service.js';
import { toResponse } from '../../../http/response/to-response.js';

const Id = () => IdParam('user', 'USER_NOT_FOUND');
const REFUSALS: ErrorCode[] = ['USER_NOT_FOUND', 'REASON_REQUIRED', 'VALIDATION_ERROR'];

/** Locks of users' accounts, security holds, and users who have lost their second factors. */
@ApiTags('Admin: users')
@Controller('api/admin/users')
export class UserAccessController {
  constructor(
    private readonly locks: LocksService,
    private readonly restrictions: UserRestrictionsService,
    private readonly factorResets: UserFactorResetsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post(':id/lock')
  @AdminRoute('users:write', {
    summary:
      "Lock a user's account: nothing can lead money out of it any more, and all sessions end. Only two admins unlock it again.",
    data: LockedUserResponse,
    errors: REFUSALS,
  })
  async lock(
    @Id() id: string,
    @Body() { reason }: AccessReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<LockedUserResponse> {
    return toResponse(LockedUserResponse, { id, locked: await this.locks.lockByAdmin(id, reason, admin) });
  }

  @Post(':id/unlock')
  @AdminRoute('users:write', {
    summary: "Unlock a user's account, after the approval of a second admin",
    data: EndedLockResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'INVALID_STATE'],
  })
  async unlock(
    @Id() id: string,
    @Body() { reason }: AccessReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EndedLockResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.unlock');
    const result = await this.restrictions.unlock(id, reason, admin, check);
    return toChangeResponse(response, result, (lock) => toResponse(EndedLockResponse, lock));
  }

  @Post(':id/hold/end')
  @AdminRoute('users:write', {
    summary: "End a user's security hold before its time, after the approval of a second admin",
    data: EndedHoldResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'INVALID_STATE'],
  })
  async endHold(
    @Id() id: string,
    @Body() { reason }: AccessReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EndedHoldResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.hold-end');
    const result = await this.restrictions.endHold(id, reason, admin, check);
    return toChangeResponse(response, result, (hold) => toResponse(EndedHoldResponse, hold));
  }

  @Post(':id/factors/reset')
  @AdminRoute('users:write', {
    summary:
      'Remove all second factors and recovery codes of a user, after the approval of a second admin; all sessions end, and a security hold begins',
    data: ResetFactorsResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'INVALID_STATE'],
  })
  async resetFactors(
    @Id() id: string,
    @Body() { reason }: AccessReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResetFactorsResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'user.factor-reset');
    const result = await this.factorResets.resetFactors(id, reason, admin, check);
    return toChangeResponse(response, result, (reset) => toResponse(ResetFactorsResponse, reset));
  }
}
