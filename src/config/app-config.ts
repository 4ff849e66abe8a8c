import { credentialsOf } from '../common/http-address.js';
import { identityProviderFaults } from './identity-provider-settings.js';
import { isAddressOfThisMachine } from './origins.js';
import { REQUIRED, type Setting } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';
import { defaultStrategies, type StrategyDefinition } from './strategies-file.js';

const SANDBOX_CHAIN_ID = 31_337;
/** The origin of the web view of mobile applications on Android, which has no port. */
const MOBILE_WEB_VIEW = /^https?:\/\/localhost\/?$/i;

type ValueOf<S> =
  S extends Setting<infer Value, infer Fallback> ? Value | Exclude<Fallback, typeof REQUIRED> : never;
type Values = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

/** If a thief adds an address, the user gets a notification and has this time to remove the address. */
const PRODUCTION_ADDRESS_DELAY_HOURS = 24;

/** The configuration, typed by the table of settings: `config.WITHDRAWAL_DAILY_LIMIT` is Money. */
export class AppConfig {
  constructor(values: Values) {
    Object.assign(this, values);
    Object.freeze(this);
  }

  get isProduction(): boolean {
    return this.NODE_ENV === 'production';
  }

  /** Production against the sandbox's providers and chain. */
  get isRehearsal(): boolean {
    return this.isProduction && this.REHEARSAL === 'true';
  }

  /** The address at which the providers call the service. */
  get callbackUrl(): string {
    return this.CALLBACK_URL ?? this.PUBLIC_URL;
  }

  get adminSecondFactor(): 'required' | 'if-registered' | 'off' {
    return this.ADMIN_SECOND_FACTOR ?? (this.isProduction ? 'required' : 'if-registered');
  }

  get sendsMail(): boolean {
    return this.SMTP_URL !== undefined;
  }

  get addressDelayHours(): number {
    return this.ADDRESS_DELAY_HOURS ?? (this.isProduction ? PRODUCTION_ADDRESS_DELAY_HOURS : 0);
  }
}
export interface AppConfig extends Values {}

