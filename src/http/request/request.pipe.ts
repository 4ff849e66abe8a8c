import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type ValidationPipeOptions,
} from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError, type FieldProblem } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import type { RefusalContext } from './validation-code.js';

type DtoClass = (new () => object) & {
  /** What an absent required field is called here: MISSING_REQUIRED_FIELD unless the endpoint's table names another. */
  missingCode?: ErrorCode;
};

const OPTIONS: ValidationPipeOptions = {
  transform: true,
  transformOptions: { exposeDefaultValues: true },
  whitelist: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
  validationError: { target: true, value: true }, // read by `refusal`, never answered
  exceptionFactory: refusal,
};

/**
 * Nest's ValidationPipe with the codes and details of the interface. Unknown fields of a body are refused, unknown
 * parameters of a query are ignored. Path parameters have pipes of their own.
 */
@Injectable()
export class RequestPipe extends ValidationPipe {
  private readonly queries = new ValidationPipe(OPTIONS);

  constructor() {
    super({ ...OPTIONS, forbidNonWhitelisted: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (type === 'param' || !metatype || !this.toValidate(metadata)) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DomainError('VALIDATION_ERROR', [{ field: type, message: 'must be an object' }]);
    }
    const taken: unknown =
      type === 'body'
        ? await super.transform(value, metadata)
        : await this.queries.transform(value, metadata);
    return withoutNulls(taken as object, new (metatype as DtoClass)());
  }
}

/** Removes fields that are null: validation has refused null for all fields except optional ones. */
function withoutNulls(dto: object, absent: object): object {
  const given = Object.entries(dto).filter(([, value]) => value !== null);
  return Object.assign(absent, Object.fromEntries(given));
}

function refusal(errors: ValidationError[]): DomainError {
  const details = errors.flatMap((error) => problemsOf(error));
  const present = errors.filter(({ value }) => value !== undefined);
  const specific = present.map(contextOf).find((context) => context !== undefined);
  if (specific) return new DomainError(specific.code, details);
  if (present.length === errors.length) return new DomainError('VALIDATION_ERROR', details);
  const Dto = errors[0]?.target?.constructor as DtoClass | undefined;
  return new DomainError(Dto?.missingCode ?? 'MISSING_REQUIRED_FIELD', details);
}

function contextOf({ contexts }: ValidationError): RefusalContext | undefined {
  return Object.values(contexts ?? {})[0] as RefusalContext | undefined;
}

function problemsOf({ property, constraints, children }: ValidationError, parent = ''): FieldProblem[] {
  const field = parent + property;
  const own = Object.entries(constraints ?? {}).map(([name, message]) => ({
    field,
    message: name === 'whitelistValidation' ? 'is not a known field' : withoutName(message, property),
  }));
  return [...own, ...(children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

/** class-validator's own messages begin with the field's name, which details have apart. */
function withoutName(message: string, name: string): string {
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}
