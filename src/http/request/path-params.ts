import { Param, type PipeTransform, type Type } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { IdPipe } from './id.pipe.js';

interface IdOptions {
  /** The name of the parameter, `id` by default. */
  readonly name?: string;
  /** Details of the refusal. */
  readonly details?: object;
}

/** A parameter of the path, as the OpenAPI document describes it. */
export function PathParam(
  options: ApiParamOptions & { readonly name: string; readonly description: string },
  ...pipes: (Type<PipeTransform> | PipeTransform)[]
): ParameterDecorator {
  const document: MethodDecorator = ApiParam(options);
  return (controller, handler, index) => {
    Param(options.name, ...pipes)(controller, handler, index);
    const method = Object.getOwnPropertyDescriptor(controller, handler as string) as PropertyDescriptor;
    document(controller, handler as string, method);
  };
}

/** The id of a record in the path: of the `withdrawal`, for instance. Text that is not a UUID is refused with the code `notFound`. */
export function IdParam(
  record: string,
  notFound: ErrorCode,
  { name = 'id', details }: IdOptions = {},
): ParameterDecorator {
  const options = { name, description: `id of the ${record}`, format: 'uuid' } as const;
  return PathParam(options, new IdPipe(notFound, details));
}