/** Its message lists every fault of the configuration, one per line, with its correction. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Reads and checks every setting; throws a ConfigError that lists all faults at once. */
export function loadConfig(env: Record<string, string | undefined>): AppConfig {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting<unknown, unknown>>(SETTINGS)) {
    const text = env[name]?.trim();
    if (!text) {
      if (setting.fallback === REQUIRED)
        faults.push(`${name} is not set (${setting.meaning}). Set it to ${setting.reader.expects}.`);
      values[name] = setting.fallback;
      continue;
    }
    try {
      values[name] = setting.reader.read(text);
    } catch (error) {
      faults.push(`${shownValue(name, setting, text)}: ${(error as Error).message}.`);
      continue;
    }
    if (values[name] === undefined) {
      const advice = /^(["']).*\1$/s.test(text) ? ' Remove the quotation marks.' : '';
      faults.push(`${shownValue(name, setting, text)} is not ${setting.reader.expects}.${advice}`);
    }
  }
  faults.push(...combinationFaults(env, values));
  if (values.NODE_ENV === 'production') faults.push(...productionFaults(env, values));
  else if (values.REHEARSAL === 'true')
    faults.push('REHEARSAL: "true" has no meaning without NODE_ENV=production. Set it, or remove REHEARSAL.');
  if (faults.length > 0) throw new ConfigError(faults);
  return new AppConfig(values as unknown as Values);
}

/** The setting and its value, without a secret and without the credentials and the query of an address. */
function shownValue(name: string, { isSecret }: Setting<unknown, unknown>, text: string): string {
  if (isSecret) return `${name}: its value`;
  const harmless = text.replace(/\/\/[^/?#@]*@/g, '//***@').replace(/(:\/\/[^?,]*\?)[^,]*/g, '$1***');
  return `${name}: ${JSON.stringify(harmless.slice(0, 80))}`;
}

/** The secret values, and the credentials in addresses, which the log must never contain. */
export function secretsOf(config: AppConfig): string[] {
  return Object.entries<Setting<unknown, unknown>>(SETTINGS).flatMap(([name, { isSecret }]) =>
    [config[name as SettingName]]
      .flat()
      .filter((value) => typeof value === 'string')
      .flatMap((value) => [...(isSecret ? [value] : []), ...credentialsOf(value)]),
  );
}

/** The faults of settings that are valid alone, but not together. An invalid setting is neither set nor missing. */
function combinationFaults(
  env: Record<string, string | undefined>,
  values: Record<string, unknown>,
): string[] {
  const isMissing = (name: string) => !env[name]?.trim();
  const textsOf = (name: string) => [values[name]].flat().filter((value) => typeof value === 'string');
  const isSet = (name: string) => textsOf(name).length > 0;
  const areEqual = (first: string, second: string) =>
    textsOf(first).some((value) => textsOf(second).includes(value));
  const faults: string[] = [];
  for (const second of Object.keys(SETTINGS).filter((name) => name.endsWith('_ALSO') && isSet(name))) {
    const first = second.replace(/_ALSO$/, '');
    if (isMissing(first) || areEqual(first, second))
      faults.push(`${second} must differ from ${first}, which must be set. Correct or remove ${second}.`);
  }
  for (const admin of ['JWT_ADMIN_SECRET', 'JWT_ADMIN_SECRET_ALSO'])
    for (const user of ['JWT_USER_SECRET', 'JWT_USER_SECRET_ALSO'])
      if (areEqual(admin, user))
        faults.push(
          `${admin} must differ from ${user}, or a user's token could pass as an admin's. Make a new secret.`,
        );
  const requireTogether = (missing: string, present: string, remedy: string) => {
    if (isMissing(missing) && isSet(present))
      faults.push(`${missing} is not set, and ${present} is. Set it to ${remedy}.`);
  };
  if (values.PROBE_PORT !== undefined && values.PROBE_PORT !== 0 && values.PROBE_PORT === values.PORT)
    faults.push(
      `PROBE_PORT: "${env.PROBE_PORT?.trim()}" is PORT, too. Set another port, or remove PROBE_PORT.`,
    );
  requireTogether('SCREENING_SECRET', 'SCREENING_URL', 'the secret that the provider knows');
  requireTogether('MAIL_FROM', 'SMTP_URL', 'the sender of e-mail');
  requireTogether('SMTP_URL', 'MAIL_FROM', 'the mail server, or remove MAIL_FROM');
  requireTogether('EVENT_WEBHOOK_SECRET', 'EVENT_WEBHOOK_URL', 'the secret that the receiver knows');
  requireTogether(
    'EVENT_WEBHOOK_URL',
    'EVENT_WEBHOOK_SECRET',
    'the receiver, or remove EVENT_WEBHOOK_SECRET',
  );
  faults.push(...identityProviderFaults(isMissing, values.IDP_ISSUER));
  const isFileInvalid = !isMissing('STRATEGIES_FILE') && values.STRATEGIES_FILE === undefined;
  return isFileInvalid ? faults : [...faults, ...unknownSuspensions(values)];
}

function unknownSuspensions(values: Record<string, unknown>): string[] {
  const strategies = (values.STRATEGIES_FILE ?? defaultStrategies()) as readonly StrategyDefinition[];
  const suspended = (values.SUSPENDED_STRATEGIES ?? []) as string[];
  return suspended
    .filter((id) => !strategies.some((strategy) => strategy.id === id))
    .map((id) => `SUSPENDED_STRATEGIES: "${id}" is not the id of a strategy in STRATEGIES_FILE.`);
}

function productionFaults(
  env: Record<string, string | undefined>,
  values: Record<string, unknown>,
): string[] {
  const isRehearsal = values.REHEARSAL === 'true';
  const faults: string[] = [];
  for (const [name, setting] of Object.entries<Setting<unknown, unknown>>(SETTINGS)) {
    const text = env[name]?.trim();
    if (!text) continue;
    if (setting.developmentOnly)
      faults.push(`${shownValue(name, setting, text)} is for development only. Remove it.`);
    else if (!isRehearsal) faults.push(...sandboxFaults(name, setting, text));
  }
  if (env.FOUR_EYES?.trim() === 'off' && env.FOUR_EYES_ACCEPTED_RISK?.trim() !== 'one-admin')
    faults.push(
      'FOUR_EYES=off lets one admin move money alone. Remove it, or set FOUR_EYES_ACCEPTED_RISK=one-admin.',
    );
  if (env.STEP_UP?.trim() === 'off')
    faults.push(
      'STEP_UP=off lets a stolen session take the money of users who have a second factor. Remove it.',
    );
  if (!env.CUSTODY_ADDRESSES?.trim())
    faults.push(
      'CUSTODY_ADDRESSES is not set. Set it to all addresses from which custody pays, separated by commas: without it a transfer ' +
        'from anybody passes as the payment of a withdrawal.',
    );
  const isSandboxChain = values.CHAIN_ID === SANDBOX_CHAIN_ID;
  if (isRehearsal && values.CHAIN_ID !== undefined && !isSandboxChain)
    faults.push(
      `REHEARSAL: "true" needs CHAIN_ID=${SANDBOX_CHAIN_ID}, and CHAIN_ID is ${env.CHAIN_ID?.trim()}. Remove REHEARSAL where money is real.`,
    );
  if (!isRehearsal && isSandboxChain)
    faults.push(`CHAIN_ID: "${SANDBOX_CHAIN_ID}" is a development chain. Set the id of the real chain.`);
  const address = env.PUBLIC_URL?.trim();
  if (!isRehearsal && !address)
    faults.push('PUBLIC_URL is not set. Set it to the address that people open, which begins with https://.');
  else if (!isRehearsal && /^http:/i.test(address ?? ''))
    faults.push(
      `PUBLIC_URL: ${JSON.stringify(address)} does not begin with https://, as production demands.`,
    );
  return faults;
}

/** The faults of a value that belongs to the sandbox or to this machine. */
function sandboxFaults(name: string, setting: Setting<unknown, unknown>, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (setting.isSecret && items.some(isSandboxSecret))
    return [`${name} is the sandbox's value. Set your own.`];
  const isLocal = (item: string) =>
    isAddressOfThisMachine(item) && !(name === 'CORS_ORIGINS' && MOBILE_WEB_VIEW.test(item));
  if (setting.mayBeLocal || !items.some(isLocal)) return [];
  return [`${shownValue(name, setting, text)} points at this machine. Set the real address.`];
}

/** The sandbox's secrets begin with "sandbox", as text or in base64, or are URLs with that word in the credentials. */
function isSandboxSecret(value: string): boolean {
  const decoded = Buffer.from(value.replace(/^whsec_/, ''), 'base64').toString('latin1');
  return (
    value.startsWith('sandbox') || decoded.startsWith('sandbox') || /:\/\/[^@]*sandbox[^@]*@/.test(value)
  );
}
