import { inLanguage } from '../../ui/language.ts';

export const STATUS = inLanguage({
  all: ['All', 'Alle'],
  received: ['Waiting', 'Wartend'],
  processed: ['Processed', 'Verarbeitet'],
  ignored: ['Ignored', 'Ignoriert'],
  failed: ['Failed', 'Fehlgeschlagen'],
});
export const STATUS_COLOURS = {
  received: 'yellow',
  processed: 'green',
  ignored: 'gray',
  failed: 'red',
} as const;

export const KIND = inLanguage({
  deposit: ['Deposit', 'Einzahlung'],
  withdrawal: ['Withdrawal', 'Auszahlung'],
  yield: ['Yield', 'Ertrag'],
});

export const T = inLanguage({
  title: ['Callbacks of providers', 'Rückmeldungen der Anbieter'],
  empty: ['No callback matches.', 'Keine Rückmeldung passt.'],
  provider: ['Provider', 'Anbieter'],
  kind: ['About', 'Betrifft'],
  status: ['Status', 'Stand'],
  reason: ['Reason', 'Grund'],
  attempts: ['Attempts', 'Versuche'],
  received: ['Received', 'Empfangen'],
  receivedAfter: ['Received from', 'Empfangen ab'],
  due: ['Next attempt', 'Nächster Versuch'],
  settled: ['Settled', 'Erledigt'],
  key: ['Key of the event', 'Schlüssel des Ereignisses'],
  body: ['Body', 'Inhalt'],
  replay: ['Process again', 'Noch einmal verarbeiten'],
  replayEffect: [
    'The callback is processed again as if it had just arrived; what it has led to already is not repeated.',
    'Die Rückmeldung wird verarbeitet, als wäre sie eben angekommen; was sie schon bewirkt hat, wiederholt sich nicht.',
  ],
  replayed: ['The callback was processed again', 'Die Rückmeldung wurde noch einmal verarbeitet'],
  notReplayable: [
    'Only failed and ignored callbacks can be processed again.',
    'Nur fehlgeschlagene und ignorierte Rückmeldungen können noch einmal verarbeitet werden.',
  ],
});
