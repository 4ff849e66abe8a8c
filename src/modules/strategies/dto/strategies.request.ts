import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { LineInput, MoneyInput, TextLength } from '../../../http/request/input.decorators.js';
import { RISK_LEVELS } from '../../../config/strategies-file.js';

/** A change that an admin requests. The service records it, does not apply it, and refuses a request without fields. */
export class ChangeStrategyRequest {
  @IsOptional()
  @LineInput({ example: 'Balanced 10' })
  name?: string;
  @IsOptional()
  @TextLength(1, 500)
  description?: string;
  @IsOptional()
  @IsIn(RISK_LEVELS)
  riskLevel?: string;
  @MoneyInput({ optional: true, description: 'target, percent a year', example: '10.00' }) apy?: string;
  @MoneyInput({ optional: true, description: 'smallest amount of an investment' }) minAmount?: string;
  @MoneyInput({ optional: true, description: 'largest amount of an investment' }) maxAmount?: string;
  @IsOptional()
  @IsBoolean()
  isActive?: boolean;
}
