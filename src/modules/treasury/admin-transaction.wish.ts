import { fail, type FieldProblem } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { AdminTransactionType } from './domain/admin-transaction.state-machine.js';

/** What an admin asks for; each field is well formed. */
export interface TransactionWish {
  readonly type: AdminTransactionType;
  readonly userId?: string | undefined;
  readonly amount: string;
  readonly currency: string;
  readonly description: string;
  readonly withdrawalId?: string | undefined;
  readonly source?: 'deposit-provider' | 'suspense' | undefined;
}

type Field = 'userId' | 'withdrawalId' | 'source';
type Place = 'needed' | 'possible' | 'none';

/** Which field belongs to which type. */
const PLACES: Record<AdminTransactionType, Record<Field, Place>> = {
  deposit: { userId: 'needed', withdrawalId: 'none', source: 'possible' },
  withdrawal: { userId: 'needed', withdrawalId: 'none', source: 'none' },
  transfer: { userId: 'none', withdrawalId: 'none', source: 'none' },
  reversal: { userId: 'possible', withdrawalId: 'needed', source: 'none' },
};

/** Refuses what does not fit together: VALIDATION_ERROR, and INVALID_AMOUNT when it is nothing. */
export function requireWish(wish: TransactionWish): void {
  const problems = Object.entries(PLACES[wish.type]).flatMap(([field, place]): FieldProblem[] => {
    const isGiven = (wish[field as Field] ?? undefined) !== undefined;
    if (place === 'needed' && !isGiven) return [{ field, message: `is needed for a ${wish.type}` }];
    if (place === 'none' && isGiven) return [{ field, message: `does not belong to a ${wish.type}` }];
    return [];
  });
  if (problems.length > 0) fail('VALIDATION_ERROR', problems);
  if (!Money.of(wish.amount).isPositive())
    fail('INVALID_AMOUNT', undefined, { message: 'The amount must be above zero.' });
}
