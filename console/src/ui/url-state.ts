import { useSearchParams } from 'react-router';

type Values<Defaults> = { [Name in keyof Defaults]: string };

/**
 * The filters, the sort and the page of a list, kept in the address: reload and back restore them. A value that equals its default
 * is left out, and a change of anything but the page leads to the first page. With `isTyped` back does not lead through the text
 * letter by letter. The last function returns the address after a change, for links.
 */
export function useUrlState<Defaults extends Record<string, string>>(
  defaults: Defaults,
): [
  Values<Defaults>,
  (changes: Partial<Values<Defaults>>, isTyped?: boolean) => void,
  (changes: Partial<Values<Defaults>>) => string,
] {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, params.get(name) ?? value]),
  ) as Values<Defaults>;
  const paramsAfter = (changes: Partial<Values<Defaults>>) => {
    const next = { ...values, ...('page' in changes ? {} : { page: '1' }), ...changes };
    const kept = Object.entries(next).filter(
      ([name, value]) => name in defaults && value !== defaults[name] && value !== '',
    );
    return new URLSearchParams(kept as [string, string][]);
  };
  return [
    values,
    (changes, isTyped = false) => setParams(paramsAfter(changes), { replace: isTyped }),
    (changes) => `?${paramsAfter(changes).toString()}`,
  ];
}
