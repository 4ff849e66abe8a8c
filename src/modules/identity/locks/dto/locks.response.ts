import { NestedField } from '../../../../http/openapi/fields.js';
import { ABOUT_LOCK, AccountLockResponse } from '../../users/dto/security-hold.response.js';

export class LockStateResponse {
  @NestedField(() => AccountLockResponse, { nullable: true, description: ABOUT_LOCK })
  locked!: AccountLockResponse | null;
}
