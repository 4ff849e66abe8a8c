import type { UserActor } from './users.js';

/** Records that wait for operators. */
export interface OpenTasks {
  readonly withdrawals: { id: string; amount: string; of: UserActor }[];
  readonly investments: { id: string; of: UserActor }[];
}
