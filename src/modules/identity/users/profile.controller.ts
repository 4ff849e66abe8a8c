import { Body, Controller, Get, Put } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { ProfileRequest } from './dto/profile.request.js';
import { PongResponse, ProfileResponse } from './dto/user.response.js';
import { ProfilesService } from './profiles.service.js';
import { toProfileResponse } from './users.mapper.js';

@Controller('api/user')
export class ProfileController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly stepUps: StepUps,
    private readonly config: AppConfig,
  ) {}

  @Get('ping')
  @UserRoute({
    operationId: 'pingAsUser',
    scope: 'any',
    summary: 'Answer pong and the id of the signed-in user',
    data: PongResponse,
  })
  ping(@CurrentUser() user: UserPrincipal): PongResponse {
    return { message: 'pong', userId: user.id };
  }

  @Get('profile')
  @UserRoute({
    summary: "The user's profile and preferences",
    data: ProfileResponse,
    errors: ['USER_NOT_FOUND'],
  })
  async profile(@CurrentUser() user: UserPrincipal): Promise<ProfileResponse> {
    return toProfileResponse(await this.profiles.get(user.id), this.config);
  }

  @Put('profile')
  @UserRoute({
    summary:
      "Change the user's name and preferences; an absent field keeps its value. Switching e-mail off needs a step-up.",
    data: ProfileResponse,
    stepUp: true,
    errors: ['VALIDATION_ERROR', 'USER_NOT_FOUND'],
  })
  async change(
    @CurrentUser() user: UserPrincipal,
    @Body() body: ProfileRequest,
    @StepUpToken() token: string | undefined,
  ): Promise<ProfileResponse> {
    const stepUp = this.stepUps.checkOf(user, token, 'email-notifications.off');
    return toProfileResponse(await this.profiles.change(user.id, body, stepUp), this.config);
  }
}
