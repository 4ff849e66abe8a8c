import { listOf, text } from './readers.js';
import { setting } from './setting.js';

/** The letterhead of statements as a page or PDF. */
export const DOCUMENT_SETTINGS = {
  PLATFORM_NAME: setting(
    text,
    'Stablecoin investment platform',
    'name of the company in the letterhead of statements',
  ),
  PLATFORM_ADDRESS: setting(
    listOf(/^\P{C}{1,100}$/u, 'lines of an address'),
    [] as string[],
    'postal address in the letterhead of statements, its lines separated by commas',
  ),
} as const;
