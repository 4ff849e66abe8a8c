import { useRef } from 'react';

/**
 * Sends requests with the `Idempotency-Key` of their intent: a request that is sent again with the same content has the same key,
 * so that it acts once; other content is another intent, and so is the same content after a success.
 */
export function useIntent(): <Sent>(content: unknown, send: (key: string) => Promise<Sent>) => Promise<Sent> {
  const keys = useRef(new Map<string, string>());
  return async (content, send) => {
    const name = JSON.stringify(content);
    const key = keys.current.get(name) ?? crypto.randomUUID();
    keys.current.set(name, key);
    const sent = await send(key);
    keys.current.clear(); // a success has changed what all the others would act on
    return sent;
  };
}
