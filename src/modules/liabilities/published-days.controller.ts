import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PublicRoute } from '../../http/auth/route.js';
import { allowCaching } from '../../http/response/caching.js';
import { ClosedDayPipe } from './closed-day.pipe.js';
import { AssetsResponse, LiabilitiesResponse } from './dto/liabilities.response.js';
import { CACHED_DAY_SECONDS } from './liabilities.constants.js';
import { toAssetsResponse, toLiabilitiesResponse } from './liabilities.mapper.js';
import { LiabilityProofsService } from './liability-proofs.service.js';

@Controller('api/proofs')
export class PublishedDaysController {
  constructor(private readonly proofs: LiabilityProofsService) {}

  @Get('liabilities/:day')
  @PublicRoute({
    summary: 'What the platform owes to all users at the end of a day, proven to be in the log',
    data: [LiabilitiesResponse],
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async listLiabilities(
    @Param('day', ClosedDayPipe) day: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LiabilitiesResponse[]> {
    const liabilities = await this.proofs.getLiabilities(day);
    allowCaching(response, CACHED_DAY_SECONDS);
    return liabilities.map(toLiabilitiesResponse);
  }

  @Get('assets/:day')
  @PublicRoute({
    summary: 'Where the assets of a closed day are, and how much of the liabilities they cover',
    data: AssetsResponse,
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async getAssets(
    @Param('day', ClosedDayPipe) day: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssetsResponse> {
    const assets = await this.proofs.getAssets(day);
    allowCaching(response, CACHED_DAY_SECONDS);
    return toAssetsResponse(assets);
  }
}
