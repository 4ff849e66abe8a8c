import { REQUIRED, type Setting } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';
import { defaultStrategies, type StrategyDefinition } from './strategies-file.js';

type ValueOf<S> =
  S extends Setting<infer Value, infer Fallback> ? Value | Exclude<Fallback, typeof REQUIRED> : never;
type Values = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

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

/** Lists every fault of the configuration, one per line, with its correction. */
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
    const given = env[name]?.trim();
    if (!given) {
      if (setting.fallback === REQUIRED)
        faults.push(`${name} is not set (${setting.meaning}). Set it to ${setting.reader.expects}.`);
      values[name] = setting.fallback;
      continue;
    }
    try {
      values[name] = setting.reader.read(given);
    } catch (error) {
      faults.push(`${name}: ${given.slice(0, 80)}: ${(error as Error).message}.`);
      continue;
    }
    if (values[name] === undefined) {
      const shown = setting.isSecret ? 'its value' : JSON.stringify(given.slice(0, 80));
      faults.push(`${name}: ${shown} is not ${setting.reader.expects}.`);
    }
  }
  faults.push(...combinationFaults(values));
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

function combinationFaults(values: Record<string, unknown>): string[] {
  const isGiven = (name: string) => typeof values[name] === 'string';
  const isSame = (name: string, other: string) => isGiven(name) && values[name] === values[other];
  const seconds = Object.keys(SETTINGS).filter((name) => name.endsWith('_ALSO') && isGiven(name));
  const needless = seconds
    .map((second) => [second, second.replace(/_ALSO$/, '')] as const)
    .filter(([second, name]) => !isGiven(name) || isSame(second, name))
    .map(([second, name]) => `${second} must be another value than ${name}, which must be set. Remove it.`);
  const shared = ['JWT_ADMIN_SECRET', 'JWT_ADMIN_SECRET_ALSO'].flatMap((admins) =>
    ['JWT_USER_SECRET', 'JWT_USER_SECRET_ALSO']
      .filter((users) => isSame(admins, users))
      .map(
        (users) =>
          `${admins} must differ from ${users}, or a user could sign an admin token. Make a new one.`,
      ),
  );
  const unsigned =
    isGiven('SCREENING_URL') && !isGiven('SCREENING_SECRET')
      ? ['SCREENING_SECRET is not set, and SCREENING_URL is. Set it to the secret that the provider knows.']
      : [];
  const senders = [
    ['MAIL_FROM', 'SMTP_URL', 'the sender of e-mail'],
    ['SMTP_URL', 'MAIL_FROM', 'the mail server, or remove MAIL_FROM'],
  ] as const;
  const halfMail = senders
    .filter(([missing, given]) => !isGiven(missing) && isGiven(given))
    .map(([missing, given, what]) => `${missing} is not set, and ${given} is. Set it to ${what}.`);
  return [...needless, ...shared, ...unsigned, ...halfMail, ...unknownSuspensions(values)];
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
    const given = env[name]?.trim();
    if (!given) continue;
    if (setting.developmentOnly) faults.push(`${name} is for development only. Remove it.`);
    else if (setting.isSecret && isSandboxSecret(given))
      faults.push(`${name} is the sandbox's value. Set your own.`);
    else if (!setting.mayBeHere && given.split(',').some(isThisMachine))
      faults.push(`${name} points at this machine (${given}). Set the real address.`);
  }
  if (!/^https:/i.test(env.PUBLIC_URL?.trim() ?? ''))
    faults.push('PUBLIC_URL must begin with https:// in production. Set the address that people open.');
  if (env.CHAIN_ID?.trim() === '31337')
    faults.push('CHAIN_ID 31337 is a development chain. Set the id of the real chain.');
  return faults;
}

function isThisMachine(value: string): boolean {
  const text = value.trim();
  const host = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).hostname : '';
  return /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(host);
}

/** True for the sandbox's secrets: they begin with "sandbox", as text or inside their base64. */
function isSandboxSecret(value: string): boolean {
  const inner = Buffer.from(value.replace(/^whsec_/, ''), 'base64').toString('latin1');
  return value.startsWith('sandbox') || inner.startsWith('sandbox') || /:\/\/[^@]*sandbox[^@]*@/.test(value);
}
