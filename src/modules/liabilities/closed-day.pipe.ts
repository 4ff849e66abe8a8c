import { Injectable, type PipeTransform } from '@nestjs/common';
import { isDay, isWithinCalendar, startOfDay, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';

/** Validates the day in a path. A text that is no day is not found either. */
@Injectable()
export class ClosedDayPipe implements PipeTransform<string, Day> {
  transform(text: string): Day {
    return isDay(text) && isWithinCalendar(startOfDay(text)) ? text : fail('PROOF_NOT_FOUND');
  }
}
