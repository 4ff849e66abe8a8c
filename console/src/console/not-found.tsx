import { Text } from '@mantine/core';
import { inLanguage } from '../ui/language.ts';
import { PageHead } from '../ui/page-head.tsx';

const T = inLanguage({
  title: ['No such screen', 'Kein solcher Bereich'],
  text: [
    'The address is wrong, or your permissions do not include this screen.',
    'Die Adresse ist falsch, oder Ihre Rechte schließen diesen Bereich nicht ein.',
  ],
});

export function NotFound() {
  return (
    <>
      <PageHead title={T.title} />
      <Text>{T.text}</Text>
    </>
  );
}
