import { Injectable, type PipeTransform } from '@nestjs/common';
import { fail } from '../../kernel/errors/domain-error.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { isId } from '../../kernel/ids.js';

/** A path id. One that is not a UUID belongs to nothing: "not found", never a 500. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly notFound: ErrorCode) {}

  transform(value: string): string {
    return isId(value) ? value.toLowerCase() : fail(this.notFound);
  }
}
