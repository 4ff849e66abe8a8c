export const VERDICTS = ['clear', 'review', 'blocked'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A user by id, or an address in lower case, as rows name it. */
export type Subject = `user:${string}` | `address:${string}`;

export function userSubject(userId: string): Subject {
  return `user:${userId}`;
}

/** Addresses that differ in their checksum alone are one subject. */
export function addressSubject(address: string): Subject {
  return `address:${address.toLowerCase()}`;
}

/** The subjects of which a payment needs verdicts: its user and its address. */
export function paymentSubjects(payment: { readonly userId: string; readonly toAddress: string }): Subject[] {
  return [userSubject(payment.userId), addressSubject(payment.toAddress)];
}

/** The user's id; null for an address. */
export function userIdOf(subject: Subject): string | null {
  return subject.startsWith('user:') ? subject.slice('user:'.length) : null;
}

/** What the provider is told about a subject. */
export type ScreenedSubject =
  | { readonly type: 'user'; readonly id: string; readonly email: string; readonly name?: string }
  | { readonly type: 'address'; readonly id: string; readonly address: string; readonly network: string };

export interface ScreeningAnswer {
  readonly verdict: Verdict;
  /** A number of the provider's scale; it is not money. */
  readonly riskScore: number;
  /** Names of the sanctions lists that name the subject. */
  readonly lists: readonly string[];
  /** The provider's. */
  readonly reference: string;
}

/** How the last question went, in this process. */
export interface LastQuestion {
  readonly at: Date;
  readonly isAnswered: boolean;
}

/** The provider that screens users and addresses. A port; never called while a database transaction is open. */
export abstract class ScreeningProvider {
  /** Throws for a time-out, a failure or an answer that is not as documented. */
  abstract screen(reference: string, subject: ScreenedSubject): Promise<ScreeningAnswer>;

  /** Throws when the provider's server does not answer, or the last question failed. */
  abstract requireAvailable(): Promise<LastQuestion | undefined>;
}
