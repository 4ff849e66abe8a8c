import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countFromTotals } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { ChainCheck } from '../blockchain/domain/chain-check.js';
import type { RequestStatus, TransferPurpose } from './domain/transaction-request.state-machine.js';

/** A transfer that an operator is to carry out, or has. */
export interface TransactionRequestDetails {
  readonly id: string;
  readonly type: TransferPurpose;
  readonly status: RequestStatus;
  readonly amount: Money;
  readonly currency: string;
  readonly network: string;
  readonly strategyId: string | null;
  readonly transactionId: string;
  readonly requestedBy: string;
  readonly assignedTo: string | null;
  readonly completedBy: string | null;
  readonly txHash: string | null;
  readonly chainCheck: ChainCheck | null;
  readonly note: string | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

export interface RequestsFilter {
  readonly page: number;
  readonly limit: number;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly assignedTo?: string | undefined;
}

type Stored = Omit<TransactionRequestDetails, 'amount'> & { amount: string };

// Completing a request confirms its transfer: who did the one did the other.
const COLUMNS = `
  select request.id, request.type, request.status, moved.amount, moved.currency, moved.network,
         moved.strategy_id as "strategyId", request.transaction_id as "transactionId",
         request.requested_by as "requestedBy", request.assigned_to as "assignedTo", moved.tx_hash as "txHash",
         moved.confirmed_by as "completedBy",
         moved.chain_check as "chainCheck", request.note, request.created_at as "createdAt",
         request.completed_at as "completedAt"`;
const MOVED = 'join admin_transaction as moved on moved.id = request.transaction_id';

const FILTER = `($1::text is null or request.status = $1) and ($2::text is null or request.type = $2)
  and ($3::text is null or request.assigned_to = $3)`;

@Injectable()
export class TransactionRequestQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async list({
    status,
    type,
    assignedTo,
    ...page
  }: RequestsFilter): Promise<Rows<TransactionRequestDetails>> {
    const chosen = [status ?? null, type ?? null, assignedTo?.toLowerCase() ?? null];
    const rows = await this.dataSource.query<Stored[]>(
      `${COLUMNS}
         from (select * from transaction_request as request where ${FILTER}
                order by request.created_at desc, request.id desc limit $4 offset $5) as request ${MOVED}
        order by request.created_at desc, request.id desc`,
      [...chosen, page.limit, offsetOf(page)],
    );
    const total = await countFromTotals(this.dataSource, {
      list: 'transaction_request',
      facets: chosen,
    });
    return { rows: rows.map(asRequest), total };
  }

  /** As the transaction sees it. Throws TRANSACTION_NOT_FOUND. */
  async get(id: string, tx: EntityManager): Promise<TransactionRequestDetails> {
    return (await this.some([id], tx))[0] ?? fail('TRANSACTION_NOT_FOUND');
  }

  async some(ids: readonly string[], tx: EntityManager): Promise<TransactionRequestDetails[]> {
    const rows = await tx.query<Stored[]>(
      `${COLUMNS} from transaction_request as request ${MOVED} where request.id = any($1::uuid[]) order by request.id`,
      [ids],
    );
    return rows.map(asRequest);
  }
}

function asRequest(row: Stored): TransactionRequestDetails {
  return { ...row, amount: Money.of(row.amount) };
}
