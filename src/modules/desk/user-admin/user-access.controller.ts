import { Body, Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toResponse, toResponses } from '../../../http/response/to-response.js';
import { AddressResponse } from '../../funds/addresses/dto/address.response.js';
import { ApiKeyResponse } from '../../identity/api-keys/dto/api-key.response.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { toSessionResponse, toSignInResponse } from '../../identity/auth/auth.mapper.js';
import { SessionResponse, SignInResponse } from '../../identity/auth/dto/auth.response.js';
import { LocksService } from '../../identity/locks/locks.service.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { WebhookResponse } from '../../messaging/webhooks/dto/webhook.response.js';
import { AccessReasonRequest, ChangeTierRequest, OptionalReasonRequest } from './dto/admin-users.request.js';
import {
  ChangedTierResponse,
  EndedHoldResponse,
  EndedLockResponse,
  LimitTierResponse,
  LockedUserResponse,
  ResetFactorsResponse,
} from './dto/admin-users.response.js';
import { UserAccessService } from './user-access.service.js';
import { UserCredentialsService } from './user-credentials.service.js';
import { UserTiersService } from './user-tiers.service.js';

const Id = () => IdParam('user', 'USER_NOT_FOUND');
const REFUSALS: ErrorCode[] = ['USER_NOT_FOUND', 'REASON_REQUIRED', 'VALIDATION_ERROR'];

/** Locks of users' accounts, security holds, and users who have lost their second factors. */
@ApiTags('Admin: users')
@Controller('api/admin/users')
export class UserAccessController {
  constructor(
    private readonly locks: LocksService,
    private readonly access: UserAccessService,
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
    const result = await this.access.unlock(id, reason, admin, check);
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
    const result = await this.access.endHold(id, reason, admin, check);
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
    const result = await this.access.resetFactors(id, reason, admin, check);
    return toChangeResponse(response, result, (reset) => toResponse(ResetFactorsResponse, reset));
  }
}

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
    @Id() id: string,
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

/** The sessions, sign-ins, API keys, addresses and webhooks of a user, in the responses that the user gets. */
@ApiTags('Admin: users')
@Controller('api/admin/users/:id')
export class UserCredentialsController {
  constructor(private readonly credentials: UserCredentialsService) {}

  @Get('sessions')
  @AdminRoute('users:read', {
    operationId: 'listUserSessions',
    summary: "A user's sessions, one per sign-in, at most a hundred, the newest first",
    data: [SessionResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async sessions(@Id() id: string): Promise<SessionResponse[]> {
    return (await this.credentials.listSessions(id)).map(toSessionResponse);
  }

  @Get('sign-ins')
  @AdminRoute('users:read', {
    operationId: 'listUserSignIns',
    summary: "A user's sign-ins of the last 90 days, at most a hundred, the newest first",
    data: [SignInResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async signIns(@Id() id: string): Promise<SignInResponse[]> {
    return (await this.credentials.listSignIns(id)).map(toSignInResponse);
  }

  @Get('api-keys')
  @AdminRoute('users:read', {
    operationId: 'listUserApiKeys',
    summary: "A user's API keys, at most twenty, the oldest first",
    data: [ApiKeyResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async apiKeys(@Id() id: string): Promise<ApiKeyResponse[]> {
    return toResponses(ApiKeyResponse, await this.credentials.listApiKeys(id));
  }

  @Get('addresses')
  @AdminRoute('users:read', {
    operationId: 'listUserAddresses',
    summary: "A user's address book, at most fifty entries, the oldest first",
    data: [AddressResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async addresses(@Id() id: string): Promise<AddressResponse[]> {
    return toResponses(AddressResponse, await this.credentials.listAddresses(id));
  }

  @Get('webhooks')
  @AdminRoute('users:read', {
    operationId: 'listUserWebhooks',
    summary: "A user's webhooks, at most ten, the oldest first",
    data: [WebhookResponse],
    errors: ['USER_NOT_FOUND'],
  })
  async webhooks(@Id() id: string): Promise<WebhookResponse[]> {
    return toResponses(WebhookResponse, await this.credentials.listWebhooks(id));
  }

  @Delete('api-keys/:keyId')
  @AdminRoute('users:write', {
    operationId: 'revokeUserApiKey',
    summary: 'Revoke an API key of a user: it is refused from now on',
    data: ApiKeyResponse,
    errors: ['USER_NOT_FOUND', 'API_KEY_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async revokeApiKey(
    @Id() id: string,
    @IdParam('API key', 'API_KEY_NOT_FOUND', { name: 'keyId' }) keyId: string,
    @Body() { reason }: OptionalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ApiKeyResponse> {
    return toResponse(
      ApiKeyResponse,
      await this.credentials.revokeApiKey(id, keyId, reason?.trim() || undefined, admin),
    );
  }

  @Delete('addresses/:addressId')
  @AdminRoute('users:write', {
    operationId: 'removeUserAddress',
    summary: 'Remove an address from the address book of a user',
    data: AddressResponse,
    errors: ['USER_NOT_FOUND', 'ADDRESS_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async removeAddress(
    @Id() id: string,
    @IdParam('address', 'ADDRESS_NOT_FOUND', { name: 'addressId' }) addressId: string,
    @Body() { reason }: OptionalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AddressResponse> {
    return toResponse(
      AddressResponse,
      await this.credentials.removeAddress(id, addressId, reason?.trim() || undefined, admin),
    );
  }
}
