import type { EntityManager } from 'typeorm';

declare const inTransaction: unique symbol;

/** An open database transaction, the first argument of every write. Outside of tests only `UnitOfWork` creates it. */
export type Tx = EntityManager & { readonly [inTransaction]: true };
