import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import type { SecurityEvent } from '../users/security.events.js';
import { DEVICE_LENGTH } from './auth.types.js';
import { SignInsRepository } from './sign-ins.repository.js';

const KNOWN_DEVICES_PER_USER = 50;

/** The devices that users sign in from, identified by the header User-Agent alone. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly signIns: SignInsRepository,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** For the erasure of a user. */
  async deleteDevicesOfUser(tx: Tx, userId: string): Promise<void> {
    await this.signIns.deleteDevicesOfUser(tx, userId);
  }

  /**
   * Records a sign-in and emits an event for a new device, except for the user's first device. The caller has locked the
   * user's row, so that two concurrent first sign-ins are counted one after the other.
   */
  async recordSignIn(tx: Tx, userId: string, userAgent: string): Promise<void> {
    const at = this.clock.now();
    const hash = createHash('sha256').update(userAgent).digest();
    const { isNew, otherDevices } = await this.signIns.upsertKnownDevice(tx, userId, hash, at);
    if (!isNew || otherDevices === 0) return;
    if (otherDevices >= KNOWN_DEVICES_PER_USER)
      await this.signIns.deleteOldestDevices(tx, userId, KNOWN_DEVICES_PER_USER);
    const device = shorten(userAgent);
    await this.domainEvents.emit<SecurityEvent>(tx, {
      name: 'security.new-device',
      userId,
      at,
      detail:
        `A new device has signed in to your account: ${device ?? 'its name is not known'}. ` +
        'If it was not you, change your password at the identity provider and write to our support.',
      device,
    });
  }
}

function shorten(userAgent: string): string | null {
  if (!userAgent) return null;
  return userAgent.length > DEVICE_LENGTH ? `${userAgent.slice(0, DEVICE_LENGTH)} …` : userAgent;
}
