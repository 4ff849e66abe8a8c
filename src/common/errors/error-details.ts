/** The fault of one field of the request. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
  /** The line of a text that was sent, such as a provider's statement. */
  readonly line?: number;
}

/** The kinds of values in an error's details. */
interface KindTypes {
  fields: readonly FieldProblem[];
  text: string;
  texts: readonly string[];
  /** A decimal string. */
  money: string;
  /** ISO 8601. */
  instant: string;
  id: string;
  integer: number;
  object: object;
}

export type DetailKind = keyof KindTypes;
/** A kind; with `?` the value may be absent, with `|null` it may be null. */
export type DetailType = DetailKind | `${DetailKind}?` | `${DetailKind}|null`;
/** The form of the details of an error code. */
export type DetailShape = Readonly<Record<string, DetailType>>;

export interface CatalogueEntry {
  /** HTTP status, unless the thrower gives another one. */
  readonly status: number;
  /** The message for the client: it says what is wrong and what to do. */
  readonly message: string;
  /** The form of `details`, the same wherever the code is answered. */
  readonly details?: DetailShape;
  /** False for a code with a status of 500 or more that is intended behaviour and no failure of the service. */
  readonly isFailure?: false;
  /** The Retry-After header, unless the thrower gives another one. */
  readonly retryAfterSeconds?: number;
  /** Why no route returns this code, which the API's specification defines. A full test run fails if a route returns it. */
  readonly neverReturned?: string;
}

type ValueOf<Type> = Type extends `${infer Kind extends DetailKind}|null`
  ? KindTypes[Kind] | null
  : Type extends `${infer Kind extends DetailKind}?`
    ? KindTypes[Kind] | undefined
    : Type extends DetailKind
      ? KindTypes[Type]
      : never;

type RequiredName<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends `${string}?` ? never : Name;
}[keyof Shape];

/** The details of a shape. A list of problems stands for an object with nothing but `fields`. */
export type DetailsOfShape<Shape> =
  | ({ [Name in RequiredName<Shape>]: ValueOf<Shape[Name]> } & {
      [Name in Exclude<keyof Shape, RequiredName<Shape>>]?: ValueOf<Shape[Name]>;
    })
  | (Exclude<RequiredName<Shape>, 'fields'> extends never
      ? 'fields' extends RequiredName<Shape>
        ? readonly FieldProblem[]
        : never
      : never);

/** The kind of a type, and whether the value may be absent or null. */
export function partsOf(type: DetailType): { kind: DetailKind; isOptional: boolean; isNullable: boolean } {
  const kind = type.replace(/\?|\|null/, '') as DetailKind;
  return { kind, isOptional: type.endsWith('?'), isNullable: type.endsWith('|null') };
}
