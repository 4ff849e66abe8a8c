import { useQueryClient } from '@tanstack/react-query';
import { letDaysPass } from '../api/sandbox.ts';
import { formatMoment } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { ActionPanel } from './action-panel.tsx';
import { useAction } from './intent.ts';
import { Card } from './parts.tsx';

const T = inLanguage({
  title: ['Sandbox: let time pass', 'Sandbox: Zeit vergehen lassen'],
  sentence: [
    'Moves the clock of the whole sandbox forward by thirty days: positions grow, lock-ups and holds end. It cannot be moved back.',
    'Stellt die Uhr der ganzen Sandbox um dreißig Tage vor: Anlagen wachsen, Bindungen und Fristen enden. Zurück geht es nicht.',
  ],
  button: ['Let thirty days pass', 'Dreißig Tage vergehen lassen'],
  done: [
    (now: string) => `It is now ${now} in the sandbox. Growth shows within seconds.`,
    (now: string) => `In der Sandbox ist es jetzt ${now}. Der Zuwachs erscheint in Sekunden.`,
  ],
});

const DAYS = 30;

export function LetTimePass() {
  const queries = useQueryClient();
  const action = useAction<{ now: string }>();
  return (
    <Card title={T.title}>
      <ActionPanel
        sentence={T.sentence}
        label={T.button}
        variant="default"
        action={action}
        onAct={async () => {
          await action.run('advance', () => letDaysPass(DAYS));
          await queries.invalidateQueries();
        }}
        outcome={({ now }) => T.done(formatMoment(now))}
      />
    </Card>
  );
}
