import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { FIELD_KEY, FIELD_NAMES_KEY } from './model-fields.js';

type InputClass = new () => object;
type Schema = Record<string, unknown>;

/** The part of class-validator's ValidationMetadata that this file uses. */
interface Rule {
  /** The name of the validator. */
  readonly name?: string;
  readonly propertyName: string;
  /** The rule applies to the items of a list. */
  readonly each: boolean;
  readonly constraints?: readonly unknown[];
}

const HEX = '[0-9a-fA-F]';

/**
 * Options of `ApiProperty` for the validators of class-validator that request classes use, by the validator's name. A field
 * with another validator needs an explicit `@ApiProperty`, except a nested object, which its class documents.
 */
const SCHEMAS: Record<string, (...constraints: never[]) => Schema> = {
  isOptional: () => ({ required: false }),
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  maxLength: (maxLength: number) => ({ type: 'string', maxLength }),
  isLength: (minLength: number, maxLength: number) => ({
    type: 'string',
    ...(minLength > 0 ? { minLength } : {}),
    maxLength,
  }),
  isIn: (values: readonly unknown[]) => ({
    type: typeof values[0] === 'number' ? 'integer' : 'string',
    enum: [...values],
  }),
  matches: (pattern: RegExp) => ({ type: 'string', pattern: pattern.source }),
  isUuid: (versions: string | readonly string[]) => ({ type: 'string', ...uuidSchema(versions) }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/** `versions`: one version, or consecutive ones in their order; 'loose' for any UUID. */
function uuidSchema(versions: string | readonly string[]): Schema {
  if (versions === 'loose') return { format: 'uuid' };
  const version = typeof versions === 'string' ? versions : `[${versions[0]}-${versions.at(-1)}]`;
  return { pattern: `^${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}$` };
}

/**
 * Documents the fields of every class with validators: their rules, and the initial values of the fields as defaults. Writes
 * the metadata that `SwaggerModule.createDocument` reads. An explicit `@ApiProperty` takes precedence over the validators.
 */
export function documentRequestFields(): void {
  // `validationMetadatas` is not part of class-validator's public types.
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: Map<InputClass, Rule[]>;
  };
  for (const [input, rules] of validationMetadatas) {
    const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
    const prototype = input.prototype as object;
    for (const name of names)
      documentField(
        prototype,
        name,
        rules.filter(({ propertyName }) => propertyName === name),
      );
    for (const [name, value] of Object.entries(new input()))
      if (value !== undefined) documentDefault(prototype, name, value);
    orderFields(prototype, names);
  }
}

function documentField(prototype: object, name: string, rules: readonly Rule[]): void {
  const schema: Schema = {};
  const items: Schema = {}; // the schema of the items of a list
  for (const { name: rule, each, constraints } of rules)
    Object.assign(each ? items : schema, SCHEMAS[rule ?? '']?.(...((constraints ?? []) as never[])));
  const { type, ...explicit } = (Reflect.getMetadata(FIELD_KEY, prototype, name) ?? {}) as Schema;
  ApiProperty({
    ...schema,
    ...(Object.keys(items).length > 0 ? { items } : {}),
    ...explicit,
    // A class as `type` comes from TypeScript's `design:type`, by @nestjs/swagger; the type of the validators is more exact.
    ...(typeof type === 'string' ? { type } : {}),
  } as ApiPropertyOptions)(prototype, name);
}

/** States the type, too, because @nestjs/swagger would give an inherited field the type from TypeScript. */
function documentDefault(prototype: object, name: string, value: unknown): void {
  const { type } = (Reflect.getMetadata(FIELD_KEY, prototype, name) ?? {}) as Schema;
  ApiProperty({ type, default: value } as ApiPropertyOptions)(prototype, name);
}

/**
 * Lists the fields with validators as the class declares them, after those of its base class. A field without a validator is
 * not documented, since requests cannot have it.
 */
function orderFields(prototype: object, names: readonly string[]): void {
  const inherited = (Reflect.getMetadata(FIELD_NAMES_KEY, Object.getPrototypeOf(prototype) as object) ??
    []) as string[];
  const own = names.map((name) => `:${name}`); // as @nestjs/swagger stores names
  Reflect.defineMetadata(FIELD_NAMES_KEY, [...new Set([...inherited, ...own])], prototype);
}
