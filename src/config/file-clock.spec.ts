import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileClock } from './file-clock.js';

const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const file = join(folder, 'clock.json');
const clock = new FileClock(file);
const offset = () => Math.round((clock.now().getTime() - Date.now()) / 1000) + 0; // never -0

afterAll(() => rmSync(folder, { recursive: true }));

it('is real time until its file is there, and follows the file from then on', () => {
  expect(offset()).toBe(0);
  writeFileSync(file, JSON.stringify({ offsetMs: 86_400_000 }));
  expect(offset()).toBe(86_400);
  writeFileSync(file, JSON.stringify({ offsetMs: -1000 }));
  expect(offset()).toBe(-1);
});

it('does not guess the time when the file is broken', () => {
  writeFileSync(file, '{"offsetMs":');
  expect(() => clock.now()).toThrow(SyntaxError);
});
