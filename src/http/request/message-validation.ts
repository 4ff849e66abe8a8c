import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** Validates an object from outside, such as a provider's message. Undefined if it is malformed; unknown fields are removed. */
export function readMessage<Message extends object>(
  type: new () => Message,
  value: unknown,
): Message | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const message = plainToInstance(type, value);
  return validateSync(message, { whitelist: true, stopAtFirstError: true }).length === 0
    ? message
    : undefined;
}

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
