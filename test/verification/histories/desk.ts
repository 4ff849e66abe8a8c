import type { LoadedUser } from './users.js';

/** What waits for operators. */
export interface Desk {
  readonly withdrawals: { id: string; amount: string; of: LoadedUser }[];
  readonly investments: { id: string; of: LoadedUser }[];
}
