import { applyDecorators, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  ALL,
  DateInput,
  FilterInput,
  PAGE_LIMIT,
  PageLimit,
  PageNumber,
} from '../../../http/request/input.decorators.js';
import { RequestPipe } from '../../../http/request/request.pipe.js';
import {
  CHAIN_STATUSES,
  CHAIN_TYPES,
  type ChainStatusService,
  type ChainType,
} from '../chain-transaction.words.js';
import {
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type TransactionStatus,
  type TransactionType,
} from '../domain/transaction.state-machine.js';

const VIEWS = ['ledger', 'chain'] as const;
const SORTS = ['createdAt', 'amount'] as const;
const ORDERS = ['asc', 'desc'] as const;

export type TransactionSort = (typeof SORTS)[number];

/** The list by the words of the ledger: shape B. */
export class LedgerTransactionsQuery {
  @IsOptional()
  @IsIn(VIEWS)
  view: 'ledger' = 'ledger';

  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @FilterInput(TRANSACTION_TYPES)
  type?: TransactionType;

  @FilterInput(TRANSACTION_STATUSES)
  status?: TransactionStatus;

  @IsOptional()
  @IsIn(SORTS)
  sortBy: TransactionSort = 'createdAt';

  @IsOptional()
  @IsIn(ORDERS)
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({ optional: true })
  startDate?: string;

  @DateInput({ optional: true })
  endDate?: string;
}

/** The list by the words of the chain: shape A, with its own filters, default and codes. */
export class ChainTransactionsQuery {
  @IsOptional()
  @IsIn(VIEWS)
  view: 'chain' = 'chain';

  @PageNumber('INVALID_PAGE')
  page: number = 1;

  @PageLimit('INVALID_LIMIT')
  limit: number = PAGE_LIMIT;

  @FilterInput(CHAIN_TYPES)
  type?: ChainType;

  @FilterInput(CHAIN_STATUSES)
  status?: ChainStatusService;

  @IsOptional()
  @IsIn(SORTS)
  sortBy: TransactionSort = 'createdAt';

  @IsOptional()
  @IsIn(ORDERS)
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({ optional: true })
  startDate?: string;

  @DateInput({ optional: true })
  endDate?: string;
}

export type TransactionsQuery = LedgerTransactionsQuery | ChainTransactionsQuery;

/** Reads the query of the list by the words of the view that it asks for. */
@Injectable()
export class TransactionsQueryPipe implements PipeTransform {
  private readonly shape = new RequestPipe();

  transform(value: { view?: unknown }): Promise<unknown> {
    const metatype = value.view === 'chain' ? ChainTransactionsQuery : LedgerTransactionsQuery;
    return this.shape.transform(value, { type: 'query', metatype });
  }
}

const parameter = (name: string, schema: Record<string, unknown>, description: string): MethodDecorator =>
  ApiQuery({ name, required: false, description, schema });

const words = (...lists: (readonly string[])[]): Record<string, unknown> => ({
  type: 'string',
  enum: [...new Set(lists.flat())],
});

/** Documents the parameters of both views: the pipe picks the class, so the framework can not see them. */
export const TransactionsParameters = (): MethodDecorator =>
  applyDecorators(
    parameter('view', words(VIEWS), 'ledger unless given'),
    parameter('page', { type: 'integer', minimum: 1 }, 'from 1'),
    parameter(
      'limit',
      { type: 'integer', minimum: 1, maximum: PAGE_LIMIT },
      'rows of a page; 20 unless given, 100 with view=chain',
    ),
    parameter(
      'type',
      words(TRANSACTION_TYPES, CHAIN_TYPES, [ALL]),
      `all unless given; with view=chain one of ${CHAIN_TYPES.join(', ')}, all`,
    ),
    parameter(
      'status',
      words(TRANSACTION_STATUSES, CHAIN_STATUSES, [ALL]),
      `all unless given; with view=chain one of ${CHAIN_STATUSES.join(', ')}, all`,
    ),
    parameter('sortBy', words(SORTS), 'createdAt unless given'),
    parameter('orderBy', words(ORDERS), 'desc unless given'),
    parameter('startDate', { type: 'string' }, 'ISO 8601; a date alone is the whole UTC day'),
    parameter('endDate', { type: 'string' }, 'ISO 8601; a date alone is the whole UTC day'),
  );

export class TransactionQuery {
  @IsOptional()
  @IsIn(VIEWS)
  view: (typeof VIEWS)[number] = 'ledger';
}
