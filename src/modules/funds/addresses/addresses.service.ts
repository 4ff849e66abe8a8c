import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { all } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { HOUR_MS } from '../../../common/durations.js';
import { newId } from '../../../common/ids.js';
import { RateLimits } from '../../../http/throttling/rate-limits.js';
import { DepositAddressesService } from '../deposits/deposit-addresses.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { ScreeningService } from '../../identity/screening/screening.service.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { failNotActive } from '../../identity/users/domain/account-restrictions.js';
import type { AddressEvent } from './address.events.js';
import { AddressesRepository, type AddressEntry } from './addresses.repository.js';
import {
  EVM_NETWORKS,
  failUnpayable,
  isEvmNetwork,
  isEvmAddress,
  readDestination,
  unpayableAddresses,
} from './domain/destination.js';
import type { AddAddressRequest } from './dto/addresses.request.js';

const ENTRIES_PER_USER = 50;
/** The rate class that limits how many deposit addresses of other users a user can find by trying. */
const PROBES = 'deposit-address-refusal';

/**
 * Users' address books, and the check that a payment to an address would not be lost. Methods with the id of an entry throw
 * ADDRESS_NOT_FOUND if the user's book has no such entry, even if another user's book has it.
 */
@Injectable()
export class AddressesService {
  private readonly unpayable: ReadonlySet<string>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    config: AppConfig,
    private readonly addresses: AddressesRepository,
    private readonly depositAddresses: DepositAddressesService,
    private readonly users: UserAccountsService,
    private readonly screening: ScreeningService,
    private readonly rateLimits: RateLimits,
    private readonly domainEvents: DomainEvents,
    private readonly tiers: LimitTiersService,
  ) {
    this.unpayable = unpayableAddresses(config);
  }

  listEntries(userId: string): Promise<AddressEntry[]> {
    return this.addresses.findEntriesOfUser(userId);
  }

  /**
   * Adds an address and queues it for screening. If the user's book has the address, in any letter case, returns its entry
   * unchanged. Throws NETWORK_NOT_SUPPORTED, LIMIT_REACHED, FORBIDDEN for an inactive user, and the errors of the step-up, of
   * `isDepositAddress` and of `refuseDepositAddress`.
   */
  async addEntry(
    userId: string,
    { label, network, address: enteredAddress }: AddAddressRequest,
    requireStepUp: StepUpCheck,
  ): Promise<{ entry: AddressEntry; isNew: boolean }> {
    if (!isEvmNetwork(network)) return throwError('NETWORK_NOT_SUPPORTED', { supported: EVM_NETWORKS });
    if (!isEvmAddress(enteredAddress)) return failMalformed();
    const { address } = readDestination(enteredAddress);
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The lock of the user serialises concurrent additions, so that they cannot exceed the limit together.
      const user = await this.users.lockIfExists(tx, userId);
      if (user?.status !== 'active') return failNotActive();
      await requireStepUp(tx, { address });
      const [isDepositAddress, { addressDelayHours }] = await all(
        this.isDepositAddress(tx, address, 'address'),
        this.tiers.getTierOfUser(tx, userId), // cannot change, because the user is locked
      );
      const existing = await this.addresses.findEntryOfAddress(tx, userId, address);
      if (existing) return { entry: existing, isNew: false };
      if ((await this.addresses.countEntries(tx, userId)) >= ENTRIES_PER_USER)
        throwError('LIMIT_REACHED', { limit: ENTRIES_PER_USER });
      await this.refuseDepositAddress(tx, userId, { address, isDepositAddress, field: 'address' });
      await this.screening.queueBookAddress(tx, userId, address);
      const id = newId();
      const at = this.clock.now();
      const usableFrom = new Date(at.getTime() + addressDelayHours * HOUR_MS);
      const entry = { id, userId, label, address, network, createdAt: at, usableFrom };
      await this.addresses.insertEntry(tx, entry);
      const event = { name: 'address.added', userId, at, label, address, usableFrom } as const;
      await this.domainEvents.emit<AddressEvent>(tx, event);
      return { entry: await this.getEntry(tx, userId, id), isNew: true };
    });
  }

  async renameEntry(userId: string, id: string, label: string): Promise<AddressEntry> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.addresses.updateLabel(tx, userId, id, label);
      return this.getEntry(tx, userId, id);
    });
  }

  /** Returns the deleted entry. Withdrawals that were requested before are not affected. */
  async deleteEntry(userId: string, id: string, requireStepUp: StepUpCheck): Promise<AddressEntry> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const entry = await this.getEntry(tx, userId, id);
      await requireStepUp(tx, { address: entry.address });
      return this.removeEntry(tx, userId, id);
    });
  }

  /** Deletes an entry in the caller's transaction, without a step-up: `deleteEntry` has checked it, and admins need none. */
  async removeEntry(tx: Tx, userId: string, id: string): Promise<AddressEntry> {
    const entry = await this.getEntry(tx, userId, id);
    if (!(await this.addresses.deleteEntry(tx, userId, id))) throwError('ADDRESS_NOT_FOUND');
    const { label, address, usableFrom } = entry;
    const at = this.clock.now();
    const event = { name: 'address.removed', userId, at, label, address, usableFrom } as const;
    await this.domainEvents.emit<AddressEvent>(tx, event);
    return entry;
  }

  /** For the erasure of a user. */
  async deleteAddressBookOfUser(tx: Tx, userId: string): Promise<void> {
    await this.addresses.deleteAddressBookOfUser(tx, userId);
  }

  /**
   * Throws ADDRESS_NOT_ALLOWED unless the user's book has a usable entry for the address, regardless of case. The entry cannot
   * be deleted before the transaction ends.
   */
  async requireUsableAddress(tx: Tx, userId: string, address: string): Promise<void> {
    const usableFrom = await this.addresses.lockUsableFrom(tx, userId, address);
    if (usableFrom && usableFrom <= this.clock.now()) return;
    throwError('ADDRESS_NOT_ALLOWED', { usableFrom: usableFrom?.toISOString() ?? null });
  }

  /**
   * Whether the address is a deposit address of any user, for `refuseDepositAddress`. Throws INVALID_WALLET_ADDRESS for the
   * zero address, token contracts and the providers' addresses, which are no secrets. `field` is the request's field that the
   * error names.
   */
  async isDepositAddress(tx: Tx, address: string, field: string): Promise<boolean> {
    if (this.unpayable.has(address.toLowerCase())) failUnpayable(field);
    return this.depositAddresses.isEvmDepositAddress(tx, address);
  }

  /**
   * Throws INVALID_WALLET_ADDRESS for a deposit address, ten times per user and day. After that throws RATE_LIMIT_EXCEEDED for
   * every address, except those of `isKnownToUser`, because an error for deposit addresses only would still identify them.
   */
  async refuseDepositAddress(
    tx: Tx,
    userId: string,
    { address, isDepositAddress, field }: { address: string; isDepositAddress: boolean; field: string },
  ): Promise<void> {
    if (isDepositAddress) {
      const { used, limit, secondsLeft } = await this.rateLimits.countDaily(PROBES, userId);
      if (used > limit) this.rateLimits.refuse(PROBES, secondsLeft);
      failUnpayable(field);
    }
    const { used, limit, secondsLeft } = await this.rateLimits.getDailyState(PROBES, userId);
    if (used >= limit && !(await this.addresses.isKnownToUser(tx, userId, address)))
      this.rateLimits.refuse(PROBES, secondsLeft);
  }

  private async getEntry(tx: Tx, userId: string, id: string): Promise<AddressEntry> {
    return (await this.addresses.findEntry(tx, userId, id)) ?? throwError('ADDRESS_NOT_FOUND');
  }
}

function failMalformed(): never {
  throwError('VALIDATION_ERROR', [{ field: 'address', message: 'must be 0x and 40 hex digits' }]);
}
