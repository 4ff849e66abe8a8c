import type { Answer } from '../../api/client.ts';
import { language } from '../../ui/language.ts';
import { ALERTS } from './alert-texts.ts';
import { englishStep, germanStep } from './next-steps.ts';

type Alert = Answer<'GET /api/admin/alerts'>['data'][number];

/**
 * The texts of an alert in the language of the page. `wording` is the English text of the service with the figures of the case, which
 * the German texts leave out.
 */
export function textsOf({ kind, message, nextStep }: Pick<Alert, 'kind' | 'message' | 'nextStep'>) {
  const { name, german } = ALERTS[kind] ?? {};
  if (language === 'en' || !german)
    return { name: name?.[0] ?? kind, message, nextStep: englishStep(nextStep) };
  const step = german[1] ?? germanStep(nextStep);
  return {
    name: name?.[1] ?? kind,
    message: german[0],
    nextStep: step ?? nextStep,
    stepLanguage: step === undefined ? 'en' : undefined,
    wording: `${message} ${nextStep}`,
  };
}
