import { Injectable } from '@nestjs/common';

/** What a compliance service says of a user, in its own words. */
export interface ComplianceFigures {
  readonly kycStatus: string;
  readonly amlChecks: string;
  readonly sanctionsList: string;
  readonly riskLevel: string;
}

/** Who knows whether users are checked. A port: asked once for all users of a list. */
export abstract class Compliance {
  abstract figuresOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceFigures>>;
}

export const NOT_CHECKED: ComplianceFigures = {
  kycStatus: 'not_checked',
  amlChecks: 'not_checked',
  sanctionsList: 'not_checked',
  riskLevel: 'not_checked',
};

/** No service is configured: nothing is invented (D44). */
@Injectable()
export class NoCompliance extends Compliance {
  figuresOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceFigures>> {
    return Promise.resolve(new Map(userIds.map((id) => [id, NOT_CHECKED])));
  }
}
