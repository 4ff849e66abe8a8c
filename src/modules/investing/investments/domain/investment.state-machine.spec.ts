import { DomainError } from '../../../../common/errors/domain-error.js';
import { statusAfter, type InvestmentStatus, type InvestmentVerb } from './investment.state-machine.js';

const ENDED = 'INVESTMENT_ALREADY_CLOSED';
const REFUSED = 'INVALID_STATE';

// The next status, or the code of the error, for every verb in every status.
const TABLE: Record<InvestmentStatus, Record<InvestmentVerb, string>> = {
  pending: { approve: 'active', reject: 'cancelled', close: REFUSED, move: REFUSED, cancel: 'cancelled' },
  active: { approve: REFUSED, reject: REFUSED, close: 'closed', move: 'closed', cancel: 'cancelled' },
  closed: { approve: REFUSED, reject: REFUSED, close: ENDED, move: ENDED, cancel: ENDED },
  cancelled: { approve: REFUSED, reject: REFUSED, close: ENDED, move: ENDED, cancel: ENDED },
};

function outcome(status: InvestmentStatus, verb: InvestmentVerb): string {
  try {
    return statusAfter(status, verb);
  } catch (error) {
    return (error as DomainError).code;
  }
}

describe('statusAfter', () => {
  it.each(Object.entries(TABLE))(
    'returns the next status or throws the expected error for every verb in the status %s',
    (status, verbs) => {
      for (const [verb, expected] of Object.entries(verbs)) {
        expect([verb, outcome(status as InvestmentStatus, verb as InvestmentVerb)]).toEqual([verb, expected]);
      }
    },
  );
});
