import { Alert, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { inLanguage } from '../../ui/language.ts';
import { ActionPanel } from '../action-panel.tsx';
import styles from '../app.module.css';
import { useAction } from '../intent.ts';
import { Card } from '../parts.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useConfirmed } from '../step-up.tsx';

const T = inLanguage({
  title: ['Recovery codes', 'Wiederherstellungscodes'],
  left: [
    (count: number) => `Codes left: ${count}. Each replaces a second factor once, if you have lost it.`,
    (count: number) => `Übrige Codes: ${count}. Jeder ersetzt einmal einen verlorenen zweiten Faktor.`,
  ],
  sentence: [
    'Makes ten new codes. The former ones are not valid any more.',
    'Erzeugt zehn neue Codes. Die früheren gelten nicht mehr.',
  ],
  renew: ['Make new codes', 'Neue Codes erzeugen'],
  done: ['The new codes are above.', 'Die neuen Codes stehen oben.'],
  once: [
    'These codes are shown only now. Print them or write them down.',
    'Diese Codes werden nur jetzt gezeigt. Drucken Sie sie oder schreiben Sie sie auf.',
  ],
  save: ['Save as a file', 'Als Datei speichern'],
});

interface RecoveryCodesProps {
  left: number;
  codes: string[] | undefined;
  onCodes: (codes: string[]) => void;
}

export function RecoveryCodes({ left, codes, onCodes }: RecoveryCodesProps) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string[]>();
  const renew = async () => {
    const made = await action.run('renew', () =>
      confirmed({ action: 'recovery-codes.new', details: {}, sentence: T.sentence }, async (stepUp) => {
        const { data } = await api.call('POST /api/user/recovery-codes', { stepUp });
        return data.recoveryCodes;
      }),
    );
    if (made) onCodes(made);
    await queries.invalidateQueries();
  };
  return (
    <Card title={T.title}>
      <p className={styles.hint}>{T.left(left)}</p>
      {codes && (
        <Alert color="yellow" title={T.once}>
          <ul className={styles.codes}>
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => saveFile('recovery-codes.txt', `${codes.join('\n')}\n`)}
          >
            {T.save}
          </Button>
        </Alert>
      )}
      <ActionPanel
        sentence={T.sentence}
        label={T.renew}
        variant="default"
        action={action}
        onAct={renew}
        outcome={() => T.done}
      />
    </Card>
  );
}
