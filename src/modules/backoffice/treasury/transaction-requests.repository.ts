import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countFromTotals, countRows } from '../../../lists/count-rows.js';
import { markHours } from '../../../lists/total-marks.js';
import { findRow, findRows, insertRow, lockRow, updateRow } from '../../../database/entity-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { creationPeriod } from '../../../lists/creation-period.js';
import { byTime, ListPage } from '../../../lists/list-page.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { TRANSACTION_REQUEST_STATES, type TransactionRequestVerb } from './domain/admin-transaction.js';
import type { TransferPurpose } from './domain/transfer-plan.js';
import type { TransactionRequestsQuery } from './dto/admin-transactions.request.js';
import { AdminTransaction, TransactionRequest } from './entities/treasury.entity.js';
import type { TransactionRequestDetails } from './treasury.types.js';

type Changes = Partial<Pick<TransactionRequest, 'assignedTo' | 'note' | 'completedAt'>>;

type Stored = Omit<TransactionRequestDetails, 'amount'> & { amount: string };

// The transaction that completes a request confirms its transfer, so `confirmed_by` is the admin who completed the request.
const SELECT_DETAILS = `
  select request.id, request.type, request.status, transfer.amount, transfer.currency, transfer.network,
         transfer.strategy_id as "strategyId", request.transaction_id as "transactionId",
         request.requested_by as "requestedBy", request.assigned_to as "assignedTo", transfer.tx_hash as "txHash",
         transfer.confirmed_by as "completedBy",
         transfer.chain_check as "chainCheck", request.note, request.created_at as "createdAt",
         request.completed_at as "completedAt"`;
const JOIN_TRANSFER = 'join admin_transaction as transfer on transfer.id = request.transaction_id';

const FILTER = `($1::text is null or request.status = $1) and ($2::text is null or request.type = $2)
  and ($3::text is null or request.assigned_to = $3)
  and ($4::timestamptz is null or request.created_at >= $4) and ($5::timestamptz is null or request.created_at < $5)`;
const IS_CHECKED = 'request.transaction_id in (select id from admin_transaction where chain_check = $6)';

/** Every caller that locks a transfer and its request locks the transfer first. */
@Injectable()
export class TransactionRequestsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** One page, newest first. */
  async findPage({
    status,
    type,
    assignedTo,
    chainCheck,
    createdAfter,
    createdBefore,
    ...request
  }: TransactionRequestsQuery): Promise<Rows<TransactionRequestDetails>> {
    const facets = [status ?? null, type ?? null, assignedTo?.toLowerCase() ?? null];
    const period = creationPeriod({ createdAfter, createdBefore });
    const filter = [...facets, period.from, period.until, ...(chainCheck ? [chainCheck] : [])];
    const where = chainCheck ? `${FILTER} and ${IS_CHECKED}` : FILTER;
    const parameters: unknown[] = [...filter];
    const page = new ListPage(request, byTime('request.created_at', 'request.id'), parameters);
    const rows = await this.dataSource.query<Stored[]>(
      `${SELECT_DETAILS}, ${page.key}
         from (select * from transaction_request as request
                where ${where} and ${page.condition} ${page.orderBy} ${page.limit}) as request ${JOIN_TRANSFER}
        ${page.orderBy}`,
      parameters,
    );
    // The chain check is a column of the transfer, so the totals of requests do not have it.
    const rowsOfFilter = { table: 'transaction_request as request', name: 'request', where };
    const counted = chainCheck
      ? { total: await countRows(this.dataSource, `${rowsOfFilter.table} where ${where}`, filter) }
      : await countFromTotals(
          this.dataSource,
          {
            list: 'transaction_request',
            facets,
            rows: rowsOfFilter,
            time: { column: 'request.created_at', ...period },
          },
          filter,
        );
    return { ...page.cut(rows, toDetails), ...counted };
  }

  /** Throws TRANSACTION_NOT_FOUND. */
  async getDetails(tx: Tx, id: string): Promise<TransactionRequestDetails> {
    return (await this.findAllDetails(tx, [id]))[0] ?? throwError('TRANSACTION_NOT_FOUND');
  }

  /** The requests with these ids, in the order of their ids. */
  async findAllDetails(tx: Tx, ids: readonly string[]): Promise<TransactionRequestDetails[]> {
    const rows = await tx.query<Stored[]>(
      `${SELECT_DETAILS} from transaction_request as request ${JOIN_TRANSFER}
        where request.id = any($1::uuid[]) order by request.id`,
      [ids],
    );
    return rows.map(toDetails);
  }

  /** Returns the id of the request. */
  insertRequest(
    tx: Tx,
    transferId: string,
    purpose: TransferPurpose,
    { requestedBy, assignedTo, at }: { requestedBy: string; assignedTo: string | null; at: Date },
  ): string {
    const id = newId();
    insertRow(tx, TransactionRequest, {
      id,
      transactionId: transferId,
      type: purpose,
      status: 'pending',
      requestedBy,
      assignedTo,
      createdAt: at,
    });
    markHours(tx, 'transaction_request', at);
    return id;
  }

  /** The id of the transfer that a request carries out; it never changes. Throws TRANSACTION_NOT_FOUND. */
  async getTransferId(tx: Tx, id: string): Promise<string> {
    const request = await tx.findOneBy(TransactionRequest, { id });
    return request?.transactionId ?? throwError('TRANSACTION_NOT_FOUND');
  }

  /** The caller has found the request with `getTransferId`. */
  async lockRequest(tx: Tx, id: string): Promise<TransactionRequest> {
    return (await lockRow(tx, TransactionRequest, id)) as TransactionRequest;
  }

  /** Locks the pending request of a transfer; undefined without one. */
  lockPendingRequest(tx: Tx, transactionId: string): Promise<TransactionRequest | undefined> {
    const tail = `where transaction_id = $1 and status = 'pending' for update`;
    return findRow(tx, TransactionRequest, tail, [transactionId]);
  }

  /** Locks at most `limit` approved transfers for which there is no request yet. */
  lockTransfersWithoutRequest(tx: Tx, limit: number): Promise<AdminTransaction[]> {
    const tail = `where type = 'transfer' and status = 'processing'
                    and not exists (select from transaction_request where transaction_id = admin_transaction.id)
                  order by id limit $1 for update`;
    return findRows(tx, AdminTransaction, tail, [limit]);
  }

  /** Changes the locked row. No other method changes a status. Throws INVALID_STATE. */
  updateStatus(tx: Tx, request: TransactionRequest, verb: TransactionRequestVerb, changes: Changes): void {
    const status = TRANSACTION_REQUEST_STATES.next(request.status, verb);
    updateRow(tx, TransactionRequest, request.id, { ...changes, status });
    markHours(tx, 'transaction_request', request.createdAt);
  }
}

function toDetails(row: Stored): TransactionRequestDetails {
  return { ...row, amount: Money.of(row.amount) };
}
