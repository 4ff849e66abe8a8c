import type { Tx } from '../../../../database/tx.js';

/** Checks that an admin had no part in a record. The module approvals, which knows the accounts of admins, implements it. */
export abstract class UninvolvedAdmins {
  /** Throws FOUR_EYES_REQUIRED unless the admin is certainly none of those who have acted on the record. */
  abstract requireUninvolved(tx: Tx, email: string, involved: readonly string[]): Promise<void>;
}
