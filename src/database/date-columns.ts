import pg from 'pg';

const DATE_OID = 1082;

// Days are text, because a Date would depend on a time zone. Every module that reads rows imports this one.
pg.types.setTypeParser(DATE_OID, (text) => text);
