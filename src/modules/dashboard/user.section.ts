import { Instant, Text, Uuid } from '../../http/openapi/fields.js';
import type { User } from '../users/users.service.js';

export class DashboardUserView {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Text({ nullable: true, description: 'first word of the full name' }) firstName!: string | null;
  @Text({ nullable: true, description: 'the other words of the full name' }) lastName!: string | null;
  @Text({ nullable: true }) walletAddress!: string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
}

export function userSection(user: User): DashboardUserView {
  const [firstName, ...others] = (user.fullName ?? '').split(/\s+/).filter((word) => word !== '');
  return {
    id: user.id,
    email: user.email,
    firstName: firstName ?? null,
    lastName: others.join(' ') || null,
    walletAddress: null, // no wallet is linked to a user yet
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
}
