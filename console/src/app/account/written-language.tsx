import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { inLanguage, language } from '../../ui/language.ts';
import { ActionPanel } from '../action-panel.tsx';
import { useAction } from '../intent.ts';
import { Card } from '../parts.tsx';

const T = inLanguage({
  sentence: [
    'New texts of this list are written in another language than that of this page.',
    'Neue Texte dieser Liste werden in einer anderen Sprache geschrieben als der dieser Seite.',
  ],
  button: ['Write them in English', 'Auf Deutsch schreiben'],
  done: ['They are written in English from now on.', 'Ab jetzt werden sie auf Deutsch geschrieben.'],
});

/** Offers to write to the user in the language of the page, if the account has another one. */
export function WrittenLanguage() {
  const { data } = useRead('GET /api/user/profile');
  const queries = useQueryClient();
  const action = useAction<string>();
  const isGerman = data?.data.preferences.language.startsWith('de');
  if (!data || (isGerman === (language === 'de') && action.state.status !== 'done')) return null;
  const change = async () => {
    await action.run(language, async () => {
      await api.call('PUT /api/user/profile', { body: { language } });
      return T.done;
    });
    await queries.invalidateQueries();
  };
  return (
    <Card>
      <ActionPanel
        sentence={T.sentence}
        label={T.button}
        variant="default"
        action={action}
        onAct={change}
        outcome={(text) => text}
      />
    </Card>
  );
}
