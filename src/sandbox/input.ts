import type { ErrorRequestHandler } from 'express';
import { LosslessNumber, isLosslessNumber, parse } from 'lossless-json';

// Readers of a request's fields. They throw BadInput with a message that names the field.

/** Answered with status 400. */
export class BadInput extends Error {}
/** Answered with status 404. */
export class NotFound extends Error {}

export type Fields = Record<string, unknown>;

/** The JSON object of a request whose body `express.raw` has read; empty without a body. Numbers keep their digits. */
export function fieldsOf(body: unknown): Fields {
  const json = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (json.trim() === '') return {};
  let value: unknown;
  try {
    value = parse(json);
  } catch {
    throw new BadInput('The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw new BadInput('The body must be a JSON object.');
  }
  return value as Fields;
}

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new BadInput(`${name} must be a text that is not empty.`);
}

export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : text(fields, name);
}

/** A JSON object whose numbers become JavaScript numbers. */
export function optionalObject(fields: Fields, name: string): Record<string, unknown> | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value) || isLosslessNumber(value))
    throw new BadInput(`${name} must be a JSON object.`);
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (isLosslessNumber(item) ? Number(item.value) : item)),
  ) as Record<string, unknown>;
}

/** A decimal that was sent as a string or as a number, with its digits. `shape` describes the pattern in the error. */
export function decimal(fields: Fields, name: string, pattern: RegExp, shape: string): string {
  const value = fields[name];
  const digits = value instanceof LosslessNumber ? value.value : value;
  if (typeof digits === 'string' && pattern.test(digits)) return digits;
  throw new BadInput(`${name} must be ${shape}.`);
}

export function amount(fields: Fields): string {
  const shape = 'a decimal above zero, for example "500.00"';
  const digits = decimal(fields, 'amount', /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/, shape);
  if (/[1-9]/.test(digits)) return digits;
  throw new BadInput(`amount must be ${shape}.`);
}

export function wholeNumber(value: unknown, name: string, range: { min: number; max: number }): number {
  const digits = value instanceof LosslessNumber ? value.value : value;
  const number = typeof digits === 'string' && /^-?\d{1,15}$/.test(digits) ? Number(digits) : NaN;
  if (number >= range.min && number <= range.max) return number;
  throw new BadInput(`${name} must be a whole number from ${range.min} to ${range.max}.`);
}

export function oneOf<T extends string>(fields: Fields, name: string, allowed: readonly T[]): T {
  const value = allowed.find((candidate) => candidate === fields[name]);
  if (value !== undefined) return value;
  throw new BadInput(`${name} must be one of ${allowed.join(', ')}.`);
}

/** The error handler of the control API and the providers: answers with the error's message. */
export const answerErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  response.status(statusOf(error)).json({ error: error instanceof Error ? error.message : String(error) });
};

function statusOf(error: unknown): number {
  if (error instanceof BadInput) return 400;
  if (error instanceof NotFound) return 404;
  const { status } = error as { status?: unknown }; // set by the body parser, such as 413
  return typeof status === 'number' ? status : 500;
}
