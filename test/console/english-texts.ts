import type { Page } from 'playwright-core';

// Finds English on German pages. The service writes some texts in English; the pages translate those that they know.

/** Common English words that no German text has. */
const WORDS = new Set(
  `the of is are and with for has have had been by to from this that these those it its there their they which who when where
   than then into only other each every any all more most no none yes not or on at as if be can cannot does done must should
   because until after before between without within about against again since while whose your you our we us
   amount balance deposit deposits withdrawal withdrawals transaction transactions user users account accounts address addresses
   entry entries growth yield fee fees value values day days hour hours minute minutes seconds month months year years
   unknown answers answer check checked checks failed failure paid pending processing completed rejected approved cancelled closed
   open active paused requested request requests reason missing newest oldest first change changed created kind number count
   total times time list state units unit principal invested available reserved accrued suspense revenue expense liabilities
   platform strategy risk low high steady booked credited received taken sent settled matched mismatch wrong long old new next`.split(
    /\s+/,
  ),
);

/** Reviewed: texts that fixtures enter as admins, and the name of an account in the books. */
const ALLOWED: ReadonlySet<string> = new Set(['By hand', 'No', 'suspense']);

interface Node_ {
  nodeType: number;
  textContent: string | null;
  childNodes: Iterable<Node_>;
  matches?(selector: string): boolean;
  getAttribute?(name: string): string | null;
}

/** Runs in the page: all its texts, also the hidden ones, without codes and elements that are marked as English. */
function textsOfPage(): string[] {
  const { document } = globalThis as unknown as { document: { body: Node_; title: string } };
  const texts = new Set<string>([document.title]);
  const collect = (node: Node_): void => {
    if (node.nodeType === 3) texts.add((node.textContent ?? '').trim());
    if (node.nodeType !== 1 || node.matches?.('script, style, code, pre, [lang="en"], [aria-hidden="true"]'))
      return;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description']) {
      const text = node.getAttribute?.(name) ?? '';
      if (name !== 'title' || text.includes(' ')) texts.add(text); // a title of one word is a code, such as that of a status
    }
    for (const child of node.childNodes) collect(child);
  };
  collect(document.body);
  return [...texts];
}

/** A word with a sign inside, such as `audit:read`, is a code. */
const isEnglish = (text: string): boolean =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^\P{L}+|\P{L}+$/gu, '').toLowerCase())
    .some((word) => WORDS.has(word)) && !ALLOWED.has(text);

/** The texts of the page that look English. */
export const englishTexts = async (page: Page): Promise<string[]> =>
  (await page.evaluate(textsOfPage)).filter(isEnglish);
