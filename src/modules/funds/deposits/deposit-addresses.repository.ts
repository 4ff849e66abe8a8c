import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { newId } from '../../../common/ids.js';
import { findRows, insertIfNew } from '../../../database/entity-rows.js';
import { lockName, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import type { AddressOwner } from './domain/deposit-reports.js';
import type { AddressCurrency, Network } from './domain/networks.js';
import { DepositAddress } from './entities/deposit.entity.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';

export type NewDepositAddress = Omit<DepositAddress, 'id' | 'createdAt' | 'seal'>;

/** Addresses are sealed when they are stored. One without a right seal is not shown, and no payment to it is credited. */
@Injectable()
export class DepositAddressesRepository {
  constructor(
    @InjectRepository(DepositAddress) private readonly addresses: Repository<DepositAddress>,
    private readonly seals: CredentialSealsService,
  ) {}

  /** The user's address, null if there is none or a forged one. */
  async findAddress(
    userId: string,
    currency: AddressCurrency,
    network: Network,
    manager: EntityManager = this.addresses.manager,
  ): Promise<DepositAddress | null> {
    const stored = await manager.findOneBy(DepositAddress, { userId, currency, network });
    return stored && this.isAuthentic(stored) ? stored : null;
  }

  findAddressesOfUser(userId: string): Promise<DepositAddress[]> {
    return this.addresses.find({ where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Whether `address`, in its checksummed form, is a deposit address on ERC20 or BEP20. */
  async isEvmDepositAddress(tx: Tx, address: string): Promise<boolean> {
    const rows = await read(
      tx,
      `select from deposit_address where network in ('ERC20', 'BEP20') and address = $1 limit 1`,
      [address],
    );
    return rows.length > 0;
  }

  /** Locks the address until the transaction ends, and reads its row under the lock; null if it is not stored yet. */
  async lockNewAddress(tx: Tx, network: Network, address: string): Promise<DepositAddress | null> {
    await lockName(tx, `deposit-address:${address}`);
    return tx.findOneBy(DepositAddress, { network, address });
  }

  /**
   * Inserts an address that the provider has given, unless the user already has one for its currency and network. Returns the user's
   * address. A stored address without a right seal is sealed if it is the given one; otherwise the result is null.
   */
  async insertAddress(tx: Tx, given: NewDepositAddress, at: Date): Promise<DepositAddress | null> {
    const address = { ...given, id: newId(), createdAt: at };
    const seal = this.seals.sealRow('deposit_address', address);
    await insertIfNew(tx, DepositAddress, { ...address, seal });
    const { userId, currency, network } = given;
    const stored = await this.findAddress(userId, currency, network, tx);
    return stored ?? this.sealAddress(tx, given);
  }

  private async sealAddress(tx: Tx, given: NewDepositAddress): Promise<DepositAddress | null> {
    const stored = await tx.findOneBy(DepositAddress, { ...given });
    if (!stored) return null;
    const seal = this.seals.sealRow('deposit_address', stored);
    await tx.update(DepositAddress, { id: stored.id }, { seal });
    return { ...stored, seal };
  }

  /**
   * Locks the deposit addresses that a transaction on chain may concern: those in `addresses`, and those of deposits with `hash`.
   * Returns them, except forged ones. Every write to a deposit requires the lock of the deposit's address. The rows are locked in
   * the order of their ids, so that two database transactions do not deadlock.
   */
  async lockAddressesOfTransaction(
    tx: Tx,
    network: Network,
    addresses: readonly string[],
    hash: string,
  ): Promise<AddressOwner[]> {
    const rows = await findRows(
      tx,
      DepositAddress,
      `where network = $1
         and address = any($2 || array(select to_address from deposit where network = $1 and tx_hash collate "C" = any($3)))
       order by id for update`,
      [network, addresses, hashForms(hash)],
    );
    return rows.filter((row) => this.isAuthentic(row));
  }

  /** The seal of an address does not end (`isSealEnded`), because the address never changes. */
  private isAuthentic(address: DepositAddress): boolean {
    return this.seals.isAuthentic('deposit_address', { ...address, isSealEnded: false });
  }
}
