import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { isId } from '../../common/ids.js';

/** Validates an id in a path. Text that is not a UUID gets the "not found" code of the resource, with its details. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  constructor(
    private readonly notFound: ErrorCode,
    private readonly details?: object,
  ) {}

  transform(value: string): string {
    if (!isId(value)) throw new DomainError(this.notFound, this.details);
    return value.toLowerCase();
  }
}
