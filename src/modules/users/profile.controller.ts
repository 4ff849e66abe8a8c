import { Body, Controller, Get, Put } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import { ProfileDto } from './dto/profile.request.js';
import { PongView, ProfileView } from './dto/profile.response.js';
import { Profiles } from './profiles.service.js';

@Controller('api/user')
export class ProfileController {
  constructor(private readonly profiles: Profiles) {}

  @Get('ping')
  @UserRoute({ summary: 'Answer pong and the id of the signed-in user', data: PongView })
  ping(@CurrentUser() user: UserPrincipal): PongView {
    return { message: 'pong', userId: user.id };
  }

  @Get('profile')
  @UserRoute({ summary: 'My profile and preferences', data: ProfileView, errors: ['USER_NOT_FOUND'] })
  profile(@CurrentUser() user: UserPrincipal): Promise<ProfileView> {
    return this.profiles.get(user.id);
  }

  @Put('profile')
  @UserRoute({
    summary: 'Change my name and preferences; an absent field keeps its value',
    data: ProfileView,
    errors: ['VALIDATION_ERROR', 'USER_NOT_FOUND'],
  })
  change(@CurrentUser() user: UserPrincipal, @Body() body: ProfileDto): Promise<ProfileView> {
    return this.profiles.change(user.id, body);
  }
}
