import { Body, Controller, Get, Header, Post } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { LOCK_PAGE, LOCK_PAGE_POLICY } from './domain/lock-page.js';
import { LockByLinkRequest } from './dto/locks.request.js';
import { LockStateResponse } from '../users/dto/user.response.js';
import { LocksService } from './locks.service.js';
import { toResponse } from '../../../http/response/to-response.js';

@Controller('api/user')
export class UserLockController {
  constructor(
    private readonly locks: LocksService,
    private readonly stepUps: StepUps,
  ) {}

  @Post('lock')
  @UserRoute({
    operationId: 'lockAccount',
    summary:
      'Lock the account: nothing can lead money out of it any more, and the other sessions end. Succeeds for a locked account.',
    data: LockStateResponse,
  })
  async lock(@CurrentUser() user: UserPrincipal): Promise<LockStateResponse> {
    return toResponse(LockStateResponse, { locked: await this.locks.lockFromSession(user) });
  }

  @Post('unlock')
  @UserRoute({
    operationId: 'unlockAccount',
    summary: 'Unlock the account; always needs a second factor',
    data: LockStateResponse,
    stepUp: 'unlock',
    errors: ['INVALID_STATE'],
  })
  async unlock(
    @CurrentUser() user: UserPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<LockStateResponse> {
    await this.locks.unlockFromSession(user, this.stepUps.checkOf(user, token, 'account.unlock'));
    return { locked: null };
  }
}

@Controller('api/auth')
export class LinkLockController {
  constructor(private readonly locks: LocksService) {}

  @Post('lock')
  @PublicRoute({
    operationId: 'lockAccountByLink',
    summary: 'Lock the account of the link in a mail about security, once; all its sessions end',
    data: LockStateResponse,
    rateClass: 'session',
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'TOKEN_INVALID'],
  })
  async lock(@Body() { token }: LockByLinkRequest): Promise<LockStateResponse> {
    return toResponse(LockStateResponse, { locked: await this.locks.lockByLink(token) });
  }
}

@Controller('lock')
export class LockPageController {
  /** Ignores the query, to which mail services add parameters of their own. */
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', LOCK_PAGE_POLICY)
  @PublicRoute({
    operationId: 'getLockPage',
    summary: 'The page of the link in mails about security: its button locks the account',
    isPage: true,
    ignoresQuery: true,
  })
  page(): RawResponse {
    return new RawResponse(LOCK_PAGE);
  }
}
