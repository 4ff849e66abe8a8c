import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { DomainError, type FieldProblem } from '../../kernel/errors/domain-error.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import type { RefusalContext } from './refusal.js';

type DtoClass = (new () => object) & {
  /** What an absent required field is called here: MISSING_REQUIRED_FIELD unless the endpoint's table names another. */
  missingCode?: ErrorCode;
};

const UNCHECKED: unknown[] = [String, Number, Boolean, Array, Object];

/** Turns what came in into its DTO, or refuses with the endpoint's own code and every problem in `details`. */
@Injectable()
export class DtoPipe implements PipeTransform {
  async transform(value: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom' || type === 'param' || !metatype || UNCHECKED.includes(metatype)) return value;
    const Dto = metatype as DtoClass;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DomainError('VALIDATION_ERROR', [{ field: type, message: 'must be an object' }]);
    }
    const dto = plainToInstance(Dto, value, { exposeDefaultValues: true }) as object;
    const errors = await validate(dto, {
      whitelist: true,
      forbidNonWhitelisted: type === 'body', // unknown query parameters are ignored, unknown fields are not
      forbidUnknownValues: true,
      validationError: { target: false, value: false },
    });
    if (errors.length > 0) throw refusal(errors, value as Record<string, unknown>, Dto.missingCode);
    return withoutNulls(dto, new Dto());
  }
}

/** What is null and was not refused may be absent, and null means the same. */
function withoutNulls(dto: object, absent: object): object {
  const given = Object.entries(dto).filter(([, value]) => value !== null);
  return Object.assign(absent, Object.fromEntries(given));
}

function refusal(
  errors: ValidationError[],
  given: Record<string, unknown>,
  missingCode: ErrorCode = 'MISSING_REQUIRED_FIELD',
): DomainError {
  const details = errors.flatMap((error) => problemsOf(error, ''));
  const present = errors.filter((error) => given[error.property] !== undefined);
  const specific = present.map(contextOf).find((context) => context !== undefined);
  if (specific) {
    return new DomainError(
      specific.code,
      details,
      specific.status === undefined ? {} : { status: specific.status },
    );
  }
  return new DomainError(present.length < errors.length ? missingCode : 'VALIDATION_ERROR', details);
}

function contextOf(error: ValidationError): RefusalContext | undefined {
  const contexts = Object.entries(error.contexts ?? {}).filter(
    ([name]) => error.constraints?.[name] !== undefined,
  );
  return contexts[0]?.[1] as RefusalContext | undefined;
}

function problemsOf(error: ValidationError, parent: string): FieldProblem[] {
  const field = parent ? `${parent}.${error.property}` : error.property;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? 'is not a known field' : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, field))];
}
