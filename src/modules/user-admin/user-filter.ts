import type { UserStatus } from '../users/users.types.js';

/** Which users an admin asks for. */
export interface UserFilter {
  readonly status?: UserStatus | undefined;
  readonly search?: string | undefined;
  readonly userId?: string | undefined;
  /** USDC. */
  readonly minInvestment?: string | undefined;
  /** Domain time, itself included. */
  readonly registeredAfter?: Date | undefined;
  /** `email`: names and wallets are not searched. */
  readonly searchIn: 'everything' | 'email';
}

/** A filter as SQL over `platform_user as u` and `user_figures as f`. */
export interface Conditions {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Only what is asked for becomes a condition, so that each can use its index. */
export function conditionsOf(filter: UserFilter): Conditions {
  const parameters: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (parameter: string) => string): void => {
    if (value === undefined) return;
    parameters.push(value);
    conditions.push(condition(`$${parameters.length}`));
  };
  add(filter.status, (status) => `u.status = ${status}`);
  add(filter.userId, (id) => `u.id = ${id}::uuid`);
  add(filter.minInvestment, (amount) => `f.total_invested >= ${amount}::numeric`);
  add(filter.registeredAfter, (instant) => `u.created_at >= ${instant}::timestamptz`);
  add(filter.search ? containing(filter.search) : undefined, (pattern) =>
    filter.searchIn === 'email'
      ? `u.email ilike ${pattern}`
      : `u.id in (select id from platform_user where email ilike ${pattern}
                  union all select id from platform_user where full_name ilike ${pattern}
                  union all select user_id from wallet where address ilike ${pattern})`,
  );
  return { sql: conditions.length > 0 ? conditions.join(' and ') : 'true', parameters };
}

/** A pattern of LIKE for texts that contain this one: what would mean something in a pattern is taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
