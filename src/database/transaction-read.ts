import { prepared } from './prepared.js';

/** A lock or a read that a transaction needs before it decides. Changes no row. */
export interface TransactionRead<Result> {
  /** A branch of the SQL function `read_together`. */
  readonly name: string;
  readonly parameters: readonly (string | readonly string[] | null)[];
  /** Converts the JSON answer, in which numeric values are text. May throw to refuse the request. */
  readonly toResult: (answer: never) => Result;
}

export type ResultsOf<Reads extends readonly TransactionRead<unknown>[]> = {
  [Index in keyof Reads]: Reads[Index] extends TransactionRead<infer Result> ? Result : never;
};

export const READ_TOGETHER = prepared('select read_together($1) as answers');

/** The parameter of `read_together`: for each read its name, followed by its parameters. */
export function toParameter(reads: readonly TransactionRead<unknown>[]): string {
  return JSON.stringify(reads.map(({ name, parameters }) => [name, ...parameters]));
}

export function toResults(reads: readonly TransactionRead<unknown>[], answers: readonly never[]): unknown[] {
  return reads.map(({ toResult }, index) => toResult(answers[index] as never));
}
