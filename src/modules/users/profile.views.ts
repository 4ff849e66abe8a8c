import { Choice, Flag, Instant, Nested, Text, Uuid } from '../../http/openapi/fields.js';
import { USER_STATUSES } from './user-status.js';
import type { UserEntity } from './user.entity.js';

export class ChannelsView {
  @Flag({ description: 'kept for letters by e-mail, of which none are sent yet' }) email!: boolean;
  @Flag({ description: 'optional in-app notifications: earning and promotion' }) push!: boolean;
}

export class PreferencesView {
  @Text({ example: 'en' }) language!: string;
  @Text({ example: 'USD', description: 'to show amounts in; money itself stays USDC' }) currency!: string;
  @Nested(() => ChannelsView) notifications!: ChannelsView;
}

export class ProfileView {
  @Uuid() id!: string;
  @Text() email!: string;
  @Text({ nullable: true }) name!: string | null;
  @Choice(USER_STATUSES) status!: string;
  @Text({ nullable: true, description: 'the first wallet linked' }) walletAddress!: string | null;
  @Nested(() => PreferencesView) preferences!: PreferencesView;
  @Instant() createdAt!: string;
  @Instant() updatedAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
}

export function profileView(user: UserEntity, walletAddress: string | null): ProfileView {
  return {
    id: user.id,
    email: user.email,
    name: user.fullName,
    status: user.status,
    walletAddress,
    preferences: {
      language: user.language,
      currency: user.currency,
      notifications: { email: user.notifyEmail, push: user.notifyPush },
    },
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
}

export class PongView {
  @Choice(['pong']) message!: string;
  @Uuid() userId!: string;
}
