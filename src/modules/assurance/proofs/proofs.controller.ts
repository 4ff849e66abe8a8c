import { Body, Controller, Get, Header, Post, Query, Res, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import {
  type AdminPrincipal,
  CurrentAdmin,
  CurrentUser,
  type UserPrincipal,
} from '../../../http/auth/principal.js';
import { AdminRoute, PublicRoute, UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam, PathParam } from '../../../http/request/path-params.js';
import { PUBLIC_FOREVER, publicFor } from '../../../http/response/caching.js';
import { RawResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { verifierLines } from './domain/checkpoint.js';
import { FULL_TILE_BYTES } from './domain/tiles.js';
import { CheckpointsQuery, ConsistencyQuery, ContinueLogRequest } from './dto/proofs.request.js';
import {
  CheckpointResponse,
  ConsistencyResponse,
  KeySetResponse,
  TransactionProofResponse,
} from './dto/proofs.response.js';
import { LogProofsService } from './log-proofs.service.js';
import { LogRestoresService } from './log-restores.service.js';
import type { SignedCheckpoint } from './proofs.types.js';
import { type TransactionProof, TransactionProofsService } from './transaction-proofs.service.js';

const TEXT = 'text/plain; charset=utf-8';
/** How long clients may store the list of checkpoints, the keys and partial tiles. */
const CACHED_SECONDS = 60;
/** How long clients may store the newest checkpoint. */
const CACHED_CHECKPOINT_SECONDS = 5;

const TilePath = () =>
  PathParam({
    name: 'path',
    type: String,
    description: 'level and number of the tile, and the width of a partial one, as in C2SP tlog-tiles',
    example: '0/x001/x234/067.p/5',
  });

/** The transparency log, for verifiers. */
@Controller('api/proofs')
export class ProofsController {
  constructor(private readonly proofs: LogProofsService) {}

  @Get('checkpoint')
  @Header('Content-Type', TEXT)
  @Header('Cache-Control', publicFor(CACHED_CHECKPOINT_SECONDS))
  @PublicRoute({
    summary: 'The newest signed checkpoint of the transparency log (C2SP tlog-checkpoint)',
    plainText: true,
    rateClass: 'proofs',
  })
  async checkpoint(): Promise<RawResponse> {
    return new RawResponse((await this.proofs.getNewestCheckpoint()).note);
  }

  @Get('key')
  @Header('Content-Type', TEXT)
  @Header('Cache-Control', publicFor(CACHED_SECONDS))
  @PublicRoute({
    summary:
      'The verifier keys of all checkpoints (C2SP signed-note), one on each line, the present key first',
    plainText: true,
    rateClass: 'proofs',
  })
  async key(): Promise<RawResponse> {
    return new RawResponse(verifierLines(await this.proofs.listVerifiers()));
  }

  @Get('checkpoints')
  @Header('Cache-Control', publicFor(CACHED_SECONDS))
  @PublicRoute({
    summary: 'The checkpoints that are kept, newest first',
    data: [CheckpointResponse],
    rateClass: 'proofs',
    errors: ['INVALID_PAGINATION'],
  })
  async checkpoints(@Query() { before, limit }: CheckpointsQuery): Promise<CheckpointResponse[]> {
    return (await this.proofs.listCheckpoints(before, limit)).map(toCheckpointResponse);
  }

  @Get('tile/*path')
  @Header('Cache-Control', publicFor(CACHED_SECONDS))
  @PublicRoute({
    summary: 'Hashes of the tree, up to 256 of 32 bytes (C2SP tlog-tiles)',
    bytes: 'application/octet-stream',
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async tile(
    @TilePath() segments: string[],
    @Res({ passthrough: true }) response: Response,
  ): Promise<RawResponse> {
    const hashes = await this.proofs.getTile(segments.join('/'));
    if (hashes.length === FULL_TILE_BYTES) response.setHeader('Cache-Control', PUBLIC_FOREVER);
    return new RawResponse(new StreamableFile(hashes));
  }

  @Get('consistency')
  @PublicRoute({
    summary: 'Proves that one tree continues an older one (RFC 9162, section 2.1.4)',
    data: ConsistencyResponse,
    rateClass: 'proofs',
    errors: ['VALIDATION_ERROR'],
  })
  async consistency(@Query() sizes: ConsistencyQuery): Promise<ConsistencyResponse> {
    return toResponse(ConsistencyResponse, sizes, { path: await this.proofs.proveConsistency(sizes) });
  }
}

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
    const keys = (await this.proofs.listPublicKeys()).map(({ jwk }) => jwk);
    const response: KeySetResponse = { keys };
    return new RawResponse(response);
  }
}

@Controller('api/user/transactions')
export class TransactionProofsController {
  constructor(private readonly proofs: TransactionProofsService) {}

  @Get(':id/proof')
  @UserRoute({
    scope: 'transactions:read',
    summary:
      "Proofs that the ledger transactions of one of the user's transactions are in the transparency log",
    data: TransactionProofResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'PERMISSION_DENIED', 'PROOF_PENDING'],
  })
  async prove(
    @CurrentUser() user: UserPrincipal,
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
  ): Promise<TransactionProofResponse> {
    return toTransactionProofResponse(await this.proofs.proveUserTransaction(id, user.id));
  }
}

@Controller('api/admin')
export class AdminProofsController {
  constructor(
    private readonly restores: LogRestoresService,
    private readonly proofs: TransactionProofsService,
    private readonly stepUps: StepUps,
  ) {}

  @Post('proofs/continue')
  @AdminRoute('*', {
    operationId: 'continueProofLog',
    summary:
      'Continue the transparency log after a restore, unless it contradicts a published checkpoint, after the approval of a second admin',
    data: CheckpointResponse,
    stepUp: true,
    approval: ApprovalResponse,
    errors: ['INVALID_STATE', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async continueLog(
    @Body() body: ContinueLogRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CheckpointResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'log.continue');
    const result = await this.restores.continueLog(body, admin, check);
    return toChangeResponse(response, result, toCheckpointResponse);
  }

  @Get('transactions/:id/proof')
  @AdminRoute('transactions:read', {
    summary: 'Proofs that the ledger transactions of a transaction of any user are in the transparency log',
    data: TransactionProofResponse,
    errors: ['TRANSACTION_NOT_FOUND', 'PROOF_PENDING'],
  })
  async proveTransaction(
    @IdParam('transaction', 'TRANSACTION_NOT_FOUND') id: string,
  ): Promise<TransactionProofResponse> {
    return toTransactionProofResponse(await this.proofs.proveAnyTransaction(id));
  }
}

function toCheckpointResponse(signed: SignedCheckpoint): CheckpointResponse {
  return toResponse(CheckpointResponse, signed, { checkpoint: signed.note });
}

function toTransactionProofResponse(proofs: readonly TransactionProof[]): TransactionProofResponse {
  return toResponse(TransactionProofResponse, {
    proofs: proofs.map(({ leafText: leaf, leafIndex, path, checkpoint: { size, note } }) => ({
      leaf,
      leafIndex,
      treeSize: size,
      path,
      checkpoint: note,
    })),
  });
}
