import { Injectable } from '@nestjs/common';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { UserIdentity } from './entities/user-identity.entity.js';

@Injectable()
export class UserIdentitiesRepository {
  /** Returns whether the subject is new to the user, and the user's other subjects. */
  async insertIdentity(
    tx: Tx,
    { userId, subject, firstSeenAt }: UserIdentity,
  ): Promise<{ isNew: boolean; others: string[] }> {
    const [row] = await tx.query<[{ isNew: boolean; others: string[] }]>(
      prepared(
        `with added as (
           insert into user_identity (user_id, subject, first_seen_at) values ($1, $2, $3)
           on conflict do nothing returning subject
         )
         select exists (select from added) as "isNew",
                array(select subject from user_identity where user_id = $1 and subject <> $2) as others`,
      ),
      [userId, subject, firstSeenAt],
    );
    return row;
  }

  /** Deletes all but the `keptCount` identities that were seen first the latest. */
  async deleteOldestIdentities(tx: Tx, userId: string, keptCount: number): Promise<void> {
    await tx.query(
      `delete from user_identity where user_id = $1 and subject not in
         (select subject from user_identity where user_id = $1 order by first_seen_at desc, subject limit $2)`,
      [userId, keptCount],
    );
  }

  async deleteIdentitiesOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(UserIdentity, { userId });
  }
}
