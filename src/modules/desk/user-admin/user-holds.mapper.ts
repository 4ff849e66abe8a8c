import type { HoldResponse } from '../../identity/users/dto/security-hold.response.js';
import { toHoldResponse } from '../../identity/users/users.mapper.js';
import type { SecurityHold } from '../../identity/users/users.types.js';
import type { EndedHoldResponse } from './dto/admin-users.response.js';
import type { Ended } from './user-restrictions.service.js';

export function toEndedHoldResponse({ userId, ended, endedBy }: Ended<SecurityHold>): EndedHoldResponse {
  return { id: userId, ended: toHoldResponse(ended) as HoldResponse, endedBy };
}
