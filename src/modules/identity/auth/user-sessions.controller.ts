import { Controller, Delete, Get } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toEndedSessionsResponse, toSessionResponse } from './auth.mapper.js';
import { EndedSessionsResponse, SessionResponse } from './dto/auth.response.js';
import { UserSessionsService } from './user-sessions.service.js';

@Controller('api/user/sessions')
export class UserSessionsController {
  constructor(private readonly sessions: UserSessionsService) {}

  @Get()
  @UserRoute({
    summary:
      "The user's sessions, one per sign-in, at most a hundred: the current one, then the newest first",
    data: [SessionResponse],
  })
  async list(@CurrentUser() user: UserPrincipal): Promise<SessionResponse[]> {
    return (await this.sessions.listSessions(user)).map(toSessionResponse);
  }

  @Delete()
  @UserRoute({
    operationId: 'endOtherSessions',
    summary: "End all the user's sessions but the current one",
    data: EndedSessionsResponse,
  })
  async endOthers(@CurrentUser() user: UserPrincipal): Promise<EndedSessionsResponse> {
    return toEndedSessionsResponse(await this.sessions.endOtherSessions(user));
  }

  @Delete(':id')
  @UserRoute({
    operationId: 'endSession',
    summary: 'End a session: its access tokens and its refresh token are not valid any more',
    data: SessionResponse,
    errors: ['SESSION_NOT_FOUND'],
  })
  async end(
    @CurrentUser() user: UserPrincipal,
    @IdParam('session', 'SESSION_NOT_FOUND') id: string,
  ): Promise<SessionResponse> {
    return toSessionResponse(await this.sessions.endSession(user, id));
  }
}
