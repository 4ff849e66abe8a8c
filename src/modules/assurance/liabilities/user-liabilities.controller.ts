import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { ProofOfLiabilitiesQuery } from './dto/liabilities.request.js';
import { ProofOfLiabilitiesResponse } from './dto/liabilities.response.js';
import { toProofOfLiabilitiesResponse } from './liabilities.mapper.js';
import { LiabilityProofsService } from './liability-proofs.service.js';

@Controller('api/user/proof-of-liabilities')
export class UserLiabilitiesController {
  constructor(private readonly proofs: LiabilityProofsService) {}

  @Get()
  @UserRoute({
    summary: "The proof that the user's money was counted in what the platform owed at the end of a day",
    data: ProofOfLiabilitiesResponse,
    errors: ['PROOF_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async getProof(
    @CurrentUser() user: UserPrincipal,
    @Query() { day, asset }: ProofOfLiabilitiesQuery,
  ): Promise<ProofOfLiabilitiesResponse> {
    return toProofOfLiabilitiesResponse(await this.proofs.getUserLiability(user.id, day ?? null, asset));
  }
}
