import { Controller, Get, Header } from '@nestjs/common';
import { PublicRoute } from '../../../http/auth/route.js';
import { publicFor } from '../../../http/response/caching.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { KeySetResponse } from './dto/proofs.response.js';
import { LogProofsService } from './log-proofs.service.js';
import { toKeySetResponse } from './proofs.mapper.js';

/** How long clients may store the keys. */
const CACHED_SECONDS = 60;

@Controller('.well-known')
export class WellKnownController {
  constructor(private readonly proofs: LogProofsService) {}

  @Get('jwks.json')
  @Header('Cache-Control', publicFor(CACHED_SECONDS))
  @PublicRoute({
    operationId: 'getSigningKeys',
    summary: 'The keys that sign or have signed receipts and checkpoints, as JSON Web Keys',
    data: KeySetResponse,
    isWithoutEnvelope: true,
    rateClass: 'proofs',
  })
  async jwks(): Promise<RawResponse> {
    return new RawResponse(toKeySetResponse(await this.proofs.listPublicKeys()));
  }
}
