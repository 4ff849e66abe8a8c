import { REQUIRED, type Setting } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';
import { defaultStrategies, type StrategyDefinition } from './strategies-file.js';

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
      faults.push(`${name}: ${text.slice(0, 80)}: ${(error as Error).message}.`);
      continue;
    }
    if (values[name] === undefined) {
      const shown = setting.isSecret ? 'its value' : JSON.stringify(text.slice(0, 80));
      faults.push(`${name}: ${shown} is not ${setting.reader.expects}.`);
    }
  }
  faults.push(...combinationFaults(env, values));
  if (values.NODE_ENV === 'production') faults.push(...productionFaults(env));
  if (faults.length > 0) throw new ConfigError(faults);
  return new AppConfig(values as unknown as Values);
}

/** The secret values, which the log must never contain. */
export function secretsOf(config: AppConfig): string[] {
  return Object.entries<Setting<unknown, unknown>>(SETTINGS)
    .filter(([, { isSecret }]) => isSecret)
    .flatMap(([name]) => config[name as SettingName] as string | string[] | undefined)
    .filter((value) => typeof value === 'string');
}

/** The faults of settings that are valid alone, but not together. An invalid setting is neither set nor missing. */
function combinationFaults(
  env: Record<string, string | undefined>,
  values: Record<string, unknown>,
): string[] {
  const isMissing = (name: string) => !env[name]?.trim();
  const isSet = (name: string) => typeof values[name] === 'string';
  const areEqual = (first: string, second: string) => isSet(first) && values[first] === values[second];
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
  requireTogether('SCREENING_SECRET', 'SCREENING_URL', 'the secret that the provider knows');
  requireTogether('MAIL_FROM', 'SMTP_URL', 'the sender of e-mail');
  requireTogether('SMTP_URL', 'MAIL_FROM', 'the mail server, or remove MAIL_FROM');
  requireTogether('EVENT_WEBHOOK_SECRET', 'EVENT_WEBHOOK_URL', 'the secret that the receiver knows');
  requireTogether(
    'EVENT_WEBHOOK_URL',
    'EVENT_WEBHOOK_SECRET',
    'the receiver, or remove EVENT_WEBHOOK_SECRET',
  );
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

function productionFaults(env: Record<string, string | undefined>): string[] {
  const faults: string[] = [];
  for (const [name, setting] of Object.entries<Setting<unknown, unknown>>(SETTINGS)) {
    const text = env[name]?.trim();
    if (!text) continue;
    if (setting.developmentOnly) faults.push(`${name} is for development only. Remove it.`);
    else if (setting.isSecret && isSandboxSecret(text))
      faults.push(`${name} is the sandbox's value. Set your own.`);
    else if (!setting.mayBeLocal && text.split(',').some(isUrlOfThisMachine))
      faults.push(`${name} points at this machine (${text}). Set the real address.`);
  }
  if (!/^https:/i.test(env.PUBLIC_URL?.trim() ?? ''))
    faults.push('PUBLIC_URL must begin with https:// in production. Set the address that people open.');
  if (env.FOUR_EYES?.trim() === 'off' && env.FOUR_EYES_ACCEPTED_RISK?.trim() !== 'one-admin')
    faults.push(
      'FOUR_EYES=off lets one admin move money alone. Remove it, or set FOUR_EYES_ACCEPTED_RISK=one-admin.',
    );
  if (!env.CUSTODY_ADDRESSES?.trim())
    faults.push(
      'CUSTODY_ADDRESSES is not set. Set it to all addresses from which custody pays, separated by commas: without it a transfer ' +
        'from anybody passes as the payment of a withdrawal.',
    );
  if (env.CHAIN_ID?.trim() === '31337')
    faults.push('CHAIN_ID 31337 is a development chain. Set the id of the real chain.');
  return faults;
}

/** True for an HTTP URL of the machine on which the service runs; false for any other value. */
function isUrlOfThisMachine(value: string): boolean {
  const text = value.trim();
  const host = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).hostname : '';
  return /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(host);
}

/** The sandbox's secrets begin with "sandbox", as text or in base64, or are URLs with that word in the credentials. */
function isSandboxSecret(value: string): boolean {
  const decoded = Buffer.from(value.replace(/^whsec_/, ''), 'base64').toString('latin1');
  return (
    value.startsWith('sandbox') || decoded.startsWith('sandbox') || /:\/\/[^@]*sandbox[^@]*@/.test(value)
  );
}
