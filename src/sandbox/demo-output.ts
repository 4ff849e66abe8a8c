import { DemoFailure } from './demo-client.js';

let stepNumber = 0;

/** Prints a sentence with the number of the step. */
export function printStep(sentence: string): void {
  process.stdout.write(`${String(++stepNumber).padStart(2)}. ${sentence}\n`);
}

/** Prints a detail of the previous sentence. */
export function printDetail(line: string): void {
  process.stdout.write(`      ${line}\n`);
}

export function printChapter(title: string): void {
  process.stdout.write(`\n${title}\n\n`);
}

export function requireThat(isTrue: boolean, failure: string): void {
  if (!isTrue) throw new DemoFailure(failure);
}

export function requireEqual<T extends string | number>(
  actual: T | null | undefined,
  expected: T,
  subject: string,
): void {
  requireThat(actual === expected, `${subject} is ${actual} and should be ${expected}`);
}
