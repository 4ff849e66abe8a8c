import { v7, validate } from 'uuid';

/** A new UUID v7: ids sort by time, so that index pages fill in order. */
export function newId(): string {
  return v7();
}

export function isId(text: unknown): text is string {
  return typeof text === 'string' && validate(text);
}
