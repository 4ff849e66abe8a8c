import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { refusedAs } from './input.decorators.js';
import { pageCursorOf } from './page-cursors.js';

const CURSOR_FIELD = 'request:cursor';
const REFUSAL =
  'must be the next or previous of a page of this list, without page and with the same filters and order';

export const CURSOR_DESCRIPTION =
  'next or previous of a page of this list, instead of page. It keeps the filters and the order of that page, and its limit unless another one is given; another filter or order is refused';

/**
 * The query parameter `cursor` of a list. `PageCursors` removes the cursors that it accepts, so the validation refuses every cursor
 * that it finds. Handlers get a `PageCursor`, whether or not the request has a cursor.
 */
export function CursorInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', required: false, description: CURSOR_DESCRIPTION }),
    ValidateIf((_, value) => value !== undefined),
    ValidateBy(
      { name: 'isCursor', validator: { validate: () => false } },
      refusedAs('INVALID_PAGINATION', REFUSAL),
    ),
    (target: object, name: string | symbol) => Reflect.defineMetadata(CURSOR_FIELD, name, target),
  );
}

/** Sets the cursor of a validated query, if its class has one. */
export function setCursor(input: object, query: object): void {
  const field = Reflect.getMetadata(CURSOR_FIELD, input) as string | undefined;
  if (field !== undefined) Object.assign(input, { [field]: pageCursorOf(query) });
}
