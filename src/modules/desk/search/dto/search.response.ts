import {
  EnumField,
  InstantField,
  ListField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { FOUND_TYPES } from '../search.repository.js';

class SearchResultResponse {
  @EnumField(FOUND_TYPES) type!: string;
  @UuidField() id!: string;
  @StringField({
    example: 'ann@example.org',
    description: 'the e-mail address of a user; amount and place of other records',
  })
  label!: string;
  @StringField({ example: 'active' }) status!: string;
  @InstantField() createdAt!: string;
}

export class SearchResponse {
  @ListField(() => SearchResultResponse, {
    description: 'the newest first; only what the caller may read in its list',
  })
  results!: SearchResultResponse[];
}
