import { Controller, Get, Header, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Response } from 'express';
import { PublicRoute } from '../../http/auth/route.js';
import { allowCaching, allowPermanentCaching } from '../../http/response/caching.js';
import { RawResponse } from '../../http/response/enveloped-response.js';
import { FULL_TILE_BYTES } from './domain/tiles.js';
import { CheckpointsQuery, ConsistencyQuery } from './dto/proofs.request.js';
import { CheckpointResponse, ConsistencyResponse } from './dto/proofs.response.js';
import { LogProofsService } from './log-proofs.service.js';
import { CACHED_CHECKPOINT_SECONDS, CACHED_SECONDS } from './proofs.constants.js';
import { toCheckpointResponse, toConsistencyResponse } from './proofs.mapper.js';
import { PublishedKeysService } from './published-keys.service.js';
import { TilePathPipe } from './tile-path.pipe.js';

const TEXT = 'text/plain; charset=utf-8';

/** What verifiers read of the transparency log. */
@Controller('api/proofs')
export class ProofsController {
  constructor(
    private readonly proofs: LogProofsService,
    private readonly keys: PublishedKeysService,
  ) {}

  @Get('checkpoint')
  @Header('Content-Type', TEXT)
  @PublicRoute({
    summary: 'The newest signed checkpoint of the transparency log (C2SP tlog-checkpoint)',
    plainText: true,
    rateClass: 'proofs',
  })
  async checkpoint(@Res({ passthrough: true }) response: Response): Promise<RawResponse> {
    const { note } = await this.proofs.getNewestCheckpoint();
    allowCaching(response, CACHED_CHECKPOINT_SECONDS);
    return new RawResponse(note);
  }

  @Get('key')
  @Header('Content-Type', TEXT)
  @PublicRoute({
    summary:
      'The verifier keys of all checkpoints (C2SP signed-note), one on each line, the present key first',
    plainText: true,
    rateClass: 'proofs',
  })
  async key(@Res({ passthrough: true }) response: Response): Promise<RawResponse> {
    const verifiers = await this.keys.listVerifiers();
    allowCaching(response, CACHED_SECONDS);
    return new RawResponse(verifiers.map((verifier) => `${verifier.toString()}\n`).join(''));
  }

  @Get('checkpoints')
  @PublicRoute({
    summary: 'The checkpoints that are kept, newest first',
    data: [CheckpointResponse],
    rateClass: 'proofs',
    errors: ['INVALID_PAGINATION'],
  })
  async checkpoints(
    @Query() { before, limit }: CheckpointsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CheckpointResponse[]> {
    const checkpoints = await this.proofs.listCheckpoints(before, limit);
    allowCaching(response, CACHED_SECONDS);
    return checkpoints.map(toCheckpointResponse);
  }

  @Get('tile/*path')
  @ApiParam({
    name: 'path',
    description: 'level and number of the tile, and the width of a partial one, as in C2SP tlog-tiles',
    example: '0/x001/x234/067.p/5',
  })
  @PublicRoute({
    summary: 'Hashes of the tree, up to 256 of 32 bytes (C2SP tlog-tiles)',
    bytes: 'application/octet-stream',
    rateClass: 'proofs',
    errors: ['PROOF_NOT_FOUND'],
  })
  async tile(
    @Param('path', TilePathPipe) path: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RawResponse> {
    const hashes = await this.proofs.getTile(path);
    if (hashes.length === FULL_TILE_BYTES) allowPermanentCaching(response);
    else allowCaching(response, CACHED_SECONDS);
    return new RawResponse(new StreamableFile(hashes, { length: hashes.length }));
  }

  @Get('consistency')
  @PublicRoute({
    summary: 'Proves that one tree continues an older one (RFC 9162, section 2.1.4)',
    data: ConsistencyResponse,
    rateClass: 'proofs',
    errors: ['VALIDATION_ERROR'],
  })
  async consistency(@Query() sizes: ConsistencyQuery): Promise<ConsistencyResponse> {
    return toConsistencyResponse(sizes, await this.proofs.getConsistency(sizes));
  }
}
