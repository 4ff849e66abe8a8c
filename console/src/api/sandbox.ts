/** Calls the control port of the sandbox through the API, because the page may connect to its own origin only. */
async function callSandbox<Answer>(path: string, body: object): Promise<Answer> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

/** Pays test money to a deposit address of the sandbox. */
export const payTestDeposit = (address: string, amount: string): Promise<{ txHash: string }> =>
  callSandbox('/api/docs/sandbox/deposits', { address, amount });

/** Pays a withdrawal with test money, as the custody provider does. */
export const payTestWithdrawal = (to: string, amount: string): Promise<{ txHash: string }> =>
  callSandbox('/api/docs/sandbox/transfers', { to, amount });

/** Moves the clock of the sandbox and returns its time. */
export const letDaysPass = (days: number): Promise<{ now: string }> =>
  callSandbox('/api/docs/sandbox/clock', { days });
