import { demand } from '../encoding.js';
import { type JsonObject, textIn } from './pack-folder.js';

const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;

/** UTC days, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Throws unless the member is a day of the calendar. */
export function dayIn(value: JsonObject, member: string): string {
  const text = textIn(value, member);
  demand(DAY.test(text) && isSame(`${text}T00:00:00.000Z`), `${member} is not a day.`);
  return text;
}

/** Throws unless the member is an instant in UTC with milliseconds. */
export function instantIn(value: JsonObject, member: string): string {
  const text = textIn(value, member);
  demand(INSTANT.test(text) && isSame(text), `${member} is not an instant.`);
  return text;
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** False for 30 February, which JavaScript reads as 2 March, and for a month 13. */
function isSame(instant: string): boolean {
  const milliseconds = Date.parse(instant);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === instant;
}
