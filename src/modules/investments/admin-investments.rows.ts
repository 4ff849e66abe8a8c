import type { Tx } from '../../database/unit-of-work.js';
import { investmentOf, type Investment, type InvestmentRow } from './investment.row.js';
import type { Shown } from './investments.mapper.js';

/** Whose an investment is. */
export interface Owner {
  readonly email: string;
  /** The first that was linked. */
  readonly walletAddress: string | null;
  readonly accountCreatedAt: Date;
}

/** An investment as admins see it. */
export interface OwnedInvestment {
  readonly shown: Shown;
  readonly owner: Owner;
}

interface OwnerRow {
  owner_email: string;
  owner_wallet: string | null;
  owner_since: Date;
}

export type OwnedRow = InvestmentRow & OwnerRow;

/** Columns of an `Owner`, beside those of `investment` and without a join: names stay unambiguous. */
export const OWNER_COLUMNS = `
  (select email from platform_user where id = investment.user_id) as owner_email,
  (select created_at from platform_user where id = investment.user_id) as owner_since,
  first_wallet(investment.user_id) as owner_wallet`;

export function ownedOf(row: OwnedRow): { investment: Investment; owner: Owner } {
  return { investment: investmentOf(row), owner: asOwner(row) };
}

/** As the transaction sees it. */
export async function ownedIn(tx: Tx, shown: Shown): Promise<OwnedInvestment> {
  const [row] = await tx.query<OwnerRow[]>(
    `select ${OWNER_COLUMNS} from (select $1::uuid as user_id) as investment`,
    [shown.investment.userId],
  );
  return { shown, owner: asOwner(row as OwnerRow) };
}

function asOwner(row: OwnerRow): Owner {
  return {
    email: row.owner_email,
    walletAddress: row.owner_wallet,
    accountCreatedAt: row.owner_since,
  };
}
