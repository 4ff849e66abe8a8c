import { demand, type Json, parseCanonicalJson } from '../encoding.js';

// Readers of JSON objects and their members. They throw a ProofError that names the member.

export type JsonObject = Readonly<Record<string, Json>>;

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;

/** Throws unless the text is a JSON object in canonical form. */
export function objectOf(text: string): JsonObject {
  const value = parseCanonicalJson(text);
  demand(value !== null && typeof value === 'object' && !Array.isArray(value), 'It is not a JSON object.');
  return value as JsonObject;
}

export function textIn(value: JsonObject, member: string): string {
  const text = value[member];
  demand(typeof text === 'string', `${member} is not a text.`);
  return text;
}

export function wholeNumberIn(value: JsonObject, member: string): number {
  const number = value[member];
  demand(Number.isSafeInteger(number) && (number as number) >= 0, `${member} is not a whole number.`);
  return number as number;
}

/** Throws unless the object has all `members`, and no others than these and the `optional` ones. */
export function requireMembers(
  value: JsonObject,
  members: readonly string[],
  optional: readonly string[] = [],
): void {
  demand(value !== null && typeof value === 'object', 'It is not an object.');
  const names = Object.keys(value);
  if (names.length === members.length && names.every((name, index) => name === members[index])) return;
  const missing = members.find((name) => !(name in value));
  demand(missing === undefined, `${missing} is missing.`);
  const unexpected = names.find((name) => !members.includes(name) && !optional.includes(name));
  demand(unexpected === undefined, `${unexpected} is not a member of it.`);
}

/** UTC days, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Throws unless the member is a day of the calendar. */
export function dayIn(value: JsonObject, member: string): string {
  const text = textIn(value, member);
  demand(DAY.test(text) && isInCalendar(`${text}T00:00:00.000Z`), `${member} is not a day.`);
  return text;
}

/** Throws unless the member is an instant in UTC with milliseconds. */
export function instantIn(value: JsonObject, member: string): string {
  const text = textIn(value, member);
  demand(INSTANT.test(text) && isInCalendar(text), `${member} is not an instant.`);
  return text;
}

/** The day that is `days` after `day`. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** False for 30 February, which JavaScript reads as 1 or 2 March, and for a month 13. */
function isInCalendar(instant: string): boolean {
  const milliseconds = Date.parse(instant);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === instant;
}
