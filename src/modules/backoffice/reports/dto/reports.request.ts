import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { BooleanFromText, DateInput } from '../../../../http/request/input.decorators.js';
import { PERIODS, REPORT_INTERVALS, type Period, type ReportInterval } from '../domain/periods.js';

const PERIOD =
  '24h is the current hour and the 23 before it; 7d, 30d, 90d and 1y are the last 7, 30, 90 and 365 UTC days, today included; all begins with the first UTC day on which any figure changed';

export class StatsQuery {
  @ApiProperty({ description: PERIOD })
  @IsOptional()
  @IsIn(PERIODS)
  period: Period = '30d';
}

const WithDays = () =>
  applyDecorators(
    ApiProperty({ description: 'true adds one row per day, for at most the last 1,100 days' }),
    IsOptional(),
    BooleanFromText(),
    IsBoolean(),
  );

export class RevenueQuery extends StatsQuery {
  @WithDays()
  breakdown = false;
}

export class ReportQuery {
  @DateInput({ optional: true, description: 'first UTC day; by default 30 days before endDate' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last UTC day; by default today' })
  endDate?: string;
}

export class RevenueReportQuery extends ReportQuery {
  @WithDays()
  breakdown = false;
}

export class UsersReportQuery extends ReportQuery {
  @ApiProperty({
    description:
      'weeks begin on Monday, months on their first day; at most 1,100 intervals (about 45 days of hourly intervals)',
  })
  @IsOptional()
  @IsIn(REPORT_INTERVALS)
  interval: ReportInterval = 'daily';
}
