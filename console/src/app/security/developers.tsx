import { inLanguage } from '../../ui/language.ts';
import { Page } from '../parts.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Webhooks } from './webhooks.tsx';

const T = inLanguage({
  title: ['Keys and webhooks', 'Schlüssel und Webhooks'],
  lead: [
    'For programs of your own: keys read or act in your name, webhooks tell your server what happened.',
    'Für eigene Programme: Schlüssel lesen oder handeln in Ihrem Namen, Webhooks melden Ihrem Server, was geschah.',
  ],
});

export default function Developers() {
  return (
    <Page title={T.title} lead={T.lead}>
      <ApiKeys />
      <Webhooks />
    </Page>
  );
}
