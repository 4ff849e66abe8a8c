// The fields of response classes, as the decorators of `fields.ts` have stored them.

// Metadata keys of @nestjs/swagger, which does not export them.
export const FIELD_KEY = 'swagger/apiModelProperties';
export const FIELD_NAMES_KEY = 'swagger/apiModelPropertiesArray';

export type ResponseClass = new () => object;

export interface ModelField {
  readonly name: string;
  /** The class of a nested object; undefined for values, lists and maps. */
  readonly nested: ResponseClass | undefined;
}

interface StoredField {
  readonly type?: unknown;
  readonly isArray?: boolean;
}

/** The fields of a class in the order of their declaration, inherited ones first. */
export function modelFields({ prototype }: ResponseClass): ModelField[] {
  const names = (Reflect.getMetadata(FIELD_NAMES_KEY, prototype as object) ?? []) as string[];
  return names.map((stored) => {
    const name = stored.slice(1); // the names begin with a colon
    const { type, isArray } = Reflect.getMetadata(FIELD_KEY, prototype as object, name) as StoredField;
    const isNested = typeof type === 'function' && !isArray;
    return { name, nested: isNested ? (type as () => ResponseClass)() : undefined };
  });
}
