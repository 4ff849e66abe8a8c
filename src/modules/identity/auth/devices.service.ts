import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { networkAddress, networkPrefixOf } from '../../../http/throttling/caller-address.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import type { SecurityEvent } from '../users/users.types.js';
import { DEVICE_LENGTH, type SessionKind, type SignInContext } from './auth.types.js';
import { SignInsRepository } from './sign-ins.repository.js';

/** Pairs of a device and a network. */
const KNOWN_PAIRS_PER_USER = 50;

/** The devices that users sign in from: the header User-Agent, and the network prefixes that a device has used. */
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
   * Records a sign-in and emits an event for a new device or a network that is new for the device, except for the user's first
   * device. The caller has locked the user's row, so that only one of two concurrent sign-ins can be that of the first device.
   */
  async recordSignIn(tx: Tx, userId: string, { userAgent, network }: SignInContext): Promise<void> {
    const at = this.clock.now();
    const name = userAgent.trim().replace(/\s+/g, ' ');
    // The user's id makes the stored networks of two users incomparable.
    const hashes = { device: sha256(name), network: sha256(`${userId} ${network}`) };
    const known = await this.signIns.upsertKnownDevice(tx, userId, hashes, at);
    const isKnownDevice = !known.isDeviceNew;
    if (known.pairs === 0 || (isKnownDevice && !known.isNetworkNew)) return;
    if (known.pairs >= KNOWN_PAIRS_PER_USER)
      await this.signIns.deleteOldestDevices(tx, userId, KNOWN_PAIRS_PER_USER);
    const device = shorten(name);
    const event = { name: 'security.new-device', userId, at, device, network, isKnownDevice } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function shorten(userAgent: string): string | null {
  if (!userAgent) return null;
  return userAgent.length > DEVICE_LENGTH ? `${userAgent.slice(0, DEVICE_LENGTH)} …` : userAgent;
}

/** The device and the network of a request that signs in a user. Its network address is the address by which rate limits count. */
export function signInContextOf(request: Request, kind: SessionKind): SignInContext {
  const address = networkAddress(request) ?? null;
  return {
    kind,
    userAgent: request.get('user-agent') ?? '',
    address,
    network: networkPrefixOf(address ?? 'unknown'),
  };
}
