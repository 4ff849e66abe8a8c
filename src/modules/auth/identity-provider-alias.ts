import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * The sign-in also stands under the identity provider's own name. For the whole application: a middleware that is
 * mounted on a path of its own can not send a request on to another.
 */
export function identityProviderAlias(name: string): RequestHandler {
  const alias = `/api/auth/${name}/login`;
  return (request: Request, _response: Response, next: NextFunction) => {
    if (request.path === alias) request.url = request.url.replace(alias, '/api/auth/idp/login');
    next();
  };
}
