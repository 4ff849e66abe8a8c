import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { DomainError } from '../../common/errors/domain-error.js';
import type { FieldProblem } from '../../common/errors/error-details.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { setCursor } from './cursor-input.js';
import type { ValidatorContext } from './input.decorators.js';
import { resolveOtherNames } from './other-names.js';
import { unknownField } from './unknown-field.js';

type RequestClass = (new () => object) & {
  /** The code for an absent required field; MISSING_REQUIRED_FIELD by default. */
  missingCode?: ErrorCode;
};

const OPTIONS: ValidationPipeOptions = {
  transform: true,
  transformOptions: { exposeDefaultValues: true },
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
  validationError: { target: true, value: true }, // for `refusalOf`; never part of a response
  exceptionFactory: refusalOf,
};

/**
 * Nest's ValidationPipe with the error codes and details of the API. Refuses unknown fields of bodies and
 * unknown query parameters. `IdPipe` validates path parameters.
 */
@Injectable()
export class RequestPipe extends ValidationPipe {
  constructor() {
    super(OPTIONS);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (type === 'param' || !metatype || !this.toValidate(metadata)) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DomainError('VALIDATION_ERROR', [{ field: type, message: 'must be an object' }]);
    }
    // class-transformer drops such names, so that the validation would not see them.
    const reserved = Object.keys(value).filter((name) => name in Object.prototype);
    if (reserved.length > 0) throw new DomainError('VALIDATION_ERROR', reserved.map(unknownField));
    const validated: unknown = await super.transform(value, metadata);
    resolveOtherNames(validated as object);
    const input = withoutNulls(validated as object, new (metatype as RequestClass)());
    setCursor(input, value);
    return input;
  }
}

/** Fields that are null get their default values. Validation accepts null for optional fields only. */
function withoutNulls(input: object, defaults: object): object {
  const fields = Object.entries(input).filter(([, value]) => value !== null);
  return Object.assign(defaults, Object.fromEntries(fields));
}

/**
 * The code that the first malformed field with a code declares takes precedence over the code for missing fields, and that one
 * over VALIDATION_ERROR. `details` names all malformed and missing fields. Fields of nested objects declare no codes.
 */
function refusalOf(unordered: ValidationError[]): DomainError {
  const fields = fieldsOf(unordered[0]?.target);
  const place = ({ property }: ValidationError) => fields.indexOf(property); // -1 for an unknown field
  const errors = unordered.toSorted((a, b) => place(a) - place(b));
  const problems = errors.flatMap((error) => problemsOf(error));
  const contextWithCode = errors
    .filter(({ value }) => value !== undefined)
    .map(contextOf)
    .find((context) => context !== undefined);
  if (contextWithCode) return new DomainError(contextWithCode.code, problems);
  if (!errors.some(isMissing)) return new DomainError('VALIDATION_ERROR', problems);
  const requestClass = errors[0]?.target?.constructor as RequestClass | undefined;
  return new DomainError(requestClass?.missingCode ?? 'MISSING_REQUIRED_FIELD', problems);
}

/** The fields of a request class, inherited ones first: class-validator has them last. Fields that a class overrides are repeated. */
function fieldsOf(instance: object | undefined): string[] {
  const prototype = instance && (Object.getPrototypeOf(instance) as object | null);
  if (!prototype) return [];
  const rules = getMetadataStorage().getTargetValidationMetadatas(prototype.constructor, '', false, false);
  return [...fieldsOf(prototype), ...rules.map(({ propertyName }) => propertyName)];
}

/** True if the field or one of its nested fields is absent. */
function isMissing({ value, children }: ValidationError): boolean {
  return value === undefined || (children ?? []).some(isMissing);
}

function contextOf({ contexts }: ValidationError): ValidatorContext | undefined {
  return Object.values(contexts ?? {})[0] as ValidatorContext | undefined;
}

function problemsOf(error: ValidationError, parent = ''): FieldProblem[] {
  const { property, constraints, children } = error;
  const field = parent + property;
  const problems = Object.entries(constraints ?? {}).map(([name, message]) => {
    if (name === 'whitelistValidation') return unknownField(field);
    return { field, message: error.value === undefined ? 'is required' : withoutName(message, property) };
  });
  return [...problems, ...(children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

/** class-validator's default messages begin with the name of the field, which `details` holds separately. */
function withoutName(message: string, name: string): string {
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}
