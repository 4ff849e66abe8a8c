import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { SecurityHoldsService } from './security-holds.service.js';
import type { SecurityEvent } from './user.events.js';
import { UsersRepository } from './users.repository.js';

const IDENTITIES_PER_USER = 50;
/** Stored for tokens without the claim `sub`. */
const NO_SUBJECT = '';

/**
 * The subjects (claim `sub`) of the identity provider that have signed in to an account. The e-mail address identifies the
 * account; another subject with the same address may be another person.
 */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly users: UsersRepository,
    private readonly holds: SecurityHoldsService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Records the subject of a sign-in. If the account has had other subjects and never this one, starts a hold, emits an event and
   * returns true. The caller has locked the user's row, so that concurrent sign-ins with one new subject start one hold.
   */
  async recordIdentity(tx: Tx, userId: string, subject: string | null): Promise<boolean> {
    const at = this.clock.now();
    const identity = { userId, subject: subject ?? NO_SUBJECT, firstSeenAt: at };
    const { isNew, others } = await this.users.insertIdentity(tx, identity);
    // A subject after sign-ins without one replaces none: the provider has begun to state it.
    if (!isNew || !others.some((other) => other !== NO_SUBJECT)) return false;
    if (others.length >= IDENTITIES_PER_USER)
      await this.users.deleteOldestIdentities(tx, userId, IDENTITIES_PER_USER);
    const hold = await this.holds.startHold(tx, userId, 'new-identity');
    await this.domainEvents.emit<SecurityEvent>(tx, {
      name: 'security.new-identity',
      userId,
      at,
      holdUntil: hold?.until ?? null,
    });
    return true;
  }

  /** The next sign-in is then the first one: for a change of the e-mail address, and for the erasure of a user. */
  async forgetIdentities(tx: Tx, userId: string): Promise<void> {
    await this.users.deleteIdentitiesOfUser(tx, userId);
  }
}
