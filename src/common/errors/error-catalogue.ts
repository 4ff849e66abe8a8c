import { ACCESS_ERRORS } from './access-errors.js';
import type { CatalogueEntry } from './error-details.js';
import { SECOND_FACTOR_ERRORS } from './second-factor-errors.js';

/** For sources that can answer again at any time. */
const RETRY_AFTER_SECONDS = 5;
const FIELDS = { fields: 'fields' } as const;

/** Every error code of the API. The OpenAPI document, docs/errors.md and the tests are derived from this list. */
export const ERROR_CATALOGUE = {
  ...ACCESS_ERRORS,
  ...SECOND_FACTOR_ERRORS,

  // Shape of the request
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid. See details.',
    details: FIELDS,
  },
  MISSING_REQUIRED_FIELD: {
    status: 400,
    message: 'A required field is missing. See details.',
    details: FIELDS,
  },
  INVALID_AMOUNT: {
    status: 400,
    message: 'The amount is not valid. See details.',
    details: {
      ...FIELDS,
      minimum: 'money?',
      maximum: 'money?',
      requested: 'money?',
      currentValue: 'money?',
      expected: 'money?',
    },
  },
  INVALID_EMAIL: { status: 400, message: 'The e-mail address is not valid.', details: FIELDS },
  INVALID_WALLET_ADDRESS: {
    status: 400,
    message: 'The wallet address must be 0x and 40 hex digits.',
    details: FIELDS,
  },
  INVALID_TX_HASH: {
    status: 400,
    message: 'The transaction hash is not valid: it has 64 hex digits. See details.',
    details: FIELDS,
  },
  INVALID_DATE_RANGE: {
    status: 400,
    message: 'The start date must not be after the end date.',
    details: { ...FIELDS, startDate: 'text?', endDate: 'text?' },
  },
  INVALID_PAGINATION: {
    status: 400,
    message: 'page starts at 1, limit goes from 1 to 100, and a cursor is next or previous of the same list.',
    details: FIELDS,
  },
  INVALID_PAGE: { status: 400, message: 'page starts at 1.', details: FIELDS },
  INVALID_LIMIT: { status: 400, message: 'limit goes from 1 to 100.', details: FIELDS },
  INVALID_STATUS: {
    status: 400,
    message: 'The status must be active, inactive or suspended.',
    details: FIELDS,
  },
  REASON_REQUIRED: { status: 400, message: 'Give a reason.', details: FIELDS },
  CURRENCY_NOT_SUPPORTED: {
    status: 400,
    message: 'This currency is not supported.',
    details: { supported: 'texts' },
  },
  NETWORK_NOT_SUPPORTED: {
    status: 400,
    message: 'This network is not supported.',
    details: { supported: 'texts' },
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this route allows.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  NOT_FOUND: { status: 404, message: 'There is no such route.' },

  // Idempotency
  DUPLICATE_INVESTMENT: {
    status: 409,
    message: 'This idempotency key has made an investment already.',
    details: { investmentId: 'id?' },
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with another request.' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running.',
  },

  // Money and states
  INSUFFICIENT_BALANCE: {
    status: 422,
    message: 'The available balance is below the amount.',
    details: { available: 'money', requested: 'money', shortfall: 'money' },
  },
  INVALID_STATE: {
    status: 422,
    message: 'This is not possible in the present state.',
    details: {
      status: 'text|null',
      action: 'text',
      allowedFrom: 'texts',
      userStatus: 'text?',
      reserved: 'money?',
      screening: 'text?',
      screened: 'text?',
      screeningReference: 'text?',
      approvalId: 'id?',
      heldBy: 'text?',
      oldest: 'text?',
    },
  },
  INVALID_STRATEGY: { status: 422, message: 'There is no such strategy.', details: FIELDS },
  STRATEGY_NOT_AVAILABLE: { status: 422, message: 'The strategy takes no investments at present.' },
  INVESTMENT_LOCKED: {
    status: 422,
    message: 'The investment is locked.',
    details: { lockedUntil: 'instant' },
  },
  INVESTMENT_ALREADY_CLOSED: { status: 422, message: 'The investment is closed already.' },
  ACTIVE_INVESTMENTS_EXIST: {
    status: 422,
    message: 'The user has active investments.',
    details: { activeInvestments: 'integer' },
  },
  WITHDRAWAL_LIMIT_EXCEEDED: {
    status: 422,
    message: 'The amount exceeds what is left of a withdrawal limit.',
    details: {
      window: 'text',
      limit: 'money',
      used: 'money',
      available: 'money',
      dailyLimit: 'money',
      usedToday: 'money',
    },
  },
  ADDRESS_NOT_ALLOWED: {
    status: 422,
    message: 'Withdrawals may go only to usable addresses of your address book. Add the address, or wait.',
    details: { usableFrom: 'instant|null' },
  },
  ACCOUNT_LOCKED: {
    status: 422,
    message:
      'The account is locked: nothing that could lead money out of it is possible until it is unlocked (POST /api/user/unlock, or ask the support).',
    details: { since: 'instant', by: 'text' },
  },
  SECURITY_HOLD: {
    status: 422,
    message:
      'After an event that concerns the security of your account this is refused for a while. Try again when the hold has ended.',
    details: { until: 'instant', reason: 'text' },
  },
  WITHDRAWALS_PAUSED: {
    status: 503,
    message: 'Withdrawals are paused. Try again later.',
    isFailure: false,
  },
  WITHDRAWAL_ERROR: { status: 500, message: 'The withdrawal could not be created. Nothing was reserved.' },
  DUPLICATE_TX_HASH: {
    status: 409,
    message: 'This transaction hash already belongs to another deposit, withdrawal or transaction.',
    details: { withdrawalId: 'id?', transactionId: 'id?', depositId: 'id?' },
  },
  DUPLICATE_DEPOSIT: {
    status: 400,
    message: 'This transaction hash is recorded already.',
    details: { depositId: 'id?' },
  },
  LIMIT_REACHED: {
    status: 422,
    message: 'The largest allowed number exists already: see details. Delete one that you no longer need.',
    details: { limit: 'integer' },
  },
  RECONCILIATION_EXISTS: {
    status: 409,
    message: 'This statement was reconciled already, and nothing has changed since.',
    details: { reconciliationId: 'id?' },
  },

  // Not found
  USER_NOT_FOUND: { status: 404, message: 'There is no such user.' },
  STRATEGY_NOT_FOUND: { status: 404, message: 'There is no such strategy.' },
  ACCOUNT_NOT_FOUND: { status: 404, message: 'The books have no such account.' },
  INVESTMENT_NOT_FOUND: { status: 404, message: 'There is no such investment.' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'There is no such transaction.' },
  NOTIFICATION_NOT_FOUND: { status: 404, message: 'There is no such notification.' },
  WITHDRAWAL_NOT_FOUND: { status: 404, message: 'There is no such withdrawal.' },
  YIELD_REPORT_NOT_FOUND: { status: 404, message: 'There is no such yield report.' },
  DEPOSIT_NOT_FOUND: { status: 404, message: 'There is no such deposit.' },
  RECONCILIATION_NOT_FOUND: { status: 404, message: 'There is no such reconciliation.' },
  ADDRESS_NOT_FOUND: { status: 404, message: 'The address book has no such entry.' },
  SESSION_NOT_FOUND: { status: 404, message: 'There is no such session.' },
  WALLET_NOT_FOUND: { status: 404, message: 'There is no such wallet.' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'There is no such webhook.' },
  WEBHOOK_DELIVERY_NOT_FOUND: { status: 404, message: 'This webhook has no such delivery.' },
  WEBHOOK_EVENT_NOT_FOUND: { status: 404, message: 'There is no such callback.' },
  API_KEY_NOT_FOUND: { status: 404, message: 'There is no such API key.' },
  APPROVAL_NOT_FOUND: { status: 404, message: 'There is no such approval.' },
  EVENT_NOT_FOUND: { status: 404, message: 'There is no such event that a consumer could not handle.' },
  ALERT_NOT_FOUND: { status: 404, message: 'There is no such alert.' },
  PROOF_NOT_FOUND: { status: 404, message: 'There is no such proof.' },
  RECONCILIATION_BREAK_NOT_FOUND: { status: 404, message: 'There is no such break of a reconciliation.' },

  // Notifications
  ALREADY_READ: { status: 400, message: 'The notification is read already.' },
  NO_UNREAD_NOTIFICATIONS: { status: 400, message: 'There are no unread notifications.' },

  // Chain, providers, faucet
  BLOCKCHAIN_ERROR: {
    status: 503,
    message: 'The blockchain node does not answer. Try again later.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  GAS_ESTIMATION_FAILED: {
    status: 422,
    message: 'The gas could not be estimated.',
    neverReturned: 'the service sends only faucet transactions, which have a fixed gas limit',
  },
  TRANSACTION_FAILED: {
    status: 422,
    message: 'The transaction was reverted on chain.',
    details: { hash: 'text', reason: 'text' },
    neverReturned: 'a reverted transaction is a state of its deposit or payout, not an error response',
  },
  DEPOSIT_NETWORK_ERROR: {
    status: 422,
    message: 'This network is not supported.',
    details: { supported: 'texts' },
  },
  CRYPTO2B_API_ERROR: {
    status: 503,
    message: 'The deposit provider does not answer. Try again later.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  WEBHOOK_SIGNATURE_INVALID: { status: 401, message: 'The signature of the call could not be verified.' },
  RPC_METHOD_NOT_ALLOWED: {
    status: 403,
    message: 'This RPC method is not allowed. Only methods that read the chain are allowed: see details.',
    neverReturned: 'the RPC proxy answers the JSON-RPC error -32601 with this code in its data',
  },
  INSUFFICIENT_FAUCET_BALANCE: {
    status: 422,
    message: 'The faucet cannot pay this amount at present.',
    details: { requested: 'money', available: 'money', suggestion: 'text' },
  },
  FAUCET_DISABLED: {
    status: 503,
    message: 'The faucet exists in development only.',
    isFailure: false,
    retryAfterSeconds: 86_400, // a repetition succeeds only after a change of the configuration
  },

  // The service itself
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message: 'Too many requests. Wait and try again.',
    details: { lastRequest: 'instant?', nextAllowedRequest: 'instant?', remainingTime: 'text?' },
  },
  PROOF_PENDING: {
    status: 503,
    message: 'The transactions are not in the transparency log yet. Try again shortly.',
    isFailure: false,
  },
  PARTIAL_DATA_AVAILABLE: {
    status: 503,
    message: 'Part of the data is not available at present.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    details: { unavailable: 'texts', sections: 'object' },
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is not able to answer just now. Try again shortly.',
    details: { outcome: 'text?' },
  },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Something went wrong on our side.' },
  INTERNAL_ERROR: { status: 500, message: 'The data could not be read.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
