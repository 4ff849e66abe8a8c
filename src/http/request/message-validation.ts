import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** A message of another system as an instance of its class; undefined for a malformed one. Unknown fields are left out. */
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

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
