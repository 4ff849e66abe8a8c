import { AdminRoute, UserRoute, type RouteOptions } from '../../../http/auth/route.js';
import type { FactorOwner } from './factors.types.js';

/** The decorator of the routes that users and admins have alike, under `/api/user` and `/api/admin`. */
export function routeOf(type: FactorOwner['type']): (options: RouteOptions) => MethodDecorator {
  return type === 'user' ? UserRoute : (options) => AdminRoute(null, options);
}

/** Names the controller of admins `Admin…`: the ids of operations are made from the name of their controller. */
export function named<Controller extends object>(
  type: FactorOwner['type'],
  controller: Controller & { readonly name: string },
): Controller {
  const name = type === 'user' ? controller.name : `Admin${controller.name}`;
  return Object.defineProperty(controller, 'name', { value: name });
}
