import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { PROPERTY, PROPERTY_NAMES } from './model-fields.js';

type InputClass = new () => object;
type Schema = Record<string, unknown>;

interface Rule {
  readonly name?: string;
  readonly propertyName: string;
  readonly each: boolean;
  readonly constraints?: readonly unknown[];
}

const HEX = '[0-9a-fA-F]';

/** The OpenAPI schema of each validator of class-validator, by the validator's name. */
const SCHEMAS: Record<string, (...constraints: never[]) => Schema> = {
  isOptional: () => ({ required: false }),
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  isLength: (minLength: number, maxLength: number) => ({ type: 'string', minLength, maxLength }),
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

function uuidSchema(versions: string | readonly string[]): Schema {
  if (versions === 'loose') return { format: 'uuid' };
  const version = typeof versions === 'string' ? versions : `[${versions[0]}-${versions.at(-1)}]`;
  return { pattern: `^${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}$` };
}

/**
 * Documents the fields of every validated class: the rules of its validators, and the initial values of its fields as
 * defaults. An explicit `@ApiProperty` takes precedence over the rules of the validators.
 */
export function documentRequestFields(): void {
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
      if (value !== undefined) ApiProperty({ default: value as unknown })(prototype, name);
    orderFields(prototype, names);
  }
}

function documentField(prototype: object, name: string, rules: readonly Rule[]): void {
  const schema: Schema = {};
  const items: Schema = {}; // the schema of the items of a list
  for (const { name: rule, each, constraints } of rules)
    Object.assign(each ? items : schema, SCHEMAS[rule ?? '']?.(...((constraints ?? []) as never[])));
  const { type, ...explicit } = (Reflect.getMetadata(PROPERTY, prototype, name) ?? {}) as Schema;
  ApiProperty({
    ...schema,
    ...(Object.keys(items).length > 0 ? { items } : {}),
    ...explicit,
    ...(typeof type === 'string' ? { type } : {}), // otherwise the type of TypeScript's metadata
  } as ApiPropertyOptions)(prototype, name);
}

/** Sorts the fields as the class declares them, after those of its base class. */
function orderFields(prototype: object, names: readonly string[]): void {
  const inherited = (Reflect.getMetadata(PROPERTY_NAMES, Object.getPrototypeOf(prototype) as object) ??
    []) as string[];
  const own = names.map((name) => `:${name}`);
  Reflect.defineMetadata(PROPERTY_NAMES, [...new Set([...inherited, ...own])], prototype);
}
