import type { CatalogueEntry } from './error-details.js';

/** The codes of actions that need a second factor, a part of `ERROR_CATALOGUE`. */
export const SECOND_FACTOR_ERRORS = {
  STEP_UP_REQUIRED: {
    status: 403,
    message:
      'This action needs a second factor: ask for a step-up (POST /api/user/step-up or /api/admin/step-up), and send its token in the header X-Step-Up.',
    details: { action: 'text', methods: 'texts' },
  },
  STEP_UP_INVALID: {
    status: 403,
    message: 'The step-up does not cover this action. Ask for a new one.',
    details: { reason: 'text' },
  },
  SECOND_FACTOR_REQUIRED: {
    status: 401,
    message:
      'A second factor is required. Send the sign-in again with secondFactor: its id is details.id. A session without a second factor can only register one (status 403).',
    details: { id: 'id|null', methods: 'texts', options: 'object|null', expiresAt: 'instant|null' },
  },
  CODE_INVALID: {
    status: 422,
    message: 'The code or the response of the passkey is not right, or the code was used before.',
  },
  PASSKEY_NOT_FOUND: { status: 404, message: 'The account has no such passkey.' },
} as const satisfies Record<string, CatalogueEntry>;
