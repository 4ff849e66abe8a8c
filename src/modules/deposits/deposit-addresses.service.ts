import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { toDepositAddressResponse, type DepositAddressResponse } from './dto/deposit-address.response.js';
import { DepositAddress } from './entities/deposit-address.entity.js';
import {
  ADDRESS_CURRENCIES,
  canonicalAddress,
  isNetwork,
  NETWORKS,
  type AddressCurrency,
  type Network,
} from './networks.js';
import { DepositProvider } from './provider/deposit-provider.js';

/** Asked before the provider makes an address; throws when the user has had too many made. */
export type Permit = () => Promise<void>;

@Injectable()
export class DepositAddressesService {
  private readonly log = new Logger('DepositAddressesService');

  constructor(
    @InjectRepository(DepositAddress) private readonly addresses: Repository<DepositAddress>,
    private readonly provider: DepositProvider,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * The user's address, made by the provider on first use and kept for good. Throws CURRENCY_NOT_SUPPORTED,
   * NETWORK_NOT_SUPPORTED and CRYPTO2B_API_ERROR.
   */
  async show(
    userId: string,
    wish: { currency: string; network: string },
    permit: Permit,
  ): Promise<DepositAddressResponse> {
    const { currency, network } = wish;
    if (!isAddressCurrency(currency))
      return fail('CURRENCY_NOT_SUPPORTED', { supported: ADDRESS_CURRENCIES });
    if (!isNetwork(network)) return fail('NETWORK_NOT_SUPPORTED', { supported: NETWORKS });
    const address = await this.ensure(userId, currency, network, permit);
    return toDepositAddressResponse(address, this.config);
  }

  async ensure(
    userId: string,
    currency: AddressCurrency,
    network: Network,
    permit: Permit,
  ): Promise<DepositAddress> {
    const kept = await this.addresses.findOneBy({ userId, currency, network });
    if (kept) return kept;
    await permit();
    const made = await this.provider.createAddress(userId, currency, network);
    const address = canonicalAddress(network, made.address);
    if (!address) return this.refuse(`the provider's address is none of ${network}`);
    await this.unitOfWork.runInNewTransaction((tx) =>
      this.keep(tx, { userId, currency, network, address, providerAddressId: made.id }),
    );
    // Of two that asked at once, both get the one that was kept first.
    return this.addresses.findOneByOrFail({ userId, currency, network });
  }

  /** Two users who are given one address at once follow one another: the second is refused. */
  private async keep(tx: Tx, made: Omit<DepositAddress, 'id' | 'createdAt'>): Promise<void> {
    const { network, address, userId } = made;
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('deposit-address:' || $1, 0))`, [address]);
    const known = await tx.findOneBy(DepositAddress, { network, address });
    if (known && known.userId !== userId) this.refuse('the provider gave one address to two users');
    await tx
      .createQueryBuilder()
      .insert()
      .into(DepositAddress)
      .values({ ...made, id: newId(), createdAt: this.clock.now() })
      .orIgnore()
      .execute();
  }

  private refuse(why: string): never {
    this.log.error(why);
    fail('CRYPTO2B_API_ERROR');
  }
}

function isAddressCurrency(text: string): text is AddressCurrency {
  return (ADDRESS_CURRENCIES as readonly string[]).includes(text);
}
