import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** Validates an object from outside, such as a provider's message. Undefined if it is malformed; unknown fields are removed. */
export function readMessage<Message extends object>(
  type: new () => Message,
  value: unknown,
): Message | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  try {
    const message = plainToInstance(type, withoutConstructors(value));
    const isValid = validateSync(message, { whitelist: true, stopAtFirstError: true }).length === 0;
    return isValid ? message : undefined;
  } catch {
    return undefined; // nested too deeply
  }
}

/** A copy of parsed JSON without fields named `constructor`, which class-transformer takes for the class of their object. */
function withoutConstructors(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutConstructors);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'constructor');
  return Object.fromEntries(fields.map(([name, part]) => [name, withoutConstructors(part)]));
}

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
