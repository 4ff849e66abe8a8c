import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');

const blocksOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block]) => block as string);

/** The commands without here-documents and quoted texts. */
const withoutQuotes = (block: string): string =>
  block.replace(/<<'(\w+)'\n.*?^\1$/gms, '').replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '');

const commentsOf = (block: string): string[] => withoutQuotes(block).match(/(?<=^|\s)#.*/gm) ?? [];

// An interactive zsh takes # as an argument and an apostrophe after it as the start of a quoted text.
it('the commands in documents have no comments, so that they can be pasted into zsh', () => {
  const blocks = documents.flatMap((document) => blocksOf(readFileSync(document, 'utf8')));
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.flatMap(commentsOf)).toEqual([]);
});

it('the check reports a comment, but no # in a quoted text or a here-document', () => {
  const markdown =
    "```sh\nnpm start   # a comment\ncat <<'END'\n# text\nEND\necho '# text' \"# text\" a#b\n```\n";
  expect(blocksOf(markdown).flatMap(commentsOf)).toEqual(['# a comment']);
});
