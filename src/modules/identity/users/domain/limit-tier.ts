import type { AppConfig } from '../../../../config/app-config.js';
import type { LimitTier, TierLimits } from '../../../../config/limits-file.js';
import { Money } from '../../../../common/money.js';

/** The ids of a user's tier in `platform_user` and in the last row of `user_account_change`; null: the first tier. */
export interface TierColumns {
  readonly tier: string | null;
  readonly recordedTier: string | null;
}

/** The tier of a user with the limits that apply. */
export interface UserTier extends TierLimits {
  readonly id: string;
  /** Null if LIMITS_FILE has no such tier. */
  readonly name: string | null;
}

/**
 * The amounts, as text, from which a withdrawal needs a second admin, by the tier of its user. `first`: of users without a tier;
 * `other`: of tiers that LIMITS_FILE does not have; null: no withdrawal needs one.
 */
export interface ApprovalThresholds {
  readonly first: string | null;
  readonly other: string | null;
  readonly tiers: Readonly<Record<string, string | null>>;
}

type LimitSettings = Pick<
  AppConfig,
  | 'LIMITS_FILE'
  | 'WITHDRAWAL_MINIMUM'
  | 'WITHDRAWAL_DAILY_LIMIT'
  | 'WITHDRAWAL_FOUR_EYES_ABOVE'
  | 'WITHDRAWAL_ADDRESS_BOOK'
  | 'addressDelayHours'
>;

/** The tiers of LIMITS_FILE, or one tier `standard`; the settings give what a tier leaves out. */
export function tiersOf(config: LimitSettings): readonly [LimitTier, ...LimitTier[]] {
  const definitions = config.LIMITS_FILE ?? [
    { id: 'standard', name: 'Standard', withdrawal: {}, investment: {} },
  ];
  const tiers = definitions.map((definition): LimitTier => ({
    approvalAbove: config.WITHDRAWAL_FOUR_EYES_ABOVE ?? null,
    addressBook: config.WITHDRAWAL_ADDRESS_BOOK,
    addressDelayHours: config.addressDelayHours,
    ...definition,
    withdrawal: {
      minimum: config.WITHDRAWAL_MINIMUM,
      perTransaction: null,
      perDay: config.WITHDRAWAL_DAILY_LIMIT,
      perMonth: null,
      ...definition.withdrawal,
    },
    investment: { maximum: null, ...definition.investment },
  }));
  return tiers as [LimitTier, ...LimitTier[]];
}

/**
 * For each limit the strictest one of the tiers. The minimum protects no money: the lowest one applies, so that it never
 * exceeds a maximum.
 */
export function strictestOf(tiers: readonly [TierLimits, ...TierLimits[]]): TierLimits {
  const [first, ...others] = tiers;
  return others.reduce<TierLimits>(
    (strictest, tier) => ({
      withdrawal: {
        minimum: Money.min(strictest.withdrawal.minimum, tier.withdrawal.minimum),
        perTransaction: lower(strictest.withdrawal.perTransaction, tier.withdrawal.perTransaction),
        perDay: Money.min(strictest.withdrawal.perDay, tier.withdrawal.perDay),
        perMonth: lower(strictest.withdrawal.perMonth, tier.withdrawal.perMonth),
      },
      investment: { maximum: lower(strictest.investment.maximum, tier.investment.maximum) },
      approvalAbove: lower(strictest.approvalAbove, tier.approvalAbove),
      addressBook: strictest.addressBook === 'required' ? 'required' : tier.addressBook,
      addressDelayHours: Math.max(strictest.addressDelayHours, tier.addressDelayHours),
    }),
    limitsOf(first),
  );
}

function limitsOf(tier: TierLimits): TierLimits {
  const { withdrawal, investment, approvalAbove, addressBook, addressDelayHours } = tier;
  return { withdrawal, investment, approvalAbove, addressBook, addressDelayHours };
}

/** Null: no limit. */
function lower(a: Money | null, b: Money | null): Money | null {
  if (a === null || b === null) return a ?? b;
  return Money.min(a, b);
}
