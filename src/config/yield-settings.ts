import { Money } from '../common/money.js';
import { decimal } from './readers.js';
import { setting } from './setting.js';

const TOLERANCE = decimal('0', '1000');

/** The tolerances of yield reports. */
export const YIELD_SETTINGS = {
  YIELD_TOLERANCE_PERCENT: setting(
    TOLERANCE,
    Money.of('5'),
    'tolerance of yield reports: an admin decides about a reported APY that differs from the target by more percentage points',
  ),
  REALISED_TOLERANCE_PERCENT: setting(
    TOLERANCE,
    Money.of('20'),
    'tolerance of yield reports: an admin decides about a realised amount that differs by more percent, and by more than 1.00 USDC, from the growth of the invested value at the reported APY',
  ),
} as const;
