import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import {
  ChoiceInput,
  DateInput,
  FilterInput,
  MoneyInput,
  PatternInput,
  TextInput,
  WalletAddressInput,
} from '../../http/validation/inputs.js';
import { DEPOSIT_STATUSES, type DepositStatus } from './deposit.transitions.js';
import { DEPOSIT_CURRENCIES, type DepositCurrency } from './networks.js';

const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

export class DepositAddressQuery {
  @TextInput({ optional: true, minLength: 0, description: 'USDT or USDC' })
  currency = 'USDT';

  @TextInput({ optional: true, minLength: 0, description: 'TRC20, ERC20 or BEP20' })
  network = 'TRC20';
}

export const DEPOSIT_SORTS = ['createdAt', 'amount', 'confirmations'] as const;

export class DepositListQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @FilterInput(DEPOSIT_STATUSES)
  status?: DepositStatus;

  @ChoiceInput(DEPOSIT_CURRENCIES, { optional: true })
  currency?: DepositCurrency;

  @ChoiceInput(DEPOSIT_SORTS, { optional: true })
  sortBy: (typeof DEPOSIT_SORTS)[number] = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';

  @DateInput({ optional: true })
  startDate?: string;

  @DateInput({ optional: true })
  endDate?: string;
}

export class DepositClaimDto {
  @PatternInput(TX_HASH, 'must be 0x and 64 hex digits', {
    code: 'INVALID_TX_HASH',
    example: `0x${'ab'.repeat(32)}`,
  })
  txHash!: string;

  @MoneyInput({ code: 'INVALID_AMOUNT' })
  amount!: string;

  @ChoiceInput(['USDC', 'ETH'])
  currency!: 'USDC' | 'ETH';

  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS' })
  fromAddress!: string;
}
