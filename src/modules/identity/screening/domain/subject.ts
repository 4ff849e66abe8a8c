export const VERDICTS = ['clear', 'review', 'blocked'] as const; // from the best to the worst
export type Verdict = (typeof VERDICTS)[number];

/** The newest verdict on a user; `not_checked` if there is none about the present e-mail address. */
export const SCREENING_RESULTS = [...VERDICTS, 'not_checked'] as const;
export type ScreeningResult = (typeof SCREENING_RESULTS)[number];

/** A user by id, or an address in lower case, as the tables store it. */
export type Subject = `user:${string}` | `address:${string}`;

/** The newest verdict on a subject. */
export interface StoredVerdict {
  readonly id: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly riskScore: number;
  readonly lists: readonly string[];
  readonly reference: string;
  readonly screenedAt: Date;
  /** About a former e-mail address of the user. */
  readonly isOutdated: boolean;
  /** Less than SCREENING_VALID_HOURS old by the database's clock, and about the user's current e-mail address. */
  readonly isFresh: boolean;
  /** An admin has accepted this verdict on a user or, for the withdrawal of `VerdictScope`, this or an earlier review of the subject. */
  readonly isAccepted: boolean;
  /** The e-mail addresses of the admins who have accepted it. */
  readonly acceptedBy: readonly string[];
}

export function userSubject(userId: string): Subject {
  return `user:${userId}`;
}

/** Addresses that differ only in their checksum are one subject. */
export function addressSubject(address: string): Subject {
  return `address:${address.toLowerCase()}`;
}

/** The subjects whose verdicts a payment needs: its user and its address. */
export function paymentSubjects(payment: { readonly userId: string; readonly toAddress: string }): Subject[] {
  return [userSubject(payment.userId), addressSubject(payment.toAddress)];
}

/** The user's id; null for an address. */
export function userIdOf(subject: Subject): string | null {
  return subject.startsWith('user:') ? subject.slice('user:'.length) : null;
}

export function typeAndIdOf(subject: Subject): { type: string; id: string } {
  const [type, id] = subject.split(':') as [string, string];
  return { type, id };
}
