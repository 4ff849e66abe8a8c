import type { PostingType } from '../../../core/ledger/domain/chart-of-accounts.js';

/** The posting types that a statement shows under another name. */
const NAMES = {
  'withdrawal-completed': 'withdrawal-paid',
  'withdrawal-released': 'withdrawal-returned',
} as const satisfies Partial<Record<PostingType, string>>;

type Names = typeof NAMES;

/** The type of a movement in a statement. */
export type MovementType = Exclude<PostingType, keyof Names> | Names[keyof Names];

export function toMovementType(type: PostingType): MovementType {
  return type === 'withdrawal-completed' || type === 'withdrawal-released' ? NAMES[type] : type;
}
