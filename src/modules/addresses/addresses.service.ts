import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { HOUR_MS } from '../../common/durations.js';
import { newId } from '../../common/ids.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { failNotActive } from '../users/users.service.js';
import type { AddressEvent } from './address.events.js';
import { ADDRESS_NETWORKS, isAddressNetwork } from './addresses.constants.js';
import { AddressesRepository } from './addresses.repository.js';
import type { AddressEntry, NewAddress } from './addresses.types.js';
import { DestinationsService } from './destinations.service.js';
import { isEvmAddress, readDestination } from './domain/destination.js';

const ENTRIES_PER_USER = 50;

/** Users' address books. Methods with an id throw ADDRESS_NOT_FOUND, also for another user's entry. */
@Injectable()
export class AddressesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly addresses: AddressesRepository,
    private readonly destinations: DestinationsService,
    private readonly users: UserAccountsService,
    private readonly domainEvents: DomainEvents,
  ) {}

  listEntries(userId: string): Promise<AddressEntry[]> {
    return this.addresses.findEntriesOfUser(userId);
  }

  /**
   * Adds an address, unless the user's book has it in upper or lower case: then the entry stays unchanged. Throws
   * NETWORK_NOT_SUPPORTED, INVALID_WALLET_ADDRESS, LIMIT_REACHED, FORBIDDEN for an inactive user.
   */
  async addEntry(userId: string, given: NewAddress): Promise<{ entry: AddressEntry; isNew: boolean }> {
    const { label, network } = given;
    if (!isAddressNetwork(network)) return fail('NETWORK_NOT_SUPPORTED', { supported: ADDRESS_NETWORKS });
    if (!isEvmAddress(given.address)) return failMalformed();
    const { address } = readDestination(given.address);
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The lock of the user serialises concurrent additions, so that they cannot exceed the limit together.
      await this.requireActiveUser(tx, userId);
      await this.destinations.requirePayable(tx, address, 'address');
      const known = await this.addresses.findEntryOfAddress(tx, userId, address);
      if (known) return { entry: known, isNew: false };
      if ((await this.addresses.countEntries(tx, userId)) >= ENTRIES_PER_USER)
        fail('LIMIT_REACHED', { limit: ENTRIES_PER_USER });
      const [id, at] = [newId(), this.clock.now()];
      const usableFrom = new Date(at.getTime() + this.config.addressDelayHours * HOUR_MS);
      await this.addresses.insertEntry(tx, {
        id,
        userId,
        label,
        address,
        network,
        createdAt: at,
        usableFrom,
      });
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
  async deleteEntry(userId: string, id: string): Promise<AddressEntry> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const entry = await this.getEntry(tx, userId, id);
      if (!(await this.addresses.deleteEntry(tx, userId, id))) fail('ADDRESS_NOT_FOUND');
      return entry;
    });
  }

  /** For the erasure of a user. */
  async deleteEntriesOfUser(tx: Tx, userId: string): Promise<void> {
    await this.addresses.deleteEntriesOfUser(tx, userId);
  }

  /**
   * Throws ADDRESS_NOT_ALLOWED unless the user's book has the address, in upper or lower case, and it is usable. The entry
   * cannot be deleted before the transaction ends.
   */
  async requireUsableAddress(tx: Tx, userId: string, address: string): Promise<void> {
    const usableFrom = await this.addresses.lockUsableFrom(tx, userId, address);
    if (usableFrom && usableFrom <= this.clock.now()) return;
    fail('ADDRESS_NOT_ALLOWED', { usableFrom: usableFrom?.toISOString() ?? null });
  }

  private async requireActiveUser(tx: Tx, userId: string): Promise<void> {
    const user = await this.users.lockIfExists(tx, userId);
    if (user?.status !== 'active') failNotActive();
  }

  private async getEntry(tx: Tx, userId: string, id: string): Promise<AddressEntry> {
    return (await this.addresses.findEntry(userId, id, tx)) ?? fail('ADDRESS_NOT_FOUND');
  }
}

function failMalformed(): never {
  fail('INVALID_WALLET_ADDRESS', [{ field: 'address', message: 'must be 0x and 40 hex digits' }]);
}
