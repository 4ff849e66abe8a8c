import { hasCode } from './client.ts';

/** A refusal with one of these has another cause than a step of a colleague. */
const OTHER_CAUSES = ['screening', 'userStatus', 'heldBy', 'approvalId'];

/** The state of a record whose change was refused because somebody else has changed it before; undefined for other refusals. */
export function refusedState(error: unknown): string | undefined {
  if (!hasCode(error, 'INVALID_STATE')) return undefined;
  const details = (error.details ?? {}) as { status?: string; allowedFrom?: readonly string[] };
  const { status, allowedFrom } = details;
  if (!status || !allowedFrom?.length || allowedFrom.includes(status)) return undefined;
  return OTHER_CAUSES.some((cause) => cause in details) ? undefined : status;
}

/** A change that waits for a second admin is answered 202 with the approval in place of the record. */
export const isWaiting = (data: object): boolean => 'change' in data && 'expiresAt' in data;
