import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { realNow } from '../../common/clock.js';

/**
 * Spending, issuing and revoking in a family follow one another until the transaction ends. A statement of its own: the
 * statements after it see what was committed before the lock was free, so no token that is being issued is overlooked.
 */
export async function lockFamily(tx: Tx, familyId: string): Promise<void> {
  await tx.query(prepared(`select pg_advisory_xact_lock(hashtextextended('session-family:' || $1, 0))`), [
    familyId,
  ]);
}

/** Revokes every session and refresh token of a family that is locked. */
export async function endFamily(tx: Tx, familyId: string): Promise<void> {
  await tx.query(
    `with tokens as (update refresh_token set revoked_at = $2, successor = null
                      where family_id = $1 and revoked_at is null)
     update session set revoked_at = $2 where family_id = $1 and revoked_at is null`,
    [familyId, realNow()],
  );
}
