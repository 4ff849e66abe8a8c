import { applyDecorators, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  ALL,
  DATE_SCHEMA,
  DateInput,
  FilterInput,
  MAX_PAGE_LIMIT,
  PageLimit,
  PageNumber,
} from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import { RequestPipe } from '../../../../http/request/request.pipe.js';
import {
  TRANSACTION_TYPES,
  type TransactionType,
  TRANSACTION_STATUSES,
  type TransactionStatus,
  CHAIN_STATUSES,
  CHAIN_TYPES,
  type ChainViewStatus,
  type ChainViewType,
} from '../domain/transaction-kinds.js';
import { CURSOR_DESCRIPTION } from '../../../../http/request/cursor-input.js';
import { ORDER_BY, OrderByInput, SORT_BY, SortByInput } from '../../../../http/request/list-inputs.js';

/** The description of the parameter `view`. */
const VIEW = 'chain: as a block explorer lists it, with other fields';
const VIEWS = ['ledger', 'chain'] as const;
const SORTS = ['createdAt', 'amount'] as const;
const ORDERS = ['asc', 'desc'] as const;

type TransactionSort = (typeof SORTS)[number];

/** The parameters of both views of the list. */
class BothViewsQuery extends PageQuery {
  @SortByInput(SORTS)
  sortBy: TransactionSort = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({ optional: true })
  startDate?: string;

  @DateInput({ optional: true })
  endDate?: string;
}

/** The query of the list in the ledger view. */
class LedgerTransactionsQuery extends BothViewsQuery {
  @IsOptional()
  @IsIn(VIEWS)
  view: 'ledger' = 'ledger';

  @PageLimit()
  override limit = 20;

  @FilterInput(TRANSACTION_TYPES)
  type?: TransactionType;

  @FilterInput(TRANSACTION_STATUSES)
  status?: TransactionStatus;
}

/** The query of the list in the chain view: other filters, another default limit and other error codes. */
class ChainTransactionsQuery extends BothViewsQuery {
  @IsOptional()
  @IsIn(VIEWS)
  view: 'chain' = 'chain';

  @PageNumber('INVALID_PAGE')
  override page = 1;

  @PageLimit('INVALID_LIMIT')
  override limit = MAX_PAGE_LIMIT;

  @FilterInput(CHAIN_TYPES)
  type?: ChainViewType;

  @FilterInput(CHAIN_STATUSES)
  status?: ChainViewStatus;
}

export type TransactionsQuery = LedgerTransactionsQuery | ChainTransactionsQuery;

/** Validates the query with the class of the requested view. */
@Injectable()
export class TransactionsQueryPipe implements PipeTransform {
  private readonly requestPipe = new RequestPipe();

  transform(query: { view?: unknown }): Promise<unknown> {
    const metatype = query.view === 'chain' ? ChainTransactionsQuery : LedgerTransactionsQuery;
    return this.requestPipe.transform(query, { type: 'query', metatype });
  }
}

const parameter = (name: string, schema: Record<string, unknown>, description: string): MethodDecorator =>
  ApiQuery({ name, required: false, description, schema });

const oneOf = (...lists: (readonly string[])[]): Record<string, unknown> => ({
  type: 'string',
  enum: [...new Set(lists.flat())],
});

/** Documents the parameters of both views. Nest cannot derive them, because the pipe selects the class. */
export const TransactionsParameters = (): MethodDecorator =>
  applyDecorators(
    parameter('view', { ...oneOf(VIEWS), default: 'ledger' }, VIEW),
    parameter('page', { type: 'integer', minimum: 1 }, 'from 1'),
    parameter('cursor', { type: 'string' }, CURSOR_DESCRIPTION),
    parameter(
      'limit',
      { type: 'integer', minimum: 1, maximum: MAX_PAGE_LIMIT },
      'rows of a page; 20 by default, 100 with view=chain',
    ),
    parameter(
      'type',
      oneOf(TRANSACTION_TYPES, CHAIN_TYPES, [ALL]),
      `all by default; with view=chain one of ${CHAIN_TYPES.join(', ')}, all`,
    ),
    parameter(
      'status',
      oneOf(TRANSACTION_STATUSES, CHAIN_STATUSES, [ALL]),
      `all by default; with view=chain one of ${CHAIN_STATUSES.join(', ')}, all`,
    ),
    parameter('sortBy', { default: 'createdAt', ...oneOf(SORTS) }, SORT_BY),
    parameter('orderBy', { default: 'desc', ...oneOf(ORDERS) }, ORDER_BY),
    parameter(
      'startDate',
      DATE_SCHEMA,
      'created at this instant or later; a date alone is its first instant',
    ),
    parameter('endDate', DATE_SCHEMA, 'created at this instant or before; a date alone is the whole day'),
  );

/** The query of one transaction. */
export class TransactionQuery {
  @ApiProperty({ description: VIEW })
  @IsOptional()
  @IsIn(VIEWS)
  view: (typeof VIEWS)[number] = 'ledger';
}
