import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { ChoiceInput, DateInput, PatternInput } from '../../http/validation/inputs.js';

const NAME = /^[^\s\p{C}]{1,320}$/u;
const NAME_RULE = 'must be 1 to 320 characters without spaces';

export class AuditQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @PatternInput(NAME, NAME_RULE, {
    optional: true,
    description: 'e-mail address of who did it; `system` for what happened of its own accord',
    example: 'admin@example.com',
  })
  admin?: string;

  @PatternInput(/^[a-z-]+\.[a-z-]+$/, 'must be an action such as withdrawal.take', {
    optional: true,
    example: 'withdrawal.take',
  })
  action?: string;

  @PatternInput(/^[\w-]{1,100}$/, 'must be a kind of record such as withdrawal', {
    optional: true,
    example: 'withdrawal',
  })
  subjectType?: string;

  @PatternInput(NAME, NAME_RULE, { optional: true })
  subjectId?: string;

  @PatternInput(/^[\w-]{1,100}:[^\s\p{C}]{1,320}$/u, 'must be type:id', {
    optional: true,
    description: 'subjectType and subjectId in one; goes before both',
    example: 'withdrawal:0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  })
  subject?: string;

  @DateInput({
    optional: true,
    description: 'done at this instant or later; a date alone is its first instant',
  })
  from?: string;

  @DateInput({ optional: true, description: 'done at this instant or before; a date alone is the whole day' })
  to?: string;

  @ChoiceInput(['json', 'csv'], {
    optional: true,
    description: 'csv: a file of everything that the filters select, whatever page and limit say',
  })
  format: 'json' | 'csv' = 'json';
}
