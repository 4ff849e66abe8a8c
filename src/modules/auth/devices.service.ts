import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import type { SecurityEvent } from '../users/security.events.js';

const KNOWN_DEVICES = 50; // of a user; who has been away longest is forgotten
const SHOWN_LENGTH = 120;

/** The devices that users sign in from, told apart by what the browser calls itself (User-Agent) and nothing else. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Notes a sign-in, in its transaction, and tells of a device that is new; of a user's first one there is
   * nothing to tell. Call it with the user's row locked: of two first sign-ins at once, one is the second.
   */
  async seen(tx: Tx, userId: string, userAgent: string): Promise<void> {
    const at = this.clock.now();
    const [device] = await tx.query<{ isNew: boolean; others: number }[]>(
      `insert into known_device (user_id, device, first_seen_at, last_seen_at) values ($1, $2, $3, $3)
       on conflict (user_id, device) do update set last_seen_at = excluded.last_seen_at
       returning xmax = 0 as "isNew",
                 (select count(*)::int from known_device as other where other.user_id = $1 and other.device <> $2) as others`,
      [userId, createHash('sha256').update(userAgent).digest(), at],
    );
    if (!device?.isNew || device.others === 0) return;
    if (device.others >= KNOWN_DEVICES) await forgetOldest(tx, userId);
    await this.domainEvents.emit<SecurityEvent>(tx, {
      name: 'security.new-device',
      userId,
      at,
      detail:
        `Somebody has signed in to your account from a device that was not used before: ${shown(userAgent)}. ` +
        'If it was not you, change your password at the identity provider and write to our support.',
    });
  }
}

async function forgetOldest(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `delete from known_device where user_id = $1 and device not in
       (select device from known_device where user_id = $1 order by last_seen_at desc, first_seen_at desc limit $2)`,
    [userId, KNOWN_DEVICES],
  );
}

function shown(userAgent: string): string {
  if (!userAgent) return 'it does not say which';
  return userAgent.length > SHOWN_LENGTH ? `${userAgent.slice(0, SHOWN_LENGTH)} …` : userAgent;
}
