import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { ChoiceInput, DateInput, FilterInput, FlagQuery } from '../../http/validation/inputs.js';
import { startOfDay } from '../../kernel/days.js';
import { NOTIFICATION_TYPES, type NotificationType } from './notification.words.js';

export class NotificationsQuery {
  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @FlagQuery({ description: 'true: unread ones alone, false: read ones alone' })
  unread?: boolean;

  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @ChoiceInput(['createdAt', 'priority'], {
    optional: true,
    description: 'priority: critical first when descending',
  })
  sortBy: 'createdAt' | 'priority' = 'createdAt';

  @ChoiceInput(['asc', 'desc'], { optional: true })
  orderBy: 'asc' | 'desc' = 'desc';
}

export class MarkAllReadDto {
  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @DateInput({ optional: true, description: 'only those made before this instant, or before this UTC day' })
  beforeDate?: string;
}

/** The instant that "before this date" means: of a day alone its midnight, UTC. */
export function beginningOf(date: string): Date {
  return date.length === 10 ? startOfDay(date) : new Date(date);
}
