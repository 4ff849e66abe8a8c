import { ChoiceInput, FlagInput, MoneyInput, TextInput } from '../../http/validation/inputs.js';
import { RISK_LEVELS } from './strategy.views.js';

export const CHANGEABLE = [
  'name',
  'description',
  'riskLevel',
  'apy',
  'minAmount',
  'maxAmount',
  'isActive',
] as const;

/** At least one of them. */
export class ChangeStrategyDto {
  @TextInput({ optional: true, maxLength: 100 }) name?: string;
  @TextInput({ optional: true }) description?: string;
  @ChoiceInput(RISK_LEVELS, { optional: true }) riskLevel?: string;
  @MoneyInput({ optional: true, description: 'target, percent a year', example: '10.00' }) apy?: string;
  @MoneyInput({ optional: true }) minAmount?: string;
  @MoneyInput({ optional: true }) maxAmount?: string;
  @FlagInput({ optional: true }) isActive?: boolean;
}
