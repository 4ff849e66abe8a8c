import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { DateInput, UUID_VERSIONS } from './input.decorators.js';

/** A list filter: the rows of one user. */
export const UserIdInput = (description = 'only of this user') =>
  applyDecorators(ApiProperty({ description }), IsOptional(), IsUUID(UUID_VERSIONS));

export const SORT_BY = 'field by which the list is sorted';
export const ORDER_BY = 'direction of sortBy';

/** The query parameters `sortBy` and `orderBy` of a list. */
export const SortByInput = (fields: readonly string[], description = SORT_BY) =>
  applyDecorators(ApiProperty({ description }), IsOptional(), IsIn(fields));
export const OrderByInput = () =>
  applyDecorators(ApiProperty({ description: ORDER_BY }), IsOptional(), IsIn(['asc', 'desc']));

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
