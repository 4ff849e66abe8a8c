export interface CatalogueEntry {
  /** HTTP status, unless the thrower gives another one. */
  readonly status: number;
  /** The message for the client: it says what is wrong and what to do. */
  readonly message: string;
  /** The fields of `details`, each of which may be absent. `field` and `message` are those of each item of a list. */
  readonly details?: readonly string[];
  /** False for a code with a status of 500 or more that is intended behaviour and no failure of the service. */
  readonly isFailure?: false;
  /** The Retry-After header, unless the thrower gives another one. */
  readonly retryAfterSeconds?: number;
  /** Why no route returns this code, which the API's specification defines. A full test run fails if a route returns it. */
  readonly neverReturned?: string;
}

/** For sources that can answer again at any time. */
const RETRY_AFTER_SECONDS = 5;
const FIELD_PROBLEMS = ['field', 'message'] as const;

/** Every error code of the API. The OpenAPI document, docs/errors.md and the tests are derived from this list. */
export const ERROR_CATALOGUE = {
  // Signing in and tokens
  TOKEN_MISSING: { status: 401, message: 'Sign in first: send the header Authorization: Bearer <token>.' },
  TOKEN_EXPIRED: { status: 401, message: 'The token has expired. Sign in again.' },
  TOKEN_INVALID: { status: 401, message: 'The token is not valid. Sign in again.' },
  UNAUTHORIZED: {
    status: 401,
    message: 'Authentication is missing or not valid.',
    neverReturned: 'TOKEN_MISSING, TOKEN_EXPIRED and TOKEN_INVALID are returned instead', // DEC-09
  },
  SIGNATURE_INVALID: {
    status: 401,
    message: 'The signature could not be verified.',
    details: [...FIELD_PROBLEMS, 'reason'],
  },
  NONCE_EXPIRED: {
    status: 401,
    message: 'The challenge is unknown, used or older than 5 minutes. Ask for a new one.',
  },
  SUPABASE_JWT_INVALID: {
    status: 401,
    message: "The identity provider's token could not be verified. Sign in with the provider again.",
    details: ['reason'],
  },
  EMAIL_MANDATORY: {
    status: 401,
    message: 'The account has no e-mail address. Add one at the identity provider.',
  },
  EMAIL_NOT_VERIFIED: { status: 401, message: 'Confirm the e-mail address at the identity provider first.' },
  AUTH_SESSION_ERROR: {
    status: 422,
    message: "The identity provider's session is not valid.",
    neverReturned: "the service verifies the identity provider's tokens and never requests its sessions",
  },
  USER_CREATION_ERROR: { status: 500, message: 'The user could not be created. Try again.' },
  JWT_GENERATION_ERROR: { status: 500, message: 'The token could not be made. Try again.' },
  INVALID_CREDENTIALS: { status: 401, message: 'The e-mail or the password is wrong.' },
  INVALID_REFRESH_TOKEN: { status: 401, message: 'The refresh token is not valid. Sign in again.' },
  REFRESH_TOKEN_REVOKED: { status: 401, message: 'The refresh token was used or revoked. Sign in again.' },
  ACCOUNT_DISABLED: { status: 403, message: 'This account is disabled.' },
  INSUFFICIENT_PERMISSIONS: { status: 403, message: 'This account has no admin role.' },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many attempts to sign in. Wait and try again.' },
  CSRF_INVALID: { status: 403, message: 'Send the csrfToken of the sign-in in the header X-CSRF-Token.' },

  // Permission
  PERMISSION_DENIED: { status: 403, message: 'You are not permitted to do this.', details: ['required'] },
  FORBIDDEN: { status: 403, message: 'This is not permitted.' },
  ADMIN_REQUIRED: { status: 403, message: 'An admin token is needed here.' },
  NOT_ADMIN_TOKEN: { status: 403, message: 'This is not an admin token.' },
  FOUR_EYES_REQUIRED: {
    status: 403,
    message: 'Another admin has to approve this first.',
    details: ['reason'],
  },

  // Shape of the request
  VALIDATION_ERROR: {
    status: 400,
    message: 'The request is not valid. See details.',
    details: [...FIELD_PROBLEMS, 'line'],
  },
  MISSING_REQUIRED_FIELD: {
    status: 400,
    message: 'A required field is missing. See details.',
    details: FIELD_PROBLEMS,
  },
  INVALID_AMOUNT: {
    status: 400,
    message: 'The amount is not valid. See details.',
    details: [...FIELD_PROBLEMS, 'minimum', 'maximum', 'requested', 'currentValue', 'expected'],
  },
  INVALID_EMAIL: { status: 400, message: 'The e-mail address is not valid.', details: FIELD_PROBLEMS },
  INVALID_WALLET_ADDRESS: {
    status: 400,
    message: 'The wallet address must be 0x and 40 hex digits.',
    details: [...FIELD_PROBLEMS, 'reason'],
  },
  INVALID_TX_HASH: {
    status: 400,
    message: 'The transaction hash is not valid: it has 64 hex digits. See details.',
    details: FIELD_PROBLEMS,
  },
  INVALID_DATE_RANGE: {
    status: 400,
    message: 'The start date must not be after the end date.',
    details: [...FIELD_PROBLEMS, 'startDate', 'endDate', 'from', 'to'],
  },
  INVALID_PAGINATION: {
    status: 400,
    message: 'page starts at 1 and limit goes from 1 to 100.',
    details: FIELD_PROBLEMS,
  },
  INVALID_PAGE: { status: 400, message: 'page starts at 1.', details: FIELD_PROBLEMS },
  INVALID_LIMIT: { status: 400, message: 'limit goes from 1 to 100.', details: FIELD_PROBLEMS },
  INVALID_STATUS: {
    status: 400,
    message: 'The status must be active, inactive or suspended.',
    details: FIELD_PROBLEMS,
  },
  REASON_REQUIRED: { status: 400, message: 'Give a reason.', details: FIELD_PROBLEMS },
  CURRENCY_NOT_SUPPORTED: { status: 400, message: 'This currency is not supported.', details: ['supported'] },
  NETWORK_NOT_SUPPORTED: { status: 400, message: 'This network is not supported.', details: ['supported'] },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this route allows.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as application/json.' },
  NOT_FOUND: { status: 404, message: 'There is no such route.' },

  // Idempotency
  DUPLICATE_INVESTMENT: {
    status: 409,
    message: 'This idempotency key has made an investment already.',
    details: ['investmentId'],
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
    details: ['available', 'requested', 'shortfall'],
  },
  INVALID_STATE: {
    status: 422,
    message: 'This is not possible in the present state.',
    details: [
      ...['status', 'action', 'allowedFrom', 'userStatus', 'reserved'],
      ...['screening', 'screened', 'screeningReference', 'approvalId', 'oldest'],
    ],
  },
  INVALID_STRATEGY: { status: 422, message: 'There is no such strategy.', details: FIELD_PROBLEMS },
  STRATEGY_NOT_AVAILABLE: { status: 422, message: 'The strategy takes no investments at present.' },
  INVESTMENT_LOCKED: { status: 422, message: 'The investment is locked.', details: ['lockedUntil'] },
  INVESTMENT_ALREADY_CLOSED: { status: 422, message: 'The investment is closed already.' },
  ACTIVE_INVESTMENTS_EXIST: {
    status: 422,
    message: 'The user has active investments.',
    details: ['activeInvestments'],
  },
  WITHDRAWAL_LIMIT_EXCEEDED: {
    status: 422,
    message: 'The amount exceeds the rest of the daily withdrawal limit.',
    details: ['dailyLimit', 'usedToday', 'available'],
  },
  ADDRESS_NOT_ALLOWED: {
    status: 422,
    message: 'Withdrawals may go only to usable addresses of your address book. Add the address, or wait.',
    details: ['usableFrom'],
  },
  SECURITY_HOLD: {
    status: 422,
    message:
      'After an event that concerns the security of your account this is refused for a while. Try again when the hold has ended.',
    details: ['until', 'reason'],
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
    details: ['withdrawalId', 'transactionId', 'depositId'],
  },
  DUPLICATE_DEPOSIT: {
    status: 400,
    message: 'This transaction hash is recorded already.',
    details: ['depositId'],
  },
  LIMIT_REACHED: {
    status: 422,
    message: 'The largest allowed number exists already: see details. Delete one that you no longer need.',
    details: ['limit'],
  },
  RECONCILIATION_EXISTS: {
    status: 409,
    message: 'This statement was reconciled already, and nothing has changed since.',
    details: ['reconciliationId'],
  },

  // Not found
  USER_NOT_FOUND: { status: 404, message: 'There is no such user.' },
  STRATEGY_NOT_FOUND: { status: 404, message: 'There is no such strategy.' },
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
    details: ['hash', 'reason'],
    neverReturned: 'a reverted transaction is a state of its deposit or payout, not an error response',
  },
  DEPOSIT_NETWORK_ERROR: { status: 422, message: 'This network is not supported.', details: ['supported'] },
  CRYPTO2B_API_ERROR: {
    status: 503,
    message: 'The deposit provider does not answer. Try again later.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  WEBHOOK_SIGNATURE_INVALID: { status: 401, message: 'The signature of the call could not be verified.' },
  RPC_METHOD_NOT_ALLOWED: {
    status: 403,
    message: 'This RPC method is not allowed. Only methods that read the chain are allowed: see details.',
    details: ['allowed'],
  },
  INSUFFICIENT_FAUCET_BALANCE: {
    status: 422,
    message: 'The faucet cannot pay this amount at present.',
    details: ['requested', 'available', 'suggestion'],
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
    details: ['lastRequest', 'nextAllowedRequest', 'remainingTime'],
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
    details: ['unavailable', 'sections'],
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is not able to answer just now. Try again shortly.',
    details: ['outcome'],
  },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Something went wrong on our side.' },
  INTERNAL_ERROR: { status: 500, message: 'The data could not be read.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;
