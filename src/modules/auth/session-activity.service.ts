import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { UnstoredValues } from '../../common/unstored-values.js';

const MAX_UNSTORED_SIGN_INS = 50_000;

/** When the sign-ins of users made their last requests to this process. `SessionActivityJob` stores it. Real time. */
@Injectable()
export class SessionActivityService {
  /** By the id of the family. */
  readonly unstored = new UnstoredValues<Date>(MAX_UNSTORED_SIGN_INS);

  recordActivity(familyId: string): void {
    this.unstored.setValue(familyId, realNow());
  }
}
