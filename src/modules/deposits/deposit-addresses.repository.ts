import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { read } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { hashForms } from '../blockchain/domain/transaction-hash.js';
import type { AddressOwner } from './domain/chain-transfers.js';
import type { AddressCurrency, Network } from './domain/networks.js';
import { DepositAddress } from './entities/deposit-address.entity.js';

@Injectable()
export class DepositAddressesRepository {
  constructor(@InjectRepository(DepositAddress) private readonly addresses: Repository<DepositAddress>) {}

  findAddress(userId: string, currency: AddressCurrency, network: Network): Promise<DepositAddress | null> {
    return this.addresses.findOneBy({ userId, currency, network });
  }

  async findAddressesOfUser(tx: Tx, userId: string, currency: string, network: string): Promise<string[]> {
    const rows = await tx.query<{ address: string }[]>(
      'select address from deposit_address where user_id = $1 and currency = $2 and network = $3',
      [userId, currency, network],
    );
    return rows.map(({ address }) => address);
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
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('deposit-address:' || $1, 0))`, [address]);
    return tx.findOneBy(DepositAddress, { network, address });
  }

  /** Inserts the address, unless the user already has one for its currency and network. */
  async insertAddress(tx: Tx, address: DepositAddress): Promise<void> {
    await tx.createQueryBuilder().insert().into(DepositAddress).values(address).orIgnore().execute();
  }

  /**
   * Locks the deposit addresses that a transaction on chain may concern, and returns them: those in `addresses`, and those of
   * deposits with `hash`. Every write to a deposit requires the lock of the deposit's address. The rows are locked in the
   * order of their ids, so that two database transactions do not deadlock.
   */
  async lockAddressesOfTransaction(
    tx: Tx,
    network: Network,
    addresses: readonly string[],
    hash: string,
  ): Promise<AddressOwner[]> {
    return tx.query<AddressOwner[]>(
      `select user_id as "userId", address from deposit_address
        where network = $1
          and (address = any($2) or address in (select to_address from deposit where network = $1 and tx_hash = any($3)))
        order by id for update`,
      [network, addresses, hashForms(hash)],
    );
  }
}
