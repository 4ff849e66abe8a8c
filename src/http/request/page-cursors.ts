import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { PageCursor, Position } from '../../lists/list-page.js';
import type { RequestWithPrincipal } from '../auth/principal.js';

type Query = Readonly<Record<string, unknown>>;

/** Of the parameters of a list, those that select no rows. A cursor keeps the limit unless the request gives another one. */
const OF_PAGES = ['page', 'limit', 'cursor'];

const SEAL_BYTES = 16;

/** The number changes with the sort keys of any list, since cursors of former versions then have other values. */
const KEY_PURPOSE = 'cursors of lists, version 1';

/** What a cursor holds: a position, and the query of the request that made it, without `page` and `cursor`. */
interface Content {
  readonly position: Position;
  readonly query: Query;
}

/** Cursors of the requests that are being validated, by the object with their query. */
const cursors = new WeakMap<object, PageCursor>();

/** The cursor of a request whose query `PageCursors.readCursor` has returned. */
export function pageCursorOf(query: object): PageCursor | undefined {
  return cursors.get(query);
}

/**
 * Reads and writes the cursors of lists. A cursor is readable, and sealed by an HMAC over its content, the path and the caller, so
 * that only values that the service has written become conditions of a statement (DEC-113).
 */
@Injectable()
export class PageCursors {
  /** New cursors are sealed with the first key; those with a seal of any key are accepted. */
  private readonly keys: readonly KeyObject[];

  constructor(config: AppConfig) {
    this.keys = [config.TOKEN_HASH_KEY, ...config.TOKEN_HASH_KEY_ALSO].map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, 32))),
    );
  }

  /**
   * The query of a request, in which the parameters of its cursor replace the cursor, and which `pageCursorOf` knows. A cursor that
   * is invalid or contradicts other parameters stays in the query, where the validation refuses it.
   */
  readCursor(request: RequestWithPrincipal): Query {
    const given = request.query as Query;
    const { position, query } =
      given.cursor === undefined ? { query: given } : this.openOrKeep(request, given);
    const write = (next: Position) => {
      const { page: _, ...kept } = query;
      return this.seal(listOf(request), { position: next, query: kept });
    };
    cursors.set(query, { position, write });
    return query;
  }

  private openOrKeep(request: RequestWithPrincipal, given: Query): { position?: Position; query: Query } {
    const { cursor, ...others } = given;
    const content = typeof cursor === 'string' ? this.open(listOf(request), cursor) : undefined;
    const isRefused = !content || contradicts(given, content.query);
    return { position: content?.position, query: isRefused ? given : { ...content.query, ...others } };
  }

  private seal(list: string, content: Content): string {
    const text = Buffer.from(JSON.stringify(content));
    return Buffer.concat([sealOf(this.keys[0] as KeyObject, list, text), text]).toString('base64url');
  }

  private open(list: string, cursor: string): Content | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const [seal, text] = [bytes.subarray(0, SEAL_BYTES), bytes.subarray(SEAL_BYTES)];
    if (seal.length < SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const isAuthentic = this.keys.some((key) => timingSafeEqual(seal, sealOf(key, list, text)));
    return isAuthentic ? (JSON.parse(text.toString()) as Content) : undefined;
  }
}

/** What a cursor is sealed with besides its content: the path and the caller. */
function listOf({ path, principal }: RequestWithPrincipal): string {
  return JSON.stringify([path, principal?.type, principal?.id]);
}

function sealOf(key: KeyObject, list: string, text: Buffer): Buffer {
  return createHmac('sha256', key).update(list).update('\0').update(text).digest().subarray(0, SEAL_BYTES);
}

/** True if a request with a cursor has a page, or a filter or order that the cursor does not have. */
function contradicts(given: Query, kept: Query): boolean {
  return (
    given.page !== undefined ||
    Object.entries(given).some(([name, value]) => !OF_PAGES.includes(name) && value !== kept[name])
  );
}
