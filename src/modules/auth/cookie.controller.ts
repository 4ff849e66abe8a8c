import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentUser, type SessionUser, type UserPrincipal } from '../../http/auth/principal.js';
import { CookieRoute } from '../../http/auth/route.js';
import { SessionCookies } from '../../http/auth/session-cookies.js';
import { UsersService } from '../users/users.service.js';
import { MessageResponse, UserProfileResponse } from './dto/auth.response.js';
import { toUserProfileResponse, toCookieVerifiedResponse } from './auth.mapper.js';
import { CookieVerifiedResponse } from './dto/cookie.response.js';
import { SignInService } from './sign-in.service.js';
import { TokensService } from './tokens.service.js';

/** Cookie sessions of users; they begin with a sign-in that says `session: "cookie"`. */
@Controller('api/auth/cookie')
export class CookieController {
  constructor(
    private readonly tokens: TokensService,
    private readonly cookies: SessionCookies,
    private readonly signIn: SignInService,
    private readonly users: UsersService,
  ) {}

  @Get('verify')
  @CookieRoute('user', { summary: 'Whether the session cookie is valid', data: CookieVerifiedResponse })
  verify(@CurrentUser() user: SessionUser): CookieVerifiedResponse {
    return toCookieVerifiedResponse(user, this.tokens.csrfToken('user', user.sessionId));
  }

  @Get('profile')
  @CookieRoute('user', {
    summary: 'The account of the user to whom the session cookie belongs',
    data: UserProfileResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async profile(@CurrentUser() user: UserPrincipal): Promise<UserProfileResponse> {
    return toUserProfileResponse(await this.users.get(user.id));
  }

  @Post('logout')
  @CookieRoute('user', {
    summary: 'End the cookie session and clear the cookie',
    data: MessageResponse,
    rateClass: 'session',
    setsCookie: true,
  })
  async logout(
    @CurrentUser() user: UserPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageResponse> {
    await this.signIn.signOut(user);
    this.cookies.clear(response, 'user');
    return { message: 'Logged out successfully' };
  }
}
