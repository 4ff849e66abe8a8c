import type { Verdict } from './domain/subject.js';

/** The subject as the provider receives it. */
export type ScreenedSubject =
  | { readonly type: 'user'; readonly id: string; readonly email: string; readonly name?: string }
  | { readonly type: 'address'; readonly id: string; readonly address: string; readonly network: string };

export interface ScreeningAnswer {
  readonly verdict: Verdict;
  /** On the provider's scale; not money. */
  readonly riskScore: number;
  /** Names of the sanctions lists that contain the subject. */
  readonly lists: readonly string[];
  /** The provider's reference of the answer. */
  readonly reference: string;
}

/** The result of this process's last request to the provider. */
export interface LastRequest {
  readonly at: Date;
  readonly isAnswered: boolean;
}

/** The provider that screens users and addresses. Never called while a database transaction is open. */
export abstract class ScreeningProvider {
  /** Throws after a time-out, a failure or an invalid answer. */
  abstract screen(reference: string, subject: ScreenedSubject): Promise<ScreeningAnswer>;

  /** Throws if the provider's server does not answer or the last request failed. */
  abstract requireAvailable(): Promise<LastRequest | undefined>;
}
