import type { SeededRandom } from '../../harness/seeded-random.js';
import { RPC_METHODS } from '../../../src/modules/providers/rpc-proxy/domain/rpc-methods.js';
import { draft, type Attack } from './attack.js';
import { NUMBER_VALUES, TEXT_VALUES } from './values.js';

// JSON-RPC calls with expensive or invalid params.

const ADDRESS = '0x00000000000000000000000000000000000000A1';
/** An endless loop. */
const ENDLESS_CODE = '0x5b600056';
const HASH = `0x${'0'.repeat(64)}`;

const QUANTITIES = [
  '0x0',
  '0xffffffffffff',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  '0X1',
  '0x',
  '-0x1',
  '0x-1',
  '0x1.5',
  '0x01',
  '1',
  'latest',
  'LATEST',
  'safe',
  'finalized',
  'pending',
  '__proto__',
  '',
  ' 0x1',
  '0x1\n',
  '0xg',
  1,
  -1,
  1e308,
  0.5,
  true,
  null,
  [],
  {},
  ['0x1'],
  { blockNumber: '0x1' },
  { blockHash: HASH },
  { blockHash: null },
];

const VALUES: readonly unknown[] = [
  ...QUANTITIES,
  ADDRESS,
  HASH,
  ...Object.values(TEXT_VALUES),
  ...NUMBER_VALUES.slice(0, 20),
];

const CALL_KEYS = [
  'gas',
  'GAS',
  'Gas',
  'gasLimit',
  'gasPrice',
  'from',
  'to',
  'data',
  'input',
  'value',
  'nonce',
  'type',
];
const OTHER_CALL_KEYS = [
  'accessList',
  'blobs',
  'authorizationList',
  'constructor',
  '__proto__',
  'stateOverride',
];
const OVERRIDE = { [ADDRESS]: { code: ENDLESS_CODE, balance: `0x${'f'.repeat(64)}`, state: {} } };
const BLOCK_OVERRIDE = { gasLimit: '0xffffffffffffffff', number: '0x1', time: '0x0' };

const RANGE_KEYS = [
  'fromBlock',
  'toBlock',
  'FROMBLOCK',
  'from_block',
  'blockHash',
  'blockhash',
  'address',
  'topics',
];

/** A JSON object with random keys and values. */
function randomObject(random: SeededRandom, keys: readonly string[]): string {
  const entries = Array.from(
    { length: random.integer(1, 4) },
    () => [random.oneOf(keys), random.oneOf(VALUES)] as const,
  );
  return JSON.stringify(Object.fromEntries(entries)); // with `__proto__` as a member like any other
}

const rpc = (name: string, call: (random: SeededRandom) => { method: string; params: string }): Attack => ({
  name: `rpc: ${name}`,
  fits: ({ path }) => path === '/api/blockchain/rpc',
  make: (context) => {
    const text = () => {
      const { method, params } = call(context.random);
      return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
    };
    const body = context.random.next() < 0.3 ? `[${Array.from({ length: 20 }, text).join()}]` : text();
    return draft(context, { body });
  },
});

export const RPC_ATTACKS: readonly Attack[] = [
  rpc('params', (random) => ({
    method: random.oneOf(RPC_METHODS),
    params: JSON.stringify(Array.from({ length: random.integer(0, 5) }, () => random.oneOf(VALUES))),
  })),
  rpc('endless calls', (random) => {
    const call =
      random.next() < 0.5
        ? randomObject(random, [...CALL_KEYS, ...OTHER_CALL_KEYS])
        : `{"data":"${ENDLESS_CODE}"}`;
    const overrides = random.oneOf([[], ['latest'], ['latest', OVERRIDE], ['latest', null, BLOCK_OVERRIDE]]);
    const params = [call, ...overrides.map((value) => JSON.stringify(value))];
    return { method: random.oneOf(['eth_call', 'eth_estimateGas']), params: `[${params.join()}]` };
  }),
  rpc('ranges', (random) =>
    random.next() < 0.7
      ? { method: 'eth_getLogs', params: `[${randomObject(random, RANGE_KEYS)}]` }
      : {
          method: 'eth_feeHistory',
          params: JSON.stringify([
            random.oneOf(QUANTITIES),
            random.oneOf(QUANTITIES),
            [random.oneOf(QUANTITIES)],
          ]),
        },
  ),
];
