// Every SQLSTATE of PostgreSQL contains a digit. EPIPE, a code of Node.js for a broken connection, has five characters too.
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/**
 * The SQLSTATE of a failed PostgreSQL statement; undefined for any other error. TypeORM copies the code of the driver's error
 * to its own error.
 */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : undefined;
}
