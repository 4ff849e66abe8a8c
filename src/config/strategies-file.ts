import { readFileSync } from 'node:fs';
import { MICRO_SCALE, Money } from '../common/money.js';
import { HUNDRED } from '../common/ratio.js';
import type { Reader } from './readers.js';

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export interface Protocol {
  readonly name: string;
  /** Percent; the weights of a strategy add up to 100. */
  readonly weight: Money;
}

/** An entry of STRATEGIES_FILE. */
export interface StrategyDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly riskLevel: RiskLevel;
  /** Target, percent a year. */
  readonly apy: Money;
  /** Smallest and largest investment, USDC. */
  readonly minimum: Money;
  readonly maximum: Money;
  readonly protocols: readonly Protocol[];
}

const DEFAULT_FILE = new URL('../../config/strategies.json', import.meta.url);
const MAX_STRATEGIES = 50;
const MAX_APY = Money.of('1000'); // percent a year
const ID = /^[a-z0-9](-?[a-z0-9]){0,49}$/;
const FIELDS = 'id, name, description, riskLevel, apy, minAmount, maxAmount, protocols';

/** Throws an error that names the entry and the field, and states the expected value. */
export const strategiesFile: Reader<readonly StrategyDefinition[]> = {
  expects: `the path of a JSON list of strategies, each with ${FIELDS}`,
  read: (path) => parseStrategies(readFileSync(path, 'utf8')),
};

let defaults: readonly StrategyDefinition[] | undefined;

/** The strategies of `config/strategies.json`. */
export function defaultStrategies(): readonly StrategyDefinition[] {
  return (defaults ??= parseStrategies(readFileSync(DEFAULT_FILE, 'utf8')));
}

export function parseStrategies(text: string): readonly StrategyDefinition[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_STRATEGIES)
    throw new Error(`it must be a JSON list of 1 to ${MAX_STRATEGIES} strategies, each with ${FIELDS}`);
  const strategies = entries.map((entry, index) => parseStrategy(entry, index + 1));
  strategies.forEach(({ id }, index) => {
    const firstIndex = strategies.findIndex((other) => other.id === id);
    if (firstIndex !== index)
      throw new Error(`strategies ${firstIndex + 1} and ${index + 1} have the same id "${id}". Rename one`);
  });
  return strategies;
}

function parseStrategy(entry: unknown, number: number): StrategyDefinition {
  const fields = (entry ?? {}) as Record<string, unknown>;
  const failField = (field: string, expected: string): never => {
    const name = typeof fields.id === 'string' ? `strategy "${fields.id}"` : `strategy ${number}`;
    throw new Error(`${name}: ${field} must be ${expected}`);
  };
  const textField = (field: string, maxCharacters: number): string => {
    const value = fields[field];
    if (typeof value === 'string' && value.trim() !== '' && value.length <= maxCharacters) return value;
    return failField(field, `a text of 1 to ${maxCharacters} characters`);
  };
  const decimalField = (field: string): Money => {
    const value = fields[field];
    const money = typeof value === 'string' ? Money.parse(value) : undefined;
    return (
      money ?? failField(field, `a decimal string with at most ${MICRO_SCALE} decimals, such as "10.00"`)
    );
  };
  const id = fields.id;
  if (typeof id !== 'string' || !ID.test(id))
    return failField('id', 'at most 50 lower-case letters and digits, with single hyphens between them');
  const riskLevel = RISK_LEVELS.find((level) => level === fields.riskLevel);
  if (!riskLevel) return failField('riskLevel', `one of ${RISK_LEVELS.join(', ')}`);
  const apy = decimalField('apy');
  const minimum = decimalField('minAmount');
  const maximum = decimalField('maxAmount');
  if (apy.isMoreThan(MAX_APY)) failField('apy', `from "0" to "${MAX_APY.toString()}"`);
  if (!minimum.isPositive()) failField('minAmount', 'above zero');
  if (maximum.isLessThan(minimum)) failField('maxAmount', 'at least minAmount');
  const protocols = parseProtocols(fields.protocols);
  if (!protocols)
    return failField('protocols', 'an object of names and weights in percent that add up to 100');
  const name = textField('name', 100);
  const description = textField('description', 500);
  return { id, name, description, riskLevel, apy, minimum, maximum, protocols };
}

/** Undefined unless the value is an object of names and weights that add up to 100. */
function parseProtocols(value: unknown): Protocol[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const protocols = Object.entries(value).flatMap(([name, text]) => {
    const weight = typeof text === 'string' ? Money.parse(text) : undefined;
    return weight?.isPositive() && name.trim() !== '' ? [{ name, weight }] : [];
  });
  const isComplete = protocols.length === Object.keys(value).length;
  const total = Money.sum(protocols.map(({ weight }) => weight));
  return isComplete && total.equals(HUNDRED) ? protocols : undefined;
}
