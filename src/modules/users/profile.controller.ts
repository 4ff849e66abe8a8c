import { Body, Controller, Get, Put } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { ProfileRequest } from './dto/profile.request.js';
import { PongResponse, ProfileResponse } from './dto/profile.response.js';
import { ProfilesService } from './profiles.service.js';
import { toProfileResponse } from './users.mapper.js';

@Controller('api/user')
export class ProfileController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly config: AppConfig,
  ) {}

  @Get('ping')
  @UserRoute({ scope: 'any', summary: 'Answer pong and the id of the signed-in user', data: PongResponse })
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
    summary: "Change the user's name and preferences; an absent field keeps its value",
    data: ProfileResponse,
    errors: ['VALIDATION_ERROR', 'USER_NOT_FOUND'],
  })
  async change(@CurrentUser() user: UserPrincipal, @Body() body: ProfileRequest): Promise<ProfileResponse> {
    return toProfileResponse(await this.profiles.change(user.id, body), this.config);
  }
}
