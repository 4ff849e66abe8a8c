import { Body, Controller, Get, Headers, Post } from '@nestjs/common';
import {
  CurrentPrincipal,
  CurrentUser,
  type Principal,
  type UserPrincipal,
} from '../../http/auth/principal.js';
import { PublicRoute, SignedInRoute, UserRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/envelope/answer.js';
import { Users } from '../users/users.service.js';
import { IdentityLoginDto, RefreshDto } from './auth.dto.js';
import {
  authStatusView,
  AuthStatusView,
  MessageView,
  refreshedView,
  RefreshedView,
  signedInView,
  SignedInView,
  userProfileView,
  UserProfileView,
} from './auth.views.js';
import { SignIn, type SignedIn } from './sign-in.service.js';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly signIn: SignIn,
    private readonly users: Users,
  ) {}

  @Post('idp/login')
  @PublicRoute({
    summary: "Sign in with the identity provider's JWT",
    data: SignedInView,
    errors: [
      'VALIDATION_ERROR',
      'SUPABASE_JWT_INVALID',
      'EMAIL_MANDATORY',
      'EMAIL_NOT_VERIFIED',
      'FORBIDDEN',
      'USER_CREATION_ERROR',
      'JWT_GENERATION_ERROR',
      'SERVICE_UNAVAILABLE',
    ],
  })
  async login(
    @Headers('authorization') authorization: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @Body() _body: IdentityLoginDto,
  ): Promise<Answer<SignedInView>> {
    return welcome(await this.signIn.byIdentityProvider(authorization, userAgent));
  }

  @Post('refresh')
  @PublicRoute({
    summary: 'A new token for a refresh token, which is spent',
    data: RefreshedView,
    errors: [
      'MISSING_REQUIRED_FIELD',
      'VALIDATION_ERROR',
      'INVALID_REFRESH_TOKEN',
      'REFRESH_TOKEN_REVOKED',
      'FORBIDDEN',
    ],
  })
  async refresh(@Body() { refreshToken }: RefreshDto): Promise<RefreshedView> {
    return refreshedView(await this.signIn.refresh('user', refreshToken));
  }

  @Get('user/profile')
  @UserRoute({ summary: "The signed-in user's account", data: UserProfileView, errors: ['USER_NOT_FOUND'] })
  async profile(@CurrentUser() user: UserPrincipal): Promise<UserProfileView> {
    return userProfileView(await this.users.get(user.id));
  }

  @Post('logout')
  @SignedInRoute({ summary: 'Sign out: the token is refused from now on', data: MessageView })
  async logout(@CurrentPrincipal() principal: Principal): Promise<MessageView> {
    await this.signIn.signOut(principal);
    return { message: 'Logged out successfully' };
  }

  @Get('status')
  @PublicRoute({ summary: 'Whether the token, if any, is good', optional: true, data: AuthStatusView })
  status(
    @CurrentPrincipal() principal: Principal | undefined,
    @Headers('authorization') authorization: string | undefined,
  ): AuthStatusView {
    return authStatusView(principal, authorization);
  }
}

function welcome(signedIn: SignedIn): Answer<SignedInView> {
  const message = signedIn.admin ? 'Admin authentication successful' : 'Authentication successful';
  return new Answer(signedInView(signedIn), { message });
}
