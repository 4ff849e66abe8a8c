import pg from 'pg';

const DATE_OID = 1082;

// Days are text, because a Date would depend on a time zone. `data-source.ts` and `snapshots.ts` import this file, so that it
// takes effect in every program that reads rows.
pg.types.setTypeParser(DATE_OID, (text) => text);
