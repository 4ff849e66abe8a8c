import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { prepared } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { deleteSealed, sealedEntityOf, selectSealed } from '../../core/seals/seals.repository.js';
import { WithdrawalAddress } from './entities/withdrawal-address.entity.js';

export type NewAddressEntry = Omit<WithdrawalAddress, 'seal'>;

/** An entry of a user's address book. */
export interface AddressEntry extends Readonly<NewAddressEntry> {
  /** The number of completed withdrawals of the user to the address, regardless of upper and lower case. */
  readonly paidCount: number;
}

/**
 * `paidCount` reads the table `withdrawal` of the module withdrawals; the index `withdrawal_completed_to` serves the
 * subquery.
 */
const SELECT_ENTRIES = `
  select entry.id, entry.user_id as "userId", label, address, network, entry.created_at as "createdAt",
         usable_from as "usableFrom",
         (select count(*)::int from withdrawal
           where withdrawal.user_id = entry.user_id and lower(to_address) = lower(entry.address)
             and status = 'completed') as "paidCount"
    from withdrawal_address as entry`;

/** SQL: when the user added an address to the address book, regardless of case; null if it is not there. The arguments are SQL, too. */
export function inAddressBookSince(userId: string, address: string): string {
  return `(select entry.created_at from withdrawal_address as entry
            where entry.user_id = ${userId} and lower(entry.address) = lower(${address}))`;
}

@Injectable()
export class AddressesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  /** The oldest first. */
  findEntriesOfUser(userId: string): Promise<AddressEntry[]> {
    return this.dataSource.query(
      `${SELECT_ENTRIES} where entry.user_id = $1 order by entry.created_at, entry.id`,
      [userId],
    );
  }

  async findEntry(tx: Tx, userId: string, id: string): Promise<AddressEntry | undefined> {
    const sql = `${SELECT_ENTRIES} where entry.user_id = $1 and entry.id = $2`;
    const [entry] = await tx.query<AddressEntry[]>(sql, [userId, id]);
    return entry;
  }

  /** Finds the entry of an address, regardless of upper and lower case. */
  async findEntryOfAddress(tx: Tx, userId: string, address: string): Promise<AddressEntry | undefined> {
    const sql = `${SELECT_ENTRIES} where entry.user_id = $1 and lower(entry.address) = lower($2)`;
    const [entry] = await tx.query<AddressEntry[]>(sql, [userId, address]);
    return entry;
  }

  /**
   * Locks the entry of an address, regardless of upper and lower case, and returns the time from which it is usable, perhaps
   * in the future; undefined if there is none, or a forged one. The entry cannot be deleted before the transaction ends.
   */
  async lockUsableFrom(tx: Tx, userId: string, address: string): Promise<Date | undefined> {
    const { connection } = tx;
    const sql = `${selectSealed(connection, WithdrawalAddress)} where user_id = $1 and lower(address) = lower($2) for key share`;
    const [row] = await tx.query<object[]>(prepared(sql), [userId, address]);
    const entry = row && sealedEntityOf(connection, WithdrawalAddress, row);
    return entry && this.seals.isAuthentic('withdrawal_address', entry) ? entry.usableFrom : undefined;
  }

  /**
   * True for an address in the user's book, and for one to which a withdrawal of the user was paid, regardless of case. Reads
   * the table `withdrawal` of the module withdrawals.
   */
  async isKnownToUser(tx: Tx, userId: string, address: string): Promise<boolean> {
    const [row] = await tx.query<{ isKnown: boolean }[]>(
      `select exists (select from withdrawal_address where user_id = $1 and lower(address) = lower($2))
              or exists (select from withdrawal where user_id = $1 and lower(to_address) = lower($2)
                            and status = 'completed') as "isKnown"`,
      [userId, address],
    );
    return row?.isKnown ?? false;
  }

  countEntries(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(WithdrawalAddress, { userId });
  }

  async insertEntry(tx: Tx, entry: NewAddressEntry): Promise<void> {
    await tx.insert(WithdrawalAddress, { ...entry, seal: this.seals.sealRow('withdrawal_address', entry) });
  }

  async updateLabel(tx: Tx, userId: string, id: string, label: string): Promise<void> {
    await tx.update(WithdrawalAddress, { id, userId }, { label });
  }

  /** False if the user has no such entry. */
  async deleteEntry(tx: Tx, userId: string, id: string): Promise<boolean> {
    const entry = {
      table: 'withdrawal_address',
      condition: 'id = $1 and user_id = $2',
      parameters: [id, userId],
    };
    return (await deleteSealed(tx, entry)) === 1;
  }

  async deleteAddressBookOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(WithdrawalAddress, { userId });
  }
}
