import { Controller, Get, Header } from '@nestjs/common';
import { PublicRoute } from '../../http/auth/route.js';
import { publicFor } from '../../http/response/caching.js';
import { RawResponse } from '../../http/response/enveloped-response.js';
import { KeySetResponse } from './dto/proofs.response.js';
import { CACHED_SECONDS } from './proofs.constants.js';
import { PublishedKeysService } from './published-keys.service.js';

@Controller('.well-known')
export class WellKnownController {
  constructor(private readonly keys: PublishedKeysService) {}

  @Get('jwks.json')
  @Header('Cache-Control', publicFor(CACHED_SECONDS))
  @PublicRoute({
    summary: 'The keys that sign receipts and checkpoints, as JSON Web Keys',
    data: KeySetResponse,
    isWithoutEnvelope: true,
    rateClass: 'proofs',
  })
  async jwks(): Promise<RawResponse> {
    return new RawResponse({ keys: await this.keys.listJwks() } satisfies KeySetResponse);
  }
}
