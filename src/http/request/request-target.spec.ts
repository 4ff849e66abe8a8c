import { hasOneHost, routerPath } from './request-target.js';

describe('The path that the router compares', () => {
  it.each([
    ['/api/admin/reconciliations', '/api/admin/reconciliations'],
    ['/API/Admin/reconciliations/', '/api/admin/reconciliations'],
    ['/', '/'],
    // The router finds no route for these.
    ['/api//admin', '/api//admin'],
    ['/api/admin//', '/api/admin/'],
    ['/api/%61dmin', '/api/%61dmin'],
  ])('of %s is %s', (path, expected) => expect(routerPath(path)).toBe(expected));
});

describe('The header Host', () => {
  it.each([
    [['Host', 'x', 'Accept', '*/*'], true],
    [['Accept', 'host'], true], // HTTP/1.0
    [['Host', 'x', 'host', 'x'], false],
    [['HOST', 'x', 'Accept', '*/*', 'Host', 'y'], false],
  ])('occurs at most once in the raw headers %j: %s', (rawHeaders, expected) =>
    expect(hasOneHost({ rawHeaders: rawHeaders as string[] })).toBe(expected),
  );
});
