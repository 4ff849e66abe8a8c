import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DayInput } from '../../../../http/request/input.decorators.js';
import { LIABILITY_ASSETS, type LiabilityAsset } from '../domain/asset-lines.js';

export class ProofOfLiabilitiesQuery {
  @DayInput({ optional: true, description: 'UTC day; the last closed day when absent' })
  day?: string;

  @ApiProperty({ description: 'asset of the proven balance' })
  @IsOptional()
  @IsIn(LIABILITY_ASSETS)
  asset: LiabilityAsset = 'USDC';
}
