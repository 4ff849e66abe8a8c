import { Controller, Get, Header, Injectable, Query, type PipeTransform } from '@nestjs/common';
import { isDay, isWithinCalendar, startOfDay, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import { publicFor } from '../../../http/response/caching.js';
import { toResponse } from '../../../http/response/to-response.js';
import { fromSmallestParts, scaleOf } from '../proofs/domain/sum-tree.js';
import { ProofOfLiabilitiesQuery } from './dto/liabilities.request.js';
import {
  AssetsResponse,
  LiabilitiesResponse,
  ProofOfLiabilitiesResponse,
} from './dto/liabilities.response.js';
import {
  LiabilityProofsService,
  type PublishedLiabilities,
  type UserLiability,
} from './liability-proofs.service.js';

/** How long clients and proxies may store answers about closed days. */
const CACHED_DAY_SECONDS = 3600;

/** Validates the day in a path. Throws PROOF_NOT_FOUND for text that is not a day. */
@Injectable()
class ClosedDayPipe implements PipeTransform<string, Day> {
  transform(text: string): Day {
    return isDay(text) && isWithinCalendar(startOfDay(text)) ? text : throwError('PROOF_NOT_FOUND');
  }
}

const ClosedDay = () =>
  PathParam(
    { name: 'day', description: 'a closed UTC day', format: 'date', example: '2026-01-31' },
    ClosedDayPipe,
  );

@Controller('api/proofs')
export class PublishedDaysController {
  constructor(private readonly proofs: LiabilityProofsService) {}

  @Get('liabilities/:day')
  @Header('Cache-Control', publicFor(CACHED_DAY_SECONDS))
  @PublicRoute({
    operationId: 'getLiabilities',
    summary: 'What the platform owes to all users at the end of a day, proven to be in the log',
    data: [LiabilitiesResponse],
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async listLiabilities(@ClosedDay() day: string): Promise<LiabilitiesResponse[]> {
    return (await this.proofs.getLiabilities(day)).map(toLiabilitiesResponse);
  }

  @Get('assets/:day')
  @Header('Cache-Control', publicFor(CACHED_DAY_SECONDS))
  @PublicRoute({
    operationId: 'getAssets',
    summary: 'Where the assets of a closed day are, and how much of the liabilities they cover',
    data: AssetsResponse,
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async getAssets(@ClosedDay() day: string): Promise<AssetsResponse> {
    return toResponse(AssetsResponse, await this.proofs.getAssets(day));
  }
}

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

function toLiabilitiesResponse({ tree, size, inclusion }: PublishedLiabilities): LiabilitiesResponse {
  const { path, checkpoint } = inclusion;
  return toResponse(LiabilitiesResponse, tree, { size, path, checkpoint: checkpoint.note });
}

function toProofOfLiabilitiesResponse(liability: UserLiability): ProofOfLiabilitiesResponse {
  const { tree, index, leaf, path } = liability;
  const text = (parts: bigint) => fromSmallestParts(parts, scaleOf(tree.asset));
  const { available, reserved, invested, held } = leaf.components;
  return toResponse(ProofOfLiabilitiesResponse, tree, {
    userId: leaf.userId,
    index,
    nonce: leaf.nonce.toString('base64'),
    amount: text(leaf.amount),
    components: {
      available: text(available),
      reserved: text(reserved),
      invested: text(invested),
      held: text(held),
    },
    path: path.map((sibling) => ({ ...sibling, sum: text(sibling.sum) })),
  });
}
