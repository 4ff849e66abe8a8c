import { toTierResponse } from '../../identity/users/users.mapper.js';
import type { ChangedTierResponse } from './dto/admin-users.response.js';
import type { TierOfUser } from './user-tiers.service.js';

export function toChangedTierResponse({ userId, tier }: TierOfUser): ChangedTierResponse {
  return { id: userId, tier: toTierResponse(tier) };
}
