import { Injectable, Logger } from '@nestjs/common';
import { getAddress } from 'viem';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { DepositAddressesRepository, type NewDepositAddress } from './deposits.repository.js';
import { DepositProvider } from './deposit-provider.client.js';
import {
  ADDRESS_CURRENCIES,
  canonicalAddress,
  isNetwork,
  NETWORKS,
  type AddressCurrency,
  type Network,
} from './domain/networks.js';
import type { DepositAddress } from './entities/deposit.entity.js';

/** Called before the provider creates an address; throws if the user's rate limit is exceeded. */
export type CountCreation = () => Promise<void>;

@Injectable()
export class DepositAddressesService {
  private readonly log = new Logger('DepositAddressesService');

  constructor(
    private readonly addresses: DepositAddressesRepository,
    private readonly provider: DepositProvider,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** As `findOrCreateAddress`, for unchecked input: also throws CURRENCY_NOT_SUPPORTED and NETWORK_NOT_SUPPORTED. */
  async findOrCreateRequested(
    userId: string,
    { currency, network }: { readonly currency: string; readonly network: string },
    countCreation: CountCreation,
  ): Promise<DepositAddress> {
    if (!isAddressCurrency(currency))
      return throwError('CURRENCY_NOT_SUPPORTED', { supported: ADDRESS_CURRENCIES });
    if (!isNetwork(network)) return throwError('NETWORK_NOT_SUPPORTED', { supported: NETWORKS });
    return this.findOrCreateAddress(userId, currency, network, countCreation);
  }

  /**
   * The user's address, which never changes. The provider creates it on first use. A stored address whose seal is missing or wrong may
   * be forged: it is shown only if the provider returns the same one when it is asked again. Throws CRYPTO2B_API_ERROR.
   */
  async findOrCreateAddress(
    userId: string,
    currency: AddressCurrency,
    network: Network,
    countCreation: CountCreation,
  ): Promise<DepositAddress> {
    const known = await this.addresses.findAddress(userId, currency, network);
    if (known) return known;
    await countCreation();
    const created = await this.provider.createAddress(userId, currency, network);
    const address = canonicalAddress(network, created.address);
    if (!address)
      return this.refuseAddress(`the address that the provider created is not a valid ${network} address`);
    // If the provider gives two concurrent requests different addresses, both return the one that is stored first.
    return this.unitOfWork.runInNewTransaction((tx) =>
      this.storeAddress(tx, { userId, currency, network, address, providerAddressId: created.id }),
    );
  }

  /** The user's existing address as a list, which is empty without one; creates none. */
  async listAddresses(
    tx: Tx,
    userId: string,
    currency: AddressCurrency,
    network: Network,
  ): Promise<string[]> {
    const found = await this.addresses.findAddress(userId, currency, network, tx);
    return found ? [found.address] : [];
  }

  /** At most one for each network and currency, the oldest first; forged ones, too. */
  listStoredAddresses(userId: string): Promise<DepositAddress[]> {
    return this.addresses.findAddressesOfUser(userId);
  }

  /** Whether the EVM address, in any letter case, is a deposit address of any user. */
  isEvmDepositAddress(tx: Tx, address: string): Promise<boolean> {
    return this.addresses.isEvmDepositAddress(tx, getAddress(address.toLowerCase()));
  }

  private async storeAddress(tx: Tx, created: NewDepositAddress): Promise<DepositAddress> {
    const { network, address, userId } = created;
    const stored = await this.addresses.lockNewAddress(tx, network, address);
    if (stored && stored.userId !== userId) this.refuseAddress('the provider gave one address to two users');
    const first = await this.addresses.insertAddress(tx, created, this.clock.now());
    return first ?? this.refuseAddress('a stored deposit address is not the one that the provider gives');
  }

  private refuseAddress(reason: string): never {
    this.log.error(reason);
    throwError('CRYPTO2B_API_ERROR');
  }
}

function isAddressCurrency(text: string): text is AddressCurrency {
  return (ADDRESS_CURRENCIES as readonly string[]).includes(text);
}
