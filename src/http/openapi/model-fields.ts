// The fields of response classes, as the decorators of `fields.ts` have stored them.

// Metadata keys of @nestjs/swagger, which does not export them.
export const FIELD_KEY = 'swagger/apiModelProperties';
export const FIELD_NAMES_KEY = 'swagger/apiModelPropertiesArray';

export type ResponseClass = new () => object;

/** Writes a value of a service, such as an amount, as the response shows it. */
export type WriteValue = (value: unknown) => unknown;
const WRITE_KEY = 'response:write';

export interface ModelField {
  readonly name: string;
  /** The class of a nested object, or of the items of a list. */
  readonly model: ResponseClass | undefined;
  readonly isList: boolean;
  readonly isOptional: boolean;
  readonly write: WriteValue | undefined;
}

interface StoredField {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly required?: boolean;
}

export function defineWriter(prototype: object, name: string | symbol, write: WriteValue): void {
  Reflect.defineMetadata(WRITE_KEY, write, prototype, name);
}

/** The fields of a class in the order of their declaration, inherited ones first. */
export function modelFields({ prototype }: ResponseClass): ModelField[] {
  const names = (Reflect.getMetadata(FIELD_NAMES_KEY, prototype as object) ?? []) as string[];
  return names.map((stored) => {
    const name = stored.slice(1); // the names begin with a colon
    const field = Reflect.getMetadata(FIELD_KEY, prototype as object, name) as StoredField;
    const { type, isArray = false, required = true } = field;
    return {
      name,
      model: typeof type === 'function' ? (type as () => ResponseClass)() : undefined,
      isList: isArray,
      isOptional: !required,
      write: Reflect.getMetadata(WRITE_KEY, prototype as object, name) as WriteValue | undefined,
    };
  });
}
