import { ChoiceInput, DateInput } from '../../http/validation/inputs.js';

export const FORMATS = ['json', 'csv'] as const;
export type StatementFormat = (typeof FORMATS)[number];

export class StatementQuery {
  @DateInput({ optional: true, description: 'first day; 29 days before the last when absent' })
  from?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  to?: string;

  @ChoiceInput(FORMATS, { optional: true, description: 'json when absent' })
  format: StatementFormat = 'json';
}
