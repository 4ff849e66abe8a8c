import { Controller, Get, Module, Post } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AdminRoute, PublicRoute, UserRoute } from './route.js';
import { RouteAudit } from './route-audit.js';

@Controller('api/things')
class Declared {
  @Get()
  @PublicRoute({ summary: 'Things' })
  list(): void {}

  @Get(['mine', 'own'])
  @UserRoute({ summary: 'My things' })
  mine(): void {}

  @Post(':id/take')
  @AdminRoute('withdrawals:approve', { summary: 'Takes a thing' })
  take(): void {}

  methodWithoutRoute(): void {}
}

@Controller(['api/unprotected', 'unprotected'])
class Unprotected {
  @Get('health')
  health(): void {}
}

function start(...controllers: (new () => object)[]) {
  @Module({ imports: [DiscoveryModule], providers: [RouteAudit], controllers })
  class TestModule {}
  return NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
}

it('lists every route with its access rule', async () => {
  const app = await start(Declared);
  const routes = app.get(RouteAudit).routes();
  expect(
    routes.map(({ method, path, rule }) => `${method} ${path} ${rule?.access} ${rule?.permission ?? '-'}`),
  ).toEqual([
    'GET /api/things none -',
    'GET /api/things/mine user -',
    'GET /api/things/own user -',
    'POST /api/things/:id/take admin withdrawals:approve',
  ]);
  await app.close();
});

it('stops the start-up and names the routes without an access rule [SEC-023]', async () => {
  await expect(start(Declared, Unprotected)).rejects.toThrow(
    /GET \/api\/unprotected\/health \(Unprotected\.health\), GET \/unprotected\/health \(Unprotected\.health\)/,
  );
});
