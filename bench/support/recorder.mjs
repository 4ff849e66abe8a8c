// Loaded into the API: appends each statement that it sends to PostgreSQL to the file RECORD, one per line.
import { appendFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import pg from 'pg';

const BACKGROUND = /pg_notify|pg_try_advisory_lock|listen |sla_minute/;

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [first, second] = args;
  const text = typeof first === 'string' ? first : first?.text;
  const values = (typeof first === 'string' ? second : (first?.values ?? second)) ?? [];
  if (text && Array.isArray(values) && !BACKGROUND.test(text))
    appendFileSync(process.env.RECORD, `${serialize({ text, values }).toString('base64')}\n`);
  return query.apply(this, args);
};
