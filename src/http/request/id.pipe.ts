import { Injectable, type PipeTransform } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { isId } from '../../common/ids.js';

/** Validates an id in a path. Text that is not a UUID gets the "not found" code of the resource. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly notFound: ErrorCode) {}

  transform(value: string): string {
    return isId(value) ? value.toLowerCase() : fail(this.notFound);
  }
}
