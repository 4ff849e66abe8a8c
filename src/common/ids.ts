import { v7, validate } from 'uuid';

/** A new id: UUID v7, so that ids sort by time and indexes grow at one end. */
export function newId(): string {
  return v7();
}

export function isId(text: unknown): text is string {
  return typeof text === 'string' && validate(text);
}
