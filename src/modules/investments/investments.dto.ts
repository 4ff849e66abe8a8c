import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  FilterInput,
  MoneyInput,
  PatternInput,
  TextInput,
} from '../../http/validation/inputs.js';

const UUID_V4 = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/;
const ID_LENGTH = 100;

export class CreateInvestmentBody {
  @TextInput({ maxLength: ID_LENGTH, example: 'balanced-10' })
  strategyId!: string;

  @MoneyInput({ code: 'INVALID_AMOUNT', description: 'USDC, from 10.00 to 1000000.00' })
  amount!: string;

  @ChoiceInput(['USDC'], { optional: true, description: 'USDC when absent' })
  currency?: string;

  @PatternInput(UUID_V4, 'must be a UUID v4', {
    optional: true,
    description: 'a second use is DUPLICATE_INVESTMENT',
  })
  idempotencyKey?: string;
}

export class MoveInvestmentBody {
  @TextInput({ maxLength: ID_LENGTH, example: 'aggressive-20', description: 'another than it is in' })
  strategyId!: string;
}

const INVESTMENT_FILTERS = ['pending', 'active', 'paused', 'closed', 'cancelled'] as const;
export const INVESTMENT_ORDERS = ['createdAt', 'amount', 'currentValue'] as const;

export class InvestmentsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @FilterInput(INVESTMENT_FILTERS, { description: 'all when absent' })
  status?: (typeof INVESTMENT_FILTERS)[number];

  @TextInput({ optional: true, maxLength: ID_LENGTH })
  strategyId?: string;

  @ChoiceInput(INVESTMENT_ORDERS, { optional: true })
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';
}
