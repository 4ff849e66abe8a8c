import { context, createContextKey, SpanKind, trace } from '@opentelemetry/api';
import { recordFailure, tracer } from './spans.js';

type OnAnswer = (error: unknown, ...answer: unknown[]) => void;

const NAME = createContextKey('name of the next statement');
const MAX_FRAMES = 50;
/** Statements about no table are named by their verb: they belong to no repository. */
const CONTROL = /^\s*(begin|start transaction|commit|rollback|savepoint|release|set)\b/i;
const TABLE = /\b(?:from|into|update|join)\s+(?:only\s+)?"?(?:\w+"?\."?)?([a-z_]\w*)/i;

/**
 * Sends a statement of the driver inside a client span, if the current trace is exported. The span is named after the method of the
 * repository that sends the statement, else after its verb and table. It contains neither the text, in which TypeORM writes some
 * values, nor the values. `args` are those of the driver's `query`.
 */
export function withStatementSpan<Result>(
  args: readonly unknown[],
  send: (args: readonly unknown[]) => Result,
): Result {
  const [text] = args;
  if (typeof text !== 'string' || !trace.getActiveSpan()?.isRecording()) return send(args);
  const span = tracer.startSpan(nameOf(text), {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summaryOf(text) },
  });
  const end = (error?: unknown) => {
    if (error) recordFailure(span, error);
    span.end();
  };
  const onAnswer = args.at(-1);
  if (typeof onAnswer === 'function') {
    const endAndAnswer: OnAnswer = (error, ...answer) => {
      end(error);
      (onAnswer as OnAnswer)(error, ...answer);
    };
    return send([...args.slice(0, -1), endAndAnswer]);
  }
  const answer = send(args);
  if (answer instanceof Promise) answer.then(() => end(), end);
  else end();
  return answer;
}

/** Returns `send` for a later call, in the trace of the present caller and with the name that the span has now. */
export function inTraceOfCaller(text: string, send: () => void): () => void {
  if (!trace.getActiveSpan()?.isRecording()) return send;
  return context.bind(context.active().setValue(NAME, nameOf(text)), send);
}

/** Calls `send` with this name of its span, for a statement that is sent on behalf of another caller than the present one. */
export function inSpanNamed(name: string, send: () => void): void {
  context.with(context.active().setValue(NAME, name), send);
}

function nameOf(text: string): string {
  const control = CONTROL.exec(text)?.[1];
  if (control) return control.toUpperCase();
  const name = context.active().getValue(NAME) as string | undefined;
  return name ?? repositoryMethod() ?? summaryOf(text);
}

/** The verb and the first table, for example `SELECT withdrawal`. */
function summaryOf(text: string): string {
  const statement = text.replace(/^(\s|\/\*.*?\*\/|--[^\n]*\n)*/s, '');
  const [verb = ''] = /^[a-z]*/i.exec(statement) ?? [];
  const [, table] = TABLE.exec(statement) ?? [];
  return [verb.toUpperCase(), table].filter(Boolean).join(' ');
}

/** `DepositsRepository.insertDeposit`: the nearest method of a repository on the stack, that of awaited calls included. */
function repositoryMethod(): string | undefined {
  for (const frame of callers()) {
    const [type, method] = [frame.getTypeName(), frame.getMethodName() ?? frame.getFunctionName()];
    // TypeORM has classes named Repository, without a word before it.
    if (type !== null && method !== null && /^\w+Repository$/.test(type)) return `${type}.${method}`;
  }
  return undefined;
}

/** The frames themselves, because with --enable-source-maps the text of a stack takes milliseconds. */
function callers(): NodeJS.CallSite[] {
  const { stackTraceLimit } = Error;
  const prepareStackTrace: unknown = Reflect.get(Error, 'prepareStackTrace');
  Error.stackTraceLimit = MAX_FRAMES;
  Error.prepareStackTrace = (_error, frames) => frames;
  try {
    const holder: { stack?: NodeJS.CallSite[] } = {};
    Error.captureStackTrace(holder, repositoryMethod);
    return holder.stack ?? [];
  } finally {
    Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  }
}
