import { StringField } from '../../../../http/openapi/fields.js';

export class TierResponse {
  @StringField({ example: 'standard' }) id!: string;
  @StringField({
    nullable: true,
    example: 'Standard',
    description: 'null if LIMITS_FILE has no such tier: the strictest limits of all its tiers apply',
  })
  name!: string | null;
}

/** Describes fields that contain a `TierResponse`. */
export const ABOUT_TIER = 'the tier of LIMITS_FILE whose limits apply to the user';
