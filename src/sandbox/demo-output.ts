import { DemoFailure } from './demo-client.js';

let stepNumber = 0;

export function tell(sentence: string): void {
  process.stdout.write(`${String(++stepNumber).padStart(2)}. ${sentence}\n`);
}

/** Prints a detail of the previous sentence. */
export function tellMore(line: string): void {
  process.stdout.write(`      ${line}\n`);
}

export function tellChapter(title: string): void {
  process.stdout.write(`\n${title}\n\n`);
}

export function requireThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new DemoFailure(otherwise);
}

export function requireEqual<T extends string | number>(
  actual: T | null | undefined,
  expected: T,
  what: string,
): void {
  requireThat(actual === expected, `${what} is ${actual} and should be ${expected}`);
}
