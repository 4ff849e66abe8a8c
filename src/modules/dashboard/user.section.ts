import { Instant, Text, Uuid } from '../../http/openapi/fields.js';
import type { User } from '../users/entities/user.entity.js';

export class DashboardUserResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Text({ nullable: true, description: 'first word of the full name' }) firstName!: string | null;
  @Text({ nullable: true, description: 'the other words of the full name' }) lastName!: string | null;
  @Text({ nullable: true, description: 'the wallet that was linked first' }) walletAddress!: string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
}

export function userSection(user: User, walletAddress: string | null): DashboardUserResponse {
  const [firstName, ...others] = (user.fullName ?? '').split(/\s+/).filter((word) => word !== '');
  return {
    id: user.id,
    email: user.email,
    firstName: firstName ?? null,
    lastName: others.join(' ') || null,
    walletAddress,
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
}
