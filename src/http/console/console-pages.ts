import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { PUBLIC_FOREVER } from '../response/caching.js';
import { sendRepresentation } from '../response/content-coding.js';
import { routerPath } from '../request/request-target.js';
import { readPageFiles, type PageFile } from './page-files.js';

/** The built files are below this path, beside the routes of the console. */
const FILES = '/console/';
const HASHED = /^assets\//;
/** A path whose last part has an extension is that of a file; routes of the pages have none. */
const FILE_NAME = /\.\w+\/?$/;

/** The pages and their paths. With `hasRoutes` a page is also served at all paths below its own, which its script reads. */
const PAGES: readonly { path: string; file: string; hasRoutes: boolean }[] = [
  { path: '/', file: 'index.html', hasRoutes: false },
  { path: '/console', file: 'console.html', hasRoutes: true },
  { path: '/app', file: 'app.html', hasRoutes: true },
];

// The pages need no nonce: they have neither inline scripts nor inline styles.
const pageHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'require-trusted-types-for': ["'script'"],
      'trusted-types': ["'none'"],
    },
  },
});

/**
 * Middleware that serves the start page, the console and the users' page from memory, before all that serves the API: requests for
 * them are not counted, limited or queued. The router answers a missing asset with 404 in the envelope.
 */
export function consolePages(folder: URL, options: { sandbox: boolean }): RequestHandler {
  const files = readPageFiles(folder, options);
  return (request: Request, response: Response, next: NextFunction) => {
    const file = isRead(request) ? fileOf(request.path, files) : undefined;
    if (!file) return next();
    pageHelmet(request, response, (error?: unknown) => {
      if (error) return next(error);
      sendFile(response, file);
    });
  };
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

interface ServedFile extends PageFile {
  readonly isHashed: boolean;
}

function fileOf(requestPath: string, files: ReadonlyMap<string, PageFile>): ServedFile | undefined {
  if (FILE_NAME.test(requestPath)) {
    const name = requestPath.startsWith(FILES) ? requestPath.slice(FILES.length) : '';
    const asset = name.endsWith('.html') ? undefined : files.get(name);
    return asset && { ...asset, isHashed: HASHED.test(name) };
  }
  const path = routerPath(requestPath);
  const page = PAGES.find(
    ({ path: start, hasRoutes }) => path === start || (hasRoutes && path.startsWith(`${start}/`)),
  );
  const html = page && files.get(page.file);
  return html && { ...html, isHashed: false };
}

function sendFile(response: Response, { type, representations, isHashed }: ServedFile): void {
  response.set({ 'Cache-Control': isHashed ? PUBLIC_FOREVER : 'no-cache', 'Content-Type': type });
  sendRepresentation(response, representations);
}
