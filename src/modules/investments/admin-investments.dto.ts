import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  DateInput,
  FilterInput,
  MoneyInput,
  TextInput,
  UuidInput,
} from '../../http/validation/inputs.js';
import { ADMIN_STATUSES, type AdminStatus } from './admin-investment.views.js';
import { INVESTMENT_ORDERS } from './investments.dto.js';

const ID_LENGTH = 100;

export class AdminInvestmentsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @FilterInput(ADMIN_STATUSES, {
    description: 'active: also while the strategy is suspended; completed: closed by user or admin',
  })
  status?: AdminStatus;

  @TextInput({ optional: true, maxLength: ID_LENGTH, example: 'balanced-10' })
  strategyId?: string;

  @UuidInput({ optional: true })
  userId?: string;

  @UuidInput({ optional: true, description: 'another name of userId' })
  user_id?: string;

  @MoneyInput({ optional: true, description: 'principal, as amount shows it' })
  minAmount?: string;

  @DateInput({
    optional: true,
    description: 'created at this instant or later; a date alone is its first instant',
  })
  createdAfter?: string;

  @ChoiceInput(INVESTMENT_ORDERS, { optional: true })
  sortBy: (typeof INVESTMENT_ORDERS)[number] = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';
}

export class RejectInvestmentBody {
  @TextInput({ description: 'the user is told' })
  reason!: string;
}

export class CloseInvestmentBody {
  // Null is refused: who means a part must not close all by a value that was lost on the way.
  @MoneyInput({
    optional: 'never-null',
    code: 'INVALID_AMOUNT',
    description: 'how much of the current value to redeem, before fees; all of it when absent',
  })
  amount?: string;
}
