import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { failTooLong, type DayRange } from '../../../http/request/date-range.js';
import { addDays, startOfDay } from '../../../common/days.js';
import { isId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import { NETWORKS } from '../../funds/deposits/domain/networks.js';
import { PLATFORM } from '../../core/ledger/domain/chart-of-accounts.js';
import {
  BOOK_RECORD_TYPES,
  MAX_LINES,
  type BookRecord,
  type StatementLine,
  type StatementSource,
} from './domain/movement.js';
import type { Stored } from './reconciliation.types.js';

// `ranged`: records with postings in the range, which the statement should contain. `named`: records whose hash or id the
// statement contains, of any date; each query defines it. `wanted` is the union of both.
// $1 account kind, $2 and $3 range, $4 posting types, $5 limit, one above the permitted number so that an excess shows, $6 hashes.
// CUSTODY: $7 the references that are ids of the platform. DEPOSITS: $7 all references, $8 networks, $9 those ids.
const WANTED_RECORDS = `
  account as materialized (
    select id, asset, scope from ledger_account where owner_id = '${PLATFORM}' and kind = $1),
  ranged as (
    select distinct posted.reference_type as type, posted.reference_id::uuid as id
      from account
      join ledger_entry as entry
        on entry.account_id = account.id and entry.effective_at >= $2 and entry.effective_at < $3
      join ledger_transaction as posted on posted.id = entry.transaction_id
     where posted.type = any($4) and posted.reference_type in ('${BOOK_RECORD_TYPES.join("', '")}')
     limit $5),
  wanted as (
    select type, id, bool_or(ranged) as "isPostedInRange"
      from (select type, id, true as ranged from ranged union all select type, id, false from named) as record
     group by type, id)`;

/**
 * What the ledger has posted for a record of `wanted`; null also for a held deposit whose posting is reversed. A debit of an
 * asset account is negative and means money received. Treasury transfers are included, because `named` can contain them
 * where $4 lacks their type.
 */
const POSTED = `
  lateral (
    select nullif(-sum(entry.amount), 0) as amount, min(entry.effective_at) as at,
           min(account.asset) as asset, nullif(min(account.scope), '') as scope
      from ledger_transaction as posted
      join ledger_entry as entry on entry.transaction_id = posted.id
      join account on account.id = entry.account_id
     where posted.type = any($4::text[] || 'treasury-transfer'::text) and posted.reference_type = wanted.type
       and posted.reference_id = wanted.id::text) as posted`;

/** The reference type of the postings of a row of `admin_transaction`. */
const ADMIN_REFERENCE_TYPE = `case type when 'transfer' then 'treasury-transfer' else 'admin-transaction' end`;
/** The movement status of a row of `admin_transaction`, in both queries under the alias `booked`. */
const ADMIN_STATUS = `case when posted.amount is not null then 'settled'
                           when booked.status = 'failed' then 'failed' else 'underway' end`;

/** Excludes transfers that vanished or were never proven, and deposits that an admin booked by hand instead. */
const IS_DEPOSIT = `(failure is null or failure not in ('vanished', 'unproven'))
                    and hold_reason is distinct from 'BOOKED_BY_HAND'`;

/** The posted treasury transfers whose ids the statement contains. */
const namedTransfers = (ids: '$7' | '$9') => `
    select 'treasury-transfer', reference_id::uuid from ledger_transaction
     where type = 'treasury-transfer' and reference_type = 'treasury-transfer' and reference_id = any(${ids}::text[])`;

// The provider's list does not contain treasury transfers, but a statement may name them. `covered` is the deposit that an
// admin has booked by hand: the statement names it by the provider's id, and the record is the admin's transaction. A booking
// out of suspense (`from_suspense`) moves no money at the provider.
const DEPOSITS = `
  with named as (
    select 'deposit' as type, id from deposit
     where network = any($8::text[]) and tx_hash = any($6::text[]) and ${IS_DEPOSIT}
    union
    select 'deposit', id from deposit
     where (provider_deposit_id = any($7::text[]) or id = any($9::text[]::uuid[])) and ${IS_DEPOSIT}
    union
    select ${ADMIN_REFERENCE_TYPE}, id from admin_transaction
     where (tx_hash = any($6::text[]) or id = any($9::text[]::uuid[])) and type in ('deposit', 'transfer') and not from_suspense
    union
    ${namedTransfers('$9')}
    union
    select 'admin-transaction', booked.id from deposit
      join admin_transaction as booked
        on booked.tx_hash = any(hash_forms(deposit.tx_hash)) and booked.user_id = deposit.user_id and not from_suspense
     where provider_deposit_id = any($7::text[]) and hold_reason = 'BOOKED_BY_HAND'),
  ${WANTED_RECORDS}
  select wanted.type, wanted.id, wanted."isPostedInRange",
         coalesce(deposit.provider_deposit_id, covered.provider_deposit_id) as reference,
         coalesce(deposit.tx_hash, booked.tx_hash) as "txHash", coalesce(deposit.network, posted.scope) as network,
         coalesce(deposit.currency, posted.asset) as currency,
         case when posted.amount < 0 then 'out' else 'in' end as direction,
         case when booked.id is not null then ${ADMIN_STATUS}
              when deposit.status = 'failed' then 'failed'
              when deposit.status = 'completed' or deposit.hold_reason is not null or posted.amount is not null
              then 'settled' else 'underway' end as status,
         coalesce(deposit.amount, booked.amount, posted.amount) as amount, abs(posted.amount) as posted,
         coalesce(posted.at, deposit.created_at) as at, coalesce(deposit.to_address, covered.to_address) as address,
         coalesce(deposit.log_index, covered.log_index) as "logIndex"
    from wanted
    left join deposit on wanted.type = 'deposit' and deposit.id = wanted.id
    left join admin_transaction as booked on wanted.type <> 'deposit' and booked.id = wanted.id
    left join lateral (
      select provider_deposit_id, to_address, log_index from deposit as covered
       where network = any($8::text[]) and tx_hash = any(hash_forms(booked.tx_hash)) and user_id = booked.user_id
         and hold_reason = 'BOOKED_BY_HAND'
       order by id limit 1) as covered on true
    left join ${POSTED} on true
   order by wanted.id`;

// A treasury transfer goes into custody unless its purpose or posting says the opposite. Other records are payments.
const CUSTODY = `
  with named as (
    select 'withdrawal' as type, id from withdrawal where tx_hash = any($6::text[])
    union
    select 'withdrawal', id from withdrawal where id = any($7::text[]::uuid[])
    union
    select ${ADMIN_REFERENCE_TYPE}, id from admin_transaction
     where (tx_hash = any($6::text[]) or id = any($7::text[]::uuid[])) and type in ('withdrawal', 'transfer')
    union
    ${namedTransfers('$7')}),
  ${WANTED_RECORDS}
  select wanted.type, wanted.id, wanted."isPostedInRange", null as reference,
         coalesce(withdrawal.tx_hash, booked.tx_hash) as "txHash",
         case wanted.type when 'withdrawal' then 'ERC20' else booked.network end as network,
         coalesce(withdrawal.currency, booked.currency, posted.asset) as currency,
         case when wanted.type = 'treasury-transfer' and booked.purpose is distinct from 'deallocate'
                   and coalesce(posted.amount, 0) >= 0 then 'in' else 'out' end as direction,
         case when withdrawal.id is null then ${ADMIN_STATUS}
              when withdrawal.status in ('failed', 'rejected') then 'failed'
              when withdrawal.status = 'completed' or posted.amount is not null then 'settled'
              else 'underway' end as status,
         coalesce(withdrawal.amount, booked.amount, abs(posted.amount)) as amount, abs(posted.amount) as posted,
         coalesce(posted.at, withdrawal.created_at, booked.created_at) as at, withdrawal.to_address as address,
         null::integer as "logIndex"
    from wanted
    left join withdrawal on wanted.type = 'withdrawal' and withdrawal.id = wanted.id
    left join admin_transaction as booked on wanted.type <> 'withdrawal' and booked.id = wanted.id
    left join ${POSTED} on true
   order by wanted.id`;

/**
 * Reads deposits, withdrawals and admin transactions with their postings, in one statement and so in one snapshot.
 * The tables belong to their modules; reconciliation compares across all of them.
 */
@Injectable()
export class BookRecordsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The records with postings of the compared types in the range, and those that the lines name by hash or reference. Throws
   * INVALID_DATE_RANGE if the range has more records than MAX_LINES.
   */
  async findRecords(
    source: StatementSource,
    range: DayRange,
    lines: readonly StatementLine[],
  ): Promise<BookRecord[]> {
    const hashes = [...new Set(lines.flatMap(({ txHash }) => (txHash === null ? [] : hashForms(txHash))))];
    const references = [...new Set(lines.map(({ reference }) => reference))];
    const ids = references.filter(isId).map((id) => id.toLowerCase()); // the cast to uuid fails for other text
    const days = [startOfDay(range.from), startOfDay(addDays(range.to, 1))];
    const rows =
      source === 'custody'
        ? await this.dataSource.query<Stored<BookRecord>[]>(CUSTODY, [
            'asset.custody',
            ...days,
            ['withdrawal-completed', 'treasury-transfer'],
            MAX_LINES + 1,
            hashes,
            ids,
          ])
        : await this.dataSource.query<Stored<BookRecord>[]>(DEPOSITS, [
            'asset.deposit-provider',
            ...days,
            ['deposit', 'deposit-held', 'deposit-reversed'],
            MAX_LINES + 1,
            hashes,
            references,
            NETWORKS,
            ids,
          ]);
    if (rows.filter(({ isPostedInRange }) => isPostedInRange).length > MAX_LINES)
      failTooLong(`${MAX_LINES} records`);
    return rows.map((row) => ({
      ...row,
      amount: Money.of(row.amount),
      posted: row.posted === null ? null : Money.of(row.posted),
    }));
  }
}
