import { ApiProperty } from '@nestjs/swagger';

const inputClasses = new Set<new () => object>();

/** Remembers the class of a request's field: the initial values of its instances are the defaults. */
export function rememberInputClass(prototype: object): void {
  inputClasses.add(prototype.constructor as new () => object);
}

/** Documents the default of every field of a query or body that has one. */
export function documentDefaults(): void {
  for (const input of inputClasses) {
    for (const [name, value] of Object.entries(new input())) {
      if (value !== undefined) ApiProperty({ default: value as unknown })(input.prototype as object, name);
    }
  }
}
