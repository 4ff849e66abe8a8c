import type { AccountLockResponse } from '../../identity/users/dto/security-hold.response.js';
import { toHoldResponse, toLockResponse } from '../../identity/users/users.mapper.js';
import type { AccountLock } from '../../identity/users/users.types.js';
import type {
  EndedLockResponse,
  LockedUserResponse,
  ResetFactorsResponse,
} from './dto/admin-users.response.js';
import type { ResetFactors } from './user-factor-resets.service.js';
import type { Ended } from './user-restrictions.service.js';

export function toLockedUserResponse(id: string, lock: AccountLock): LockedUserResponse {
  return { id, locked: toLockResponse(lock) as AccountLockResponse };
}

export function toEndedLockResponse({ userId, ended, endedBy }: Ended<AccountLock>): EndedLockResponse {
  return { id: userId, ended: toLockResponse(ended) as AccountLockResponse, endedBy };
}

export function toResetFactorsResponse({ userId, hold, resetBy }: ResetFactors): ResetFactorsResponse {
  return { id: userId, hold: toHoldResponse(hold), resetBy };
}
