import { useEffect, useRef, type RefObject } from 'react';

/** For a row of links that scrolls sideways on narrow screens: brings the link of the present screen into view. */
export function useCurrentInView(screen: string): RefObject<HTMLElement | null> {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = links.current;
    const current = row?.querySelector('[aria-current]');
    if (!row || !current) return;
    const [inner, outer] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [screen]);
  return links;
}
