import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DomainError } from '../../common/errors/domain-error.js';

const OTHER_NAMES = 'request:other-names';

type Input = Record<string, unknown>;

/** The parameter is another name of `name`: handlers get its value as `name`. Both names with different values are refused. */
export function OtherNameOf(name: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: `another name of ${name}` }),
    (target: object, otherName: string | symbol) => {
      const earlier = (Reflect.getMetadata(OTHER_NAMES, target) ?? {}) as Record<string, string>;
      Reflect.defineMetadata(OTHER_NAMES, { ...earlier, [otherName as string]: name }, target);
    },
  );
}

/** Moves the values of other names to the names that they stand for. */
export function resolveOtherNames(input: object): void {
  const names = (Reflect.getMetadata(OTHER_NAMES, input) ?? {}) as Record<string, string>;
  const values = input as Input;
  for (const [otherName, name] of Object.entries(names)) {
    const value = values[otherName];
    if (value === undefined) continue;
    if (values[name] !== undefined && values[name] !== value)
      throw new DomainError('VALIDATION_ERROR', [
        { field: otherName, message: `is another name of ${name}, which has a different value` },
      ]);
    values[name] = value;
    delete values[otherName];
  }
}
