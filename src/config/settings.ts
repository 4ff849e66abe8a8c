import { Money } from '../common/money.js';
import { DATABASE_SETTINGS } from './database-settings.js';
import { IDENTITY_PROVIDER_SETTINGS } from './identity-provider-settings.js';
import { EVENT_SETTINGS, LIVE_SETTINGS, MAIL_SETTINGS } from './message-settings.js';
import { DEPOSIT_SETTINGS, WITHDRAWAL_SETTINGS, YIELD_SETTINGS } from './payment-settings.js';
import { PROOF_SETTINGS } from './proof-settings.js';
import {
  amount,
  bearerToken,
  evmAddress,
  evmAddresses,
  existingFile,
  integer,
  listOf,
  networks,
  oneOf,
  pathSegment,
  percentage,
  privateKey,
  proxies,
  secret,
  text,
  url,
  webhookSecret,
} from './readers.js';
import { origin, origins } from './origins.js';
import { REQUIRED, secondOf, setting } from './setting.js';
import { strategiesFile } from './strategies-file.js';
import { RATE_LIMIT_SETTINGS } from './rate-limit-settings.js';
import { SECOND_FACTOR_SETTINGS } from './second-factor-settings.js';
import { TOKEN_SETTINGS } from './token-settings.js';
import { TRACE_SETTINGS } from './trace-settings.js';

/** Every setting of the service: `.env.example` is generated from this table. */
export const SETTINGS = {
  NODE_ENV: setting(
    oneOf('development', 'test', 'production'),
    'development' as const,
    'production refuses sandbox parts, default secrets and missing settings',
  ),
  REHEARSAL: setting(
    oneOf('true', 'false'),
    'false' as const,
    "true: NODE_ENV=production runs against the sandbox's providers and its chain 31337 on this machine, to rehearse operations; it moves no real money",
  ),
  PORT: setting(integer(0, 65_535), 3000, 'port of the API'),
  PROBE_PORT: setting(
    integer(0, 65_535),
    undefined,
    'second port, which serves /api/health/live, /api/health/ready and /metrics alone, so that callers of PORT cannot keep probes out; for a private network',
  ),
  PUBLIC_URL: setting(
    origin,
    'http://localhost:3000',
    'where people open the platform: the domain that wallets sign in to; required in production, with https',
  ),
  CONSOLE: setting(
    oneOf('on', 'off'),
    'on' as const,
    "on: the API serves the operators' console at /console, the users' page at /app and a start page at /",
  ),
  PLATFORM_NAME: setting(
    text,
    'Stablecoin investment platform',
    'name of the company in the letterhead of statements',
  ),
  PLATFORM_ADDRESS: setting(
    listOf(/^\P{C}{1,100}$/u, 'lines of an address'),
    [] as string[],
    'postal address in the letterhead of statements, its lines separated by commas',
  ),
  CALLBACK_URL: setting(
    origin,
    undefined,
    'address that the providers call, if it is not that of people, such as a host whose firewall admits the providers alone; PUBLIC_URL when unset',
  ),
  CORS_ORIGINS: setting(
    origins,
    [] as string[],
    'exact origins of other web and mobile applications, separated by commas: their pages may call the API (CORS), a sign-in may lead to them (redirectUrl), and wallets may sign in to their domains; none when empty',
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
  ...TRACE_SETTINGS,
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
  CONNECTIONS_AT_ONCE: setting(
    integer(10, 100_000),
    2000,
    'connections of callers at once; a further one replaces the one that has been idle for longest',
  ),
  CONNECTIONS_PER_ADDRESS: setting(
    integer(10, 100_000),
    500,
    'connections of one network address at once (an IPv6 address counts by /64); further ones are closed; TRUST_PROXY has no such limit',
  ),
  ...LIVE_SETTINGS,
  SHUTDOWN_SECONDS: setting(integer(1, 300), 8, 'longest time given to running requests after SIGTERM'),
  SHUTDOWN_DELAY_SECONDS: setting(
    integer(0, 300),
    0,
    'time after SIGTERM in which the process is not ready and still accepts requests, so that load balancers leave it first',
  ),

  ...DATABASE_SETTINGS,
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
  ...TOKEN_SETTINGS,
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

  ...SECOND_FACTOR_SETTINGS,
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

  RPC_URL: setting(url('http:', 'https:'), REQUIRED, 'JSON-RPC of the EVM node', { isSecret: true }),
  RPC_NODE_SECONDS: setting(
    integer(1, 60),
    5,
    'time for which the node of RPC_URL may work per minute for one network address that calls the RPC proxy',
  ),
  CHAIN_ID: setting(integer(1, Number.MAX_SAFE_INTEGER), REQUIRED, 'id of the EVM chain; 1 is Ethereum'),
  USDC_CONTRACT_ADDRESS: setting(evmAddress, REQUIRED, 'contract of the USDC token on the chain of RPC_URL'),

  FAUCET_PRIVATE_KEY: setting(
    privateKey,
    undefined,
    'account that pays test USDC and its gas on a development chain; without it there is no faucet',
    { isSecret: true, developmentOnly: true },
  ),
  FAUCET_DAILY_LIMIT: setting(amount, Money.of('1000000.00'), 'test USDC that the faucet pays out a day'),

  INVESTMENT_APPROVAL_THRESHOLD: setting(
    amount,
    undefined,
    'from this amount an investment waits for approval; off when unset',
  ),
  INVESTMENT_LOCK_DAYS: setting(integer(0, 3650), 0, 'days before an investment can be closed'),
  MANAGEMENT_FEE_PERCENT: setting(
    percentage,
    Money.of('0.50'),
    'percent of the principal per year, charged on closing',
  ),
  PERFORMANCE_FEE_PERCENT: setting(percentage, Money.of('0'), 'of earnings, on closing'),
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
