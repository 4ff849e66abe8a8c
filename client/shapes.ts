import { demand } from './encoding.js';

// The shape of proofs, which callers read from JSON: a value of another shape is a proof that does not hold, not a TypeError.

/** The type of a text or number, of the items of a list, or of the members of an object. */
export type Shape = 'string' | 'number' | readonly [Shape] | { readonly [member: string]: Shape };

/** Throws unless `value` has the shape. An object may have other members, too. */
export function requireShape(value: unknown, shape: Shape, name: string): void {
  if (typeof shape === 'string') {
    demand(typeof value === shape, `${name} is not a ${shape}.`);
  } else if (isListShape(shape)) {
    demand(Array.isArray(value), `${name} is not a list.`);
    for (const [at, item] of value.entries()) requireShape(item, shape[0], `${name}[${at}]`);
  } else {
    demand(typeof value === 'object' && value !== null, `${name} is not an object.`);
    for (const [member, inner] of Object.entries(shape))
      requireShape((value as Readonly<Record<string, unknown>>)[member], inner, `${name}.${member}`);
  }
}

function isListShape(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
