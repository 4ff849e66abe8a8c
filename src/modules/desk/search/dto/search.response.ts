import { Choice, Instant, ListOf, Text, Uuid } from '../../../../http/openapi/fields.js';
import { FOUND_TYPES } from '../search.repository.js';

class SearchResultResponse {
  @Choice(FOUND_TYPES) type!: string;
  @Uuid() id!: string;
  @Text({
    example: 'ann@example.org',
    description: 'the e-mail address of a user; amount and place of other records',
  })
  label!: string;
  @Text({ example: 'active' }) status!: string;
  @Instant() createdAt!: string;
}

export class SearchResponse {
  @ListOf(() => SearchResultResponse, {
    description: 'the newest first; only what the caller may read in its list',
  })
  results!: SearchResultResponse[];
}
