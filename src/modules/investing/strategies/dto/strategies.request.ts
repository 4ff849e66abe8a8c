import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import {
  DateInput,
  FilterInput,
  LineInput,
  MoneyInput,
  NumberFromText,
  TextLength,
} from '../../../../http/request/input.decorators.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import { RISK_LEVELS } from '../../../../config/strategies-file.js';
import { HISTORY_PERIODS, type HistoryPeriod } from '../strategies.types.js';
import { YIELD_REPORT_STATES, type YieldReportState } from '../domain/yield-report.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';

/**
 * A change that an admin requests. The service records it and refuses a request without fields. It does not apply the change,
 * since strategies are set by the configuration.
 */
export class ChangeStrategyRequest {
  @IsOptional()
  @LineInput({ description: 'shown to users', example: 'Balanced 10' })
  name?: string;
  @ApiProperty({ description: 'shown to users' })
  @IsOptional()
  @TextLength(1, 500)
  description?: string;
  @ApiProperty({ description: 'shown to users' })
  @IsOptional()
  @IsIn(RISK_LEVELS)
  riskLevel?: string;
  @MoneyInput({ optional: true, description: 'target, percent a year', example: '10.00' }) apy?: string;
  @MoneyInput({ optional: true, description: 'smallest investment, USDC' }) minAmount?: string;
  @MoneyInput({ optional: true, description: 'largest investment, USDC' }) maxAmount?: string;
  @ApiProperty({ description: 'whether it takes new investments' })
  @IsOptional()
  @IsBoolean()
  isActive?: boolean;
}

export class StrategyHistoryQuery {
  @ApiProperty({
    description: 'number of days up to and including endDate; 30 if neither period nor startDate is given',
  })
  @IsOptional()
  @NumberFromText()
  @IsIn(HISTORY_PERIODS)
  period?: HistoryPeriod;

  @DateInput({ optional: true, description: 'first day; not together with period' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  endDate?: string;
}

export class YieldReportsQuery extends PageQuery {
  @FilterInput(YIELD_REPORT_STATES)
  status?: YieldReportState;

  @CreatedAfterInput('reported')
  createdAfter?: string;

  @CreatedBeforeInput('reported')
  createdBefore?: string;
}

export class RejectYieldReportRequest {
  @ApiProperty({ description: 'shown to admins, and for the audit log' })
  @TextLength(1, 500)
  reason!: string;
}
