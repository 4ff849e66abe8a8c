import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../common/durations.js';
import { FileClock } from './file-clock.js';

const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const file = join(folder, 'clock.json');
const clock = new FileClock(file);
const offset = () => Math.round((clock.now().getTime() - Date.now()) / 1000) + 0; // never -0

afterAll(() => rmSync(folder, { recursive: true }));

it('FileClock returns real time without its file, and real time plus the offset in the file otherwise', () => {
  expect(offset()).toBe(0);
  writeFileSync(file, JSON.stringify({ offsetMs: DAY_MS }));
  expect(offset()).toBe(86_400);
  writeFileSync(file, JSON.stringify({ offsetMs: -1000 }));
  expect(offset()).toBe(-1);
});

it('throws if the file is not valid JSON', () => {
  writeFileSync(file, '{"offsetMs":');
  expect(() => clock.now()).toThrow(SyntaxError);
});
