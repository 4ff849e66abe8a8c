import { hasCode } from './client.ts';

/** Fields of the error's details that name another cause than the state of the record. */
const OTHER_CAUSES = ['screening', 'userStatus', 'heldBy', 'approvalId'];

/** The state of the record, if the change was rejected because the record is not in a state that permits it; otherwise undefined. */
export function refusedState(error: unknown): string | undefined {
  if (!hasCode(error, 'INVALID_STATE')) return undefined;
  const details = (error.details ?? {}) as { status?: string; allowedFrom?: readonly string[] };
  const { status, allowedFrom } = details;
  if (!status || !allowedFrom?.length || allowedFrom.includes(status)) return undefined;
  return OTHER_CAUSES.some((cause) => cause in details) ? undefined : status;
}

/** A change that waits for a second admin is answered 202 with the approval in place of the record. */
export const isWaiting = (data: object): boolean => 'change' in data && 'expiresAt' in data;
