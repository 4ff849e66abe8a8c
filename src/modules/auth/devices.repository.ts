import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

/** Statements only: `known_device` needs no entity, since its upsert reports counts that TypeORM can not return. */
@Injectable()
export class DevicesRepository {
  /** Records a sign-in from a device. Returns whether the device is new, and how many others the user has. */
  async upsertKnownDevice(
    tx: Tx,
    userId: string,
    deviceHash: Buffer,
    seenAt: Date,
  ): Promise<{ isNew: boolean; otherDevices: number }> {
    const [device] = await tx.query<{ isNew: boolean; otherDevices: number }[]>(
      `insert into known_device (user_id, device, first_seen_at, last_seen_at) values ($1, $2, $3, $3)
       on conflict (user_id, device) do update set last_seen_at = excluded.last_seen_at
       returning xmax = 0 as "isNew",
                 (select count(*)::int from known_device as other
                   where other.user_id = $1 and other.device <> $2) as "otherDevices"`,
      [userId, deviceHash, seenAt],
    );
    return device ?? { isNew: false, otherDevices: 0 };
  }

  async deleteDevicesOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from known_device where user_id = $1', [userId]);
  }

  /** Deletes all but the `kept` devices that were used last. */
  async deleteOldestDevices(tx: Tx, userId: string, kept: number): Promise<void> {
    await tx.query(
      `delete from known_device where user_id = $1 and device not in
         (select device from known_device where user_id = $1 order by last_seen_at desc, first_seen_at desc limit $2)`,
      [userId, kept],
    );
  }
}
