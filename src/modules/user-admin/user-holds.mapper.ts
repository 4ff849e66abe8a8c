import type { HoldResponse } from '../users/dto/security-hold.response.js';
import { toHoldResponse } from '../users/users.mapper.js';
import type { EndedHoldResponse } from './dto/admin-users.response.js';
import type { EndedHold } from './user-hold-ends.service.js';

export function toEndedHoldResponse({ userId, ended, endedBy }: EndedHold): EndedHoldResponse {
  return { id: userId, ended: toHoldResponse(ended) as HoldResponse, endedBy };
}
