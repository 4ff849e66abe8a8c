import { Money } from '../common/money.js';
import { DEPOSIT_SETTINGS } from './deposit-settings.js';
import { EVENT_SETTINGS } from './event-settings.js';
import { IDENTITY_PROVIDER_SETTINGS } from './identity-provider-settings.js';
import { LIVE_SETTINGS } from './live-settings.js';
import { MAIL_SETTINGS } from './mail-settings.js';
import { PROOF_SETTINGS } from './proof-settings.js';
import {
  bearerToken,
  decimal,
  evmAddress,
  evmAddresses,
  existingFile,
  integer,
  listOf,
  networks,
  oneOf,
  origin,
  origins,
  pathSegment,
  privateKey,
  proxies,
  secret,
  text,
  url,
  urls,
  webhookSecret,
} from './readers.js';
import { REQUIRED, secondOf, setting } from './setting.js';
import { strategiesFile } from './strategies-file.js';
import { RATE_LIMIT_SETTINGS } from './rate-limit-settings.js';
import { WITHDRAWAL_SETTINGS } from './withdrawal-settings.js';
import { YIELD_SETTINGS } from './yield-settings.js';

const percent = decimal;

/** Every setting of the service: `.env.example` is generated from this table. */
export const SETTINGS = {
  NODE_ENV: setting(
    oneOf('development', 'test', 'production'),
    'development' as const,
    'production refuses sandbox parts, default secrets and missing settings',
  ),
  PORT: setting(integer(0, 65_535), 3000, 'port of the API'),
  PUBLIC_URL: setting(
    origin,
    'http://localhost:3000',
    'where people open the platform: the domain that wallets sign in to; required in production, with https',
  ),
  CORS_ORIGINS: setting(
    origins,
    [] as string[],
    'exact origins of other web applications, separated by commas: their pages may call the API (CORS), and a sign-in may lead to them (redirectUrl); none when empty',
  ),
  LOG_LEVEL: setting(
    oneOf('silent', 'error', 'warn', 'info', 'debug'),
    'info' as const,
    'lowest level that is logged',
  ),
  TRUST_PROXY: setting(
    proxies,
    [] as string[],
    'proxies whose header X-Forwarded-For determines the address of the caller; none when empty',
  ),
  METRICS_TOKEN: setting(
    bearerToken(16),
    undefined,
    'token that GET /metrics demands in the header Authorization: Bearer; without it there are no metrics in production',
    { isSecret: true },
  ),
  METRICS_TOKEN_ALSO: secondOf('METRICS_TOKEN', bearerToken(16)),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    url('http:', 'https:'),
    undefined,
    'collector that spans are sent to by OTLP over HTTP (<address>/v1/traces); no traces are exported without it',
    { mayBeLocal: true },
  ),
  REQUESTS_AT_ONCE: setting(
    integer(1, 10_000),
    200,
    'requests that are served at once; as many more may wait; further ones are answered 503',
  ),
  REQUEST_WAIT_MS: setting(
    integer(0, 10_000),
    500,
    'longest time that a request waits to be served before it is answered 503',
  ),
  REQUEST_SECONDS: setting(
    integer(1, 300),
    30,
    'longest time for a request to arrive, and for its client to read the response',
  ),
  KEEP_ALIVE_SECONDS: setting(
    integer(1, 3600),
    65,
    'how long an idle connection stays open; set it longer than the idle time-out of your proxy',
  ),
  CONNECTIONS_AT_ONCE: setting(integer(10, 100_000), 2000, 'connections of callers at once'),
  ...LIVE_SETTINGS,
  SHUTDOWN_SECONDS: setting(integer(1, 300), 8, 'longest time given to running requests after SIGTERM'),

  DATABASE_URL: setting(url('postgres:', 'postgresql:'), REQUIRED, 'PostgreSQL 16 or newer', {
    isSecret: true,
  }),
  DATABASE_POOL_SIZE: setting(integer(2, 500), 20, 'connections per process'),
  DATABASE_POOL_WAIT_MS: setting(
    integer(50, 10_000),
    500,
    'longest wait for a free connection before a request is answered 503',
  ),
  DATABASE_STATEMENT_MS: setting(integer(100, 600_000), 10_000, 'longest run of one statement'),
  DATABASE_LOCK_MS: setting(
    integer(50, 60_000),
    750,
    'longest wait for a lock before a request is answered 503',
  ),
  DATABASE_POOLER: setting(
    oneOf('none', 'transaction'),
    'none' as const,
    'transaction: DATABASE_URL leads through a pooler such as PgBouncer in transaction mode',
  ),
  DATABASE_NOTICES_URL: setting(
    url('postgres:', 'postgresql:'),
    undefined,
    'address of PostgreSQL itself for notifications, which a pooler does not carry; without it, behind a pooler, sessions are looked up at every request and there is no live delivery',
    { isSecret: true },
  ),
  DATABASE_REPLICA_URLS: setting(
    urls('postgres:', 'postgresql:'),
    [] as string[],
    'read replicas, for reports',
    { isSecret: true },
  ),
  DATABASE_REPLICA_LAG_SECONDS: setting(
    integer(1, 3600),
    10,
    'reports are read from the primary while a replica is further behind',
  ),
  REDIS_URL: setting(
    url('redis:', 'rediss:'),
    undefined,
    'shares rate limits between processes; without it each process counts for itself',
    { isSecret: true },
  ),

  JWT_USER_SECRET: setting(secret(32), REQUIRED, "signs users' tokens", { isSecret: true }),
  JWT_USER_SECRET_ALSO: secondOf('JWT_USER_SECRET', secret(32)),
  JWT_ADMIN_SECRET: setting(secret(32), REQUIRED, "signs admins' tokens; must differ from the users'", {
    isSecret: true,
  }),
  JWT_ADMIN_SECRET_ALSO: secondOf('JWT_ADMIN_SECRET', secret(32)),
  JWT_ISSUER: setting(text, 'stablecoin-platform', "claims iss and aud of the platform's tokens"),
  ...IDENTITY_PROVIDER_SETTINGS,
  FOUR_EYES: setting(
    oneOf('on', 'off'),
    'on' as const,
    'on: sensitive changes wait for the approval of a second admin; off: one admin makes them at once',
  ),
  FOUR_EYES_ACCEPTED_RISK: setting(
    oneOf('one-admin'),
    undefined,
    'one-admin: permits FOUR_EYES=off in production, where it lets one stolen admin account move money',
  ),
  ADMINS_FILE: setting(
    existingFile,
    REQUIRED,
    'JSON list of admins: email, name, roles, further permissions, status, passwordHash (argon2id), createdAt, updatedAt (ISO 8601)',
  ),

  ...DEPOSIT_SETTINGS,

  CUSTODY_PROVIDER_NAME: setting(
    pathSegment,
    'custody',
    'path segment of its callbacks, /api/webhooks/<name>',
  ),
  CUSTODY_WEBHOOK_SECRET: setting(webhookSecret, REQUIRED, 'verifies the callbacks of the custody provider', {
    isSecret: true,
  }),
  CUSTODY_WEBHOOK_SECRET_ALSO: secondOf('CUSTODY_WEBHOOK_SECRET', webhookSecret),
  CUSTODY_ADDRESS: setting(
    evmAddress,
    undefined,
    'where custody receives USDC on the chain of RPC_URL; without it the hashes of transfers to custody are not verified',
  ),
  CUSTODY_ADDRESSES: setting(
    evmAddresses,
    [] as string[],
    'all addresses from which custody pays, or at which it receives USDC, on that chain, separated by commas; when set, a transfer from another sender does not match a withdrawal; required in production',
  ),
  DEPOSIT_PROVIDER_ADDRESS: setting(
    evmAddress,
    undefined,
    'where the deposit provider receives USDC back from custody; without it the hashes of such transfers are not verified',
  ),
  ...YIELD_SETTINGS,

  WEBHOOK_ENCRYPTION_KEY: setting(
    secret(32),
    REQUIRED,
    "encrypts the secrets of users' webhooks in the database; with another key they cannot sign deliveries",
    { isSecret: true },
  ),
  WEBHOOK_ENCRYPTION_KEY_ALSO: secondOf('WEBHOOK_ENCRYPTION_KEY', secret(32)),
  WEBHOOK_ALLOWED_NETWORKS: setting(
    networks,
    [] as string[],
    "private networks that users' webhooks may lead to all the same",
    { developmentOnly: true },
  ),

  ...PROOF_SETTINGS,
  ...MAIL_SETTINGS,
  ...EVENT_SETTINGS,
  SCREENING_URL: setting(
    url('http:', 'https:'),
    undefined,
    'provider that screens users and withdrawal addresses; without it no user is screened',
  ),
  SCREENING_SECRET: setting(
    secret(32),
    undefined,
    'signs the requests to the screening provider; required where SCREENING_URL is set',
    { isSecret: true },
  ),
  SCREENING_VALID_HOURS: setting(
    integer(1, 8760),
    24,
    'how long a verdict of the screening provider is valid',
  ),

  RPC_URL: setting(url('http:', 'https:'), REQUIRED, 'JSON-RPC of the EVM node'),
  RPC_NODE_SECONDS: setting(
    integer(1, 60),
    5,
    'time for which the node of RPC_URL may work per minute for one network address that calls the RPC proxy',
  ),
  CHAIN_ID: setting(integer(1, 4_294_967_295), REQUIRED, 'id of the EVM chain; 1 is Ethereum'),
  USDC_CONTRACT_ADDRESS: setting(evmAddress, REQUIRED, 'contract of the USDC token on the chain of RPC_URL'),

  FAUCET_PRIVATE_KEY: setting(
    privateKey,
    undefined,
    'account that pays test USDC and its gas on a development chain; without it there is no faucet',
    { isSecret: true, developmentOnly: true },
  ),
  FAUCET_DAILY_LIMIT: setting(decimal, Money.of('1000000.00'), 'test USDC that the faucet pays out a day'),

  INVESTMENT_APPROVAL_THRESHOLD: setting(
    decimal,
    undefined,
    'from this amount an investment waits for approval; off when unset',
  ),
  INVESTMENT_LOCK_DAYS: setting(integer(0, 3650), 0, 'days before an investment can be closed'),
  MANAGEMENT_FEE_PERCENT: setting(percent, Money.of('0.50'), 'per year, of principal, on closing'),
  PERFORMANCE_FEE_PERCENT: setting(percent, Money.of('0'), 'of earnings, on closing'),
  STRATEGIES_FILE: setting(strategiesFile, undefined, 'read at the start; config/strategies.json when unset'),
  SUSPENDED_STRATEGIES: setting(
    listOf(/^[a-z0-9-]+$/, 'strategy ids'),
    [] as string[],
    'ids of strategies that take no new investments and do not grow',
  ),

  ...WITHDRAWAL_SETTINGS,

  ...RATE_LIMIT_SETTINGS,

  CLOCK_FILE: setting(text, undefined, 'JSON {"offsetMs"}: moves the domain clock', {
    developmentOnly: true,
  }),
  SANDBOX_URL: setting(
    url('http:', 'https:'),
    undefined,
    'control port of the sandbox: with it /api/docs signs in with any e-mail address of its identity provider',
    { developmentOnly: true },
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SecondSecret = Extract<SettingName, `${string}_ALSO`>;
