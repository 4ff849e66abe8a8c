import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { wasMoved } from '../../../lists/list-rows.js';
import { USERS } from '../../identity/users/users.repository.js';

export const FOUND_TYPES = ['user', 'deposit', 'withdrawal', 'investment', 'transaction'] as const;
export type FoundType = (typeof FOUND_TYPES)[number];

/** A record that the search has found. */
export interface Found {
  readonly type: FoundType;
  readonly id: string;
  /** A text by which people recognise the record. */
  readonly label: string;
  readonly status: string;
  readonly createdAt: Date;
}

/** SQL: the amount of a label, which has at least two decimals. */
const amountSql = (amount: string) =>
  `case when scale(trim_scale(${amount})) < 2 then round(${amount}, 2) else trim_scale(${amount}) end`;

const COLUMNS: Record<FoundType, string> = {
  user: `'user' as type, id, email as label, status, created_at as "createdAt"`,
  deposit: `'deposit' as type, id, concat_ws(' ', ${amountSql('amount')}, currency, network) as label, status, created_at as "createdAt"`,
  withdrawal: `'withdrawal' as type, id, concat_ws(' ', ${amountSql('amount')}, currency, to_address) as label, status, created_at as "createdAt"`,
  investment: `'investment' as type, id, concat_ws(' ', ${amountSql('amount')}, 'USDC', strategy_id) as label, status, created_at as "createdAt"`,
  transaction: `'transaction' as type, id, description as label, admin_list_status(status) as status, created_at as "createdAt"`,
};

/** Where the records are, and which of them the lists of admins show. */
const SOURCES: Record<FoundType, { readonly from: string; readonly isListed?: string }> = {
  user: { from: `${USERS} as account` },
  deposit: { from: 'deposit' },
  withdrawal: { from: 'withdrawal' },
  investment: { from: 'investment', isListed: `not ${wasMoved('investment')}` },
  transaction: {
    from: 'user_transaction',
    isListed: `reference_type <> 'admin-transaction' and type <> 'reversal'`,
  },
};

// What a search text can be: the beginning of an id, a hash, an address or an e-mail address.

/** A shorter text finds only the e-mail address that equals it, and no other key. */
const MIN_PREFIX_LENGTH = 8;
const UUID_DIGITS = 32;

/** At least the first eight digits of an id, with or without hyphens. */
const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{0,4}){0,3}(-?[0-9a-f]{0,12})$/;
/** At least the first eight digits of a transaction hash, with or without 0x. */
const HASH = /^(0x)?[0-9a-f]{8,64}$/;
/** At least the first eight characters of an address on an EVM chain or on TRON, where addresses begin with T. */
const ADDRESS = /^(0x[0-9a-f]{6,40}|t[1-9a-z]{7,33})$/;

/** A range of text or ids, both ends included. */
interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** The ranges of keys that begin with the text, in lower case; undefined or empty if no key of the kind can begin with it. */
interface SearchKeys {
  readonly id: KeyRange | undefined;
  /** With the prefix 0x, and without it as on TRON. */
  readonly hashes: readonly KeyRange[];
  readonly address: KeyRange | undefined;
  readonly email: KeyRange;
}

function searchKeysOf(text: string): SearchKeys {
  const key = text.trim().toLowerCase();
  const digits = key.replace(/^0x/, '');
  return {
    id: UUID.test(key) ? idsFrom(key.replaceAll('-', '')) : undefined,
    hashes: HASH.test(key) ? [textFrom(`0x${digits}`), textFrom(digits)] : [],
    address: ADDRESS.test(key) ? textFrom(key) : undefined,
    email: key.length < MIN_PREFIX_LENGTH ? { from: key, to: key } : textFrom(key),
  };
}

/** Text that begins with `prefix`. The index compares bytes, and no character of a key comes after U+10FFFF. */
const textFrom = (prefix: string): KeyRange => ({ from: prefix, to: `${prefix}\u{10ffff}` });

function idsFrom(digits: string): KeyRange {
  return { from: digits.padEnd(UUID_DIGITS, '0'), to: digits.padEnd(UUID_DIGITS, 'f') };
}

/** Finds records of the modules users, wallets, deposits, withdrawals, investments and transactions by their keys. */
@Injectable()
export class SearchRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest `limit` records of these types that have a key which begins with the text. Each key has an index. */
  findRecords(text: string, types: readonly FoundType[], limit: number): Promise<Found[]> {
    const keys = searchKeysOf(text);
    const parameters: unknown[] = [limit];
    const selects = types.flatMap((type) =>
      conditionsOf(type, keys).map((condition) => selectSql(type, condition, parameters)),
    );
    if (selects.length === 0) return Promise.resolve([]);
    return this.dataSource.query<Found[]>(
      `select * from (${selects.join(' union ')}) as found order by "createdAt" desc, id limit $1`,
      parameters,
    );
  }
}

interface Condition {
  /** SQL of the key that is in the range. */
  readonly key: string;
  readonly range: KeyRange;
  /** The table with the key, if the record's own table does not have it. Its `user_id` is the id of the record. */
  readonly table?: 'deposit_address' | 'wallet';
}

/** One condition for each key that a record of the type can have. */
function conditionsOf(type: FoundType, { id, hashes, address, email }: SearchKeys): Condition[] {
  const byId: Condition[] = id ? [{ key: 'id', range: id }] : [];
  const byHash = hashes.map((range) => ({ key: 'tx_hash collate "C"', range }));
  const addressOf = (column: string) => `lower(${column}) collate "C"`;
  switch (type) {
    case 'user': {
      const byIdOrEmail = [...byId, { key: 'email collate "C"', range: email }];
      if (!address) return byIdOrEmail;
      return [
        ...byIdOrEmail,
        { key: addressOf('address'), range: address, table: 'deposit_address' },
        { key: addressOf('address'), range: address, table: 'wallet' },
      ];
    }
    case 'deposit':
      return [...byId, ...byHash];
    case 'withdrawal':
      return [...byId, ...byHash, ...(address ? [{ key: addressOf('to_address'), range: address }] : [])];
    default:
      return byId;
  }
}

/**
 * Adds the bounds of the range to `parameters`. By id it selects the newest `limit` rows, since ids begin with their time; by another key
 * any `limit` rows, because with an order by time PostgreSQL might read the index of the time and compare the key of each row. More than
 * `limit` records with one beginning of a hash, an address or an e-mail address are rare.
 */
function selectSql(type: FoundType, { key, range, table }: Condition, parameters: unknown[]): string {
  const sqlType = key === 'id' ? 'uuid' : 'text';
  const from = `$${parameters.push(range.from)}::${sqlType}`;
  const to = `$${parameters.push(range.to)}::${sqlType}`;
  const isInRange = `${key} between ${from} and ${to}`;
  const condition = table ? `id in (select user_id from ${table} where ${isInRange})` : isInRange;
  const order = key === 'id' ? 'order by id desc ' : '';
  const { from: source, isListed = 'true' } = SOURCES[type];
  return `(select ${COLUMNS[type]} from ${source} where ${isListed} and ${condition} ${order}limit $1)`;
}
