// Loaded into the API with `--import`: appends each statement that the API sends to PostgreSQL for a request, with its values,
// to the file that RECORD names, as one line in base64.
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { Server } from 'node:http';
import { serialize } from 'node:v8';
import pg from 'pg';

// Statements of notifications and of the service levels, which requests start and do not wait for.
const BACKGROUND = /pg_notify|listen |sla_minute/;

const requests = new AsyncLocalStorage();
const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...args) {
  return event === 'request'
    ? requests.run(true, () => emit.call(this, event, ...args))
    : emit.call(this, event, ...args);
};

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [first, second] = args;
  const text = typeof first === 'string' ? first : first?.text;
  const values = (typeof first === 'string' ? second : (first?.values ?? second)) ?? [];
  const statements = first?.statements ?? [{ text, values }]; // a batch has several
  for (const { text, values } of statements)
    if (requests.getStore() && text && Array.isArray(values) && !BACKGROUND.test(text))
      appendFileSync(process.env.RECORD, `${serialize({ text, values }).toString('base64')}\n`);
  return query.apply(this, args);
};
