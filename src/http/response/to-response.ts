import type { Money } from '../../common/money.js';
import { modelFields, type ModelField, type ResponseClass } from '../openapi/model-fields.js';

/**
 * What `toResponse` takes for a field: the value of the response, or what the field's decorator writes as text, such as a
 * Date. An object has at least the fields of its response class.
 */
type Source<Value> = unknown extends Value
  ? Value
  : Value extends string
    ? TextSource<Value>
    : Value extends readonly (infer Item)[]
      ? readonly Source<Item>[]
      : Value extends object
        ? ObjectSource<Value>
        : Value;

/** A field for certain texts, such as a status, takes only these. */
type TextSource<Text extends string> = string extends Text ? Text | Date | Money | Buffer : Text;

/** A map is copied as it is; one whose values may be anything takes any object. */
type ObjectSource<Value extends object> = string extends keyof Value
  ? Readonly<Value> | (unknown extends Value[keyof Value] ? object : never)
  : Sources<Value>;

type Sources<Fields> = { readonly [Name in keyof Fields]: Source<Fields[Name]> };

type Values = Readonly<Record<string, unknown>>;
type Copy = (source: Values, given?: Values) => object;

const COPIES = new WeakMap<ResponseClass, Copy>();

/**
 * Fills a response with the fields that its class declares: those of `given`, which are named otherwise in the source or
 * computed, and all others from the fields of the same name in `source`. Amounts, instants and hashes become text as their
 * decorators say; objects and lists of another response class are filled in the same way.
 */
export function toResponse<Model extends object, Given extends Partial<Sources<Model>> = object>(
  model: new () => Model,
  source: Sources<Omit<Model, keyof Given>>,
  given?: Given & { [Name in keyof Given]: Name extends keyof Model ? Source<Model[Name]> : never },
): Model {
  return copyOf(model)(source as Values, given) as Model;
}

export function toResponses<Model extends object>(
  model: new () => Model,
  sources: readonly Sources<NoInfer<Model>>[],
): Model[] {
  const copy = copyOf(model);
  return sources.map((source) => copy(source as Values) as Model);
}

/** Reads the metadata of a class once, for its first response. */
function copyOf(model: ResponseClass): Copy {
  const known = COPIES.get(model);
  if (known) return known;
  const fields = modelFields(model).map((field) => ({ ...field, write: writerOf(field) }));
  // An object to which many fields are added one by one is slow; a copy of an object that was parsed with all fields is not.
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => [name, null]);
  const empty = JSON.parse(JSON.stringify(Object.fromEntries(required))) as Values;
  const copy: Copy = (source, given) => {
    const response: Record<string, unknown> = { ...empty };
    for (const { name, isOptional, write } of fields) {
      const value = given && name in given ? given[name] : source[name];
      if (value === undefined && isOptional) continue;
      response[name] = write && value !== null ? write(value) : value;
    }
    return response;
  };
  COPIES.set(model, copy);
  return copy;
}

function writerOf({ model, isList, write }: ModelField): ModelField['write'] {
  if (!model) return write;
  const copy = copyOf(model);
  return isList
    ? (sources) => (sources as readonly Values[]).map((source) => copy(source))
    : (source) => copy(source as Values);
}
