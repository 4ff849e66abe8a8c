import { api, hasCode, type RequestOf } from './client.ts';
import type { FactorAnswer, FactorChallenge } from './sign-in.ts';

type StepUp = RequestOf<'POST /api/admin/step-up'>['body'];
type Ask = (challenge: FactorChallenge, verify: (answer: FactorAnswer) => Promise<void>) => Promise<void>;

let ask: Ask | undefined;

/** Called by the component that shows challenges. `dialog` rejects with StepUpCancelled if the person closes it. */
export function setStepUpDialog(dialog: Ask | undefined): void {
  ask = dialog;
}

export class StepUpCancelled extends Error {}

/**
 * Sends an action. If the service asks for a fresh second factor, the person answers the challenge for exactly this action and
 * these details, and the action is sent again with the token.
 */
export async function withStepUp<Result>(
  stepUp: StepUp,
  send: (token: { stepUp?: string }) => Promise<Result>,
): Promise<Result> {
  const dialog = ask; // the component may be unmounted before the challenge is there
  try {
    return await send({});
  } catch (error) {
    if (!dialog || !hasCode(error, 'STEP_UP_REQUIRED')) throw error;
    const { methods } = (error.details ?? {}) as { methods?: string[] };
    if (methods?.length === 0) throw error; // there is no factor to confirm with
  }
  const { data: challenge } = await api.call('POST /api/admin/step-up', { body: stepUp });
  let token = '';
  await dialog(challenge, async (answer) => {
    const { data } = await api.call('POST /api/admin/step-up/{id}/verify', {
      path: { id: challenge.id },
      body: answer,
    });
    token = data.token;
  });
  return send({ stepUp: token });
}
