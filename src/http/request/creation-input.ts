import { DateInput } from './input.decorators.js';

/** A list filter: the rows that were created at this instant or later. */
export function CreatedAfterInput(event = 'created'): PropertyDecorator {
  return DateInput({
    optional: true,
    description: `${event} at this instant or later; a date alone is its first instant`,
  });
}

/** A list filter: the rows that were created before this instant. */
export function CreatedBeforeInput(event = 'created'): PropertyDecorator {
  return DateInput({
    optional: true,
    description: `${event} before this instant; a date alone is its first instant`,
  });
}
