import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countFromTotals, countRows } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { ChainCheck } from '../blockchain/chain-check.js';
import type { Mined } from '../blockchain/mined.js';
import type { ChainStatusService, ChainType } from '../transactions/chain-transaction.words.js';
import type { TransferPurpose } from './domain/transaction-request.state-machine.js';

/** A transaction in the admins' list: a user's, or one that admins asked for. */
export interface ListedTransaction {
  readonly id: string;
  /** Null of a transfer of the treasury's. */
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly type: ChainType;
  readonly amount: Money;
  readonly currency: string;
  readonly status: ChainStatusService;
  readonly txHash: string | null;
  readonly blockNumber: number | null;
  readonly confirmations: number;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  readonly processedAt: Date | null;
}

/** What is known of one that admins asked for, beside what the list shows. */
export interface AdminPart {
  readonly withdrawalId: string | null;
  readonly fromSuspense: boolean;
  readonly purpose: TransferPurpose | null;
  readonly network: string | null;
  readonly strategyId: string | null;
  readonly createdBy: string;
  readonly approvedBy: string | null;
  readonly confirmedBy: string | null;
  readonly rejectedBy: string | null;
  readonly rejectedAt: Date | null;
  readonly reason: string | null;
  readonly chainCheck: ChainCheck | null;
  readonly requestId: string | null;
}

export interface AdminTransactionDetails extends ListedTransaction, Mined {
  readonly description: string;
  readonly fromAddress: string | null;
  readonly toAddress: string | null;
  /** Null of what a user did. */
  readonly byAdmins: AdminPart | null;
}

export interface TransactionsFilter {
  readonly page: number;
  readonly limit: number;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly userId?: string | undefined;
}

type Stored<Row> = Omit<Row, 'amount' | 'blockNumber'> & { amount: string; blockNumber: string | null };

const COLUMNS = `
  shown.id, shown.user_id as "userId", owner.email as "userEmail", shown.type, shown.amount, shown.currency,
  shown.status, shown.tx_hash as "txHash", shown.block_number as "blockNumber", shown.confirmations,
  shown.created_at as "createdAt", shown.confirmed_at as "confirmedAt", shown.processed_at as "processedAt"`;

const DETAIL = `
  select ${COLUMNS}, shown.description, shown.from_address as "fromAddress", shown.to_address as "toAddress",
         shown.gas_used as "gasUsed", shown.gas_price as "gasPrice",
         case when own.id is not null then jsonb_build_object(
           'withdrawalId', own.withdrawal_id, 'fromSuspense', own.from_suspense, 'purpose', own.purpose,
           'network', own.network, 'strategyId', own.strategy_id, 'createdBy', own.created_by,
           'approvedBy', own.approved_by, 'confirmedBy', own.confirmed_by, 'rejectedBy', own.rejected_by,
           'reason', own.reason, 'chainCheck', own.chain_check, 'requestId', request.id)
         end as "byAdmins", own.rejected_at as "rejectedAt"
    from admin_transaction_list as shown
    left join platform_user as owner on owner.id = shown.user_id
    left join admin_transaction as own on own.id = shown.id
    left join transaction_request as request on request.transaction_id = own.id`;

const FILTER = `
  listed and ($1::text is null or type = $1) and ($2::text is null or status = $2) and ($3::uuid is null or user_id = $3)`;

const NEWEST = 'shown.created_at desc, shown.id desc';
/** The page by itself, in the order that its index has. */
const PAGE = `select * from admin_transaction_list as shown where ${FILTER} order by ${NEWEST}`;
/**
 * Of one type. Written so that only the index by type has its order: where the newest are of other types, the planner
 * would rather walk past all of them, for it takes every type to be spread evenly.
 */
const PAGE_OF_TYPE = `
  select * from admin_transaction_list as shown where listed and type between $1 and $1 and $2::text is null and $3::uuid is null
   order by shown.type desc, ${NEWEST}`;

/** The admins' one list over what users are shown and what admins asked for. Two statements, however long it is. */
@Injectable()
export class AdminTransactionQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async list({ type, status, userId, ...page }: TransactionsFilter): Promise<Rows<ListedTransaction>> {
    const chosen = [type ?? null, status ?? null, userId ?? null];
    const rows = await this.dataSource.query<Stored<ListedTransaction>[]>(
      `select ${COLUMNS}
         from (${type && !status && !userId ? PAGE_OF_TYPE : PAGE} limit $4 offset $5) as shown
         left join platform_user as owner on owner.id = shown.user_id
        order by ${NEWEST}`,
      [...chosen, page.limit, offsetOf(page)],
    );
    const total = userId
      ? await countRows(this.dataSource, `admin_transaction_list where ${FILTER}`, chosen)
      : await countFromTotals(this.dataSource, {
          list: 'transaction',
          facets: [status ?? null, type ?? null],
        });
    return { rows: rows.map(asListed), total };
  }

  /** Inside `tx` as that transaction sees it. Throws TRANSACTION_NOT_FOUND. */
  async get(id: string, tx: EntityManager = this.dataSource.manager): Promise<AdminTransactionDetails> {
    const [row] = await tx.query<StoredDetail[]>(`${DETAIL} where shown.id = $1`, [id]);
    return row ? asDetail(row) : fail('TRANSACTION_NOT_FOUND');
  }

  /** The transfers that a run asked for. */
  async ofRun(runId: string, tx: EntityManager): Promise<AdminTransactionDetails[]> {
    const rows = await tx.query<StoredDetail[]>(
      `${DETAIL} where shown.id in (select id from admin_transaction where run_id = $1) order by shown.id`,
      [runId],
    );
    return rows.map(asDetail);
  }
}

type StoredDetail = Stored<Omit<AdminTransactionDetails, 'byAdmins'>> & {
  byAdmins: Omit<AdminPart, 'rejectedAt'> | null;
  rejectedAt: Date | null;
};

function asListed<Row extends Stored<object>>(row: Row) {
  const blockNumber = row.blockNumber === null ? null : Number(row.blockNumber);
  return { ...row, amount: Money.of(row.amount), blockNumber };
}

function asDetail({ byAdmins, rejectedAt, ...row }: StoredDetail): AdminTransactionDetails {
  return { ...asListed(row), byAdmins: byAdmins && { ...byAdmins, rejectedAt } };
}
