import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, MaxLength } from 'class-validator';
import { DateInput } from '../../../http/request/input.decorators.js';
import { LIABILITY_ASSETS, type LiabilityAsset } from '../liabilities.types.js';

const DAY_LENGTH = 10;

export class ProofOfLiabilitiesQuery {
  @DateInput({ optional: true, description: 'UTC day; the last closed day when absent' })
  @MaxLength(DAY_LENGTH, { message: 'must be a day such as 2026-01-31' })
  day?: string;

  @ApiProperty()
  @IsOptional()
  @IsIn(LIABILITY_ASSETS)
  asset: LiabilityAsset = 'USDC';
}
