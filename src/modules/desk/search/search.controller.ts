import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import { SearchQuery } from './dto/search.request.js';
import { SearchResponse } from './dto/search.response.js';
import { SearchService } from './search.service.js';

@Controller('api/admin/search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Get()
  @AdminRoute(null, {
    summary: 'Records by the beginning of an id, a transaction hash, an address or an e-mail address',
    data: SearchResponse,
    errors: ['VALIDATION_ERROR', 'MISSING_REQUIRED_FIELD'],
  })
  async search(
    @Query() { q, limit }: SearchQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<SearchResponse> {
    return toResponse(SearchResponse, { results: await this.searches.listRecords(admin, q, limit) });
  }
}
