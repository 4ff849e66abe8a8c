import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PublicRoute } from '../../http/auth/route.js';
import { allowCaching } from '../../http/response/caching.js';
import { RawResponse } from '../../http/response/enveloped-response.js';
import { KeySetResponse } from './dto/proofs.response.js';
import { CACHED_SECONDS } from './proofs.constants.js';
import { PublishedKeysService } from './published-keys.service.js';

@Controller('.well-known')
export class WellKnownController {
  constructor(private readonly keys: PublishedKeysService) {}

  @Get('jwks.json')
  @PublicRoute({
    summary: 'The keys that sign receipts and checkpoints, as JSON Web Keys',
    data: KeySetResponse,
    isWithoutEnvelope: true,
    rateClass: 'proofs',
  })
  async jwks(@Res({ passthrough: true }) response: Response): Promise<RawResponse> {
    const keys = await this.keys.listJwks();
    allowCaching(response, CACHED_SECONDS);
    return new RawResponse({ keys } satisfies KeySetResponse);
  }
}
