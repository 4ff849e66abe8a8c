import { Alert, Button, Group } from '@mantine/core';
import { ApiError } from '../api/client.ts';
import { problemsOf, textOf } from './error-texts.ts';
import { inLanguage } from './language.ts';

const T = inLanguage({
  title: ['That did not work', 'Das hat nicht funktioniert'],
  unreachable: [
    'The service does not answer. Check the connection, and try again.',
    'Der Dienst antwortet nicht. Prüfen Sie die Verbindung, und versuchen Sie es noch einmal.',
  ],
  again: ['Try again', 'Noch einmal versuchen'],
  trace: ['Trace', 'Vorgang'],
});

/** What an error means for the reader: the message of the service, or that it does not answer. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return textOf(error as ApiError);
  if (error instanceof TypeError) return T.unreachable; // `fetch` found no server
  return error instanceof Error ? error.message : String(error);
}

/** An error with its code, and with the trace id that the support asks for. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { code, traceId, details } = (error instanceof ApiError ? error : {}) as Partial<ApiError>;
  return (
    <Alert color="red" title={T.title} role="alert">
      {messageOf(error)}
      {problemsOf(details).map(({ text, isEnglish }) => (
        <div key={text} {...(isEnglish ? { lang: 'en' } : {})}>
          {text}
        </div>
      ))}
      {code && (
        <div className="failure-code">
          {code}
          {traceId && ` · ${T.trace} ${traceId}`}
        </div>
      )}
      {retry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={retry}>
            {T.again}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
