import type { OpenAPIObject } from '@nestjs/swagger';
import { nameOperations } from './operation-ids.js';

const LIST = { allOf: [{ properties: { data: {}, pagination: {} } }] };

function namesOf(routes: Record<string, { operationId?: string; schema?: object }>): string[] {
  const operations = Object.entries(routes).map(([route, { operationId = '', schema = {} }]) => {
    const [method = '', path = ''] = route.split(' ');
    const responses = { 200: { content: { 'application/json': { schema } } } };
    return { method: method.toLowerCase(), path, operation: { operationId, responses } };
  });
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, operation } of operations) paths[path] = { ...paths[path], [method]: operation };
  nameOperations({ paths } as unknown as OpenAPIObject);
  return operations.map(({ operation }) => operation.operationId);
}

describe('nameOperations', () => {
  it('names reads and writes of a collection by the plural for lists, and by the singular for one resource', () => {
    expect(
      namesOf({
        'GET /api/user/addresses': { schema: LIST },
        'POST /api/user/addresses': {},
        'GET /api/user/addresses/{id}': {},
        'PUT /api/user/addresses/{id}': {},
        'DELETE /api/user/addresses/{id}': {},
        'HEAD /api/blockchain/status': {},
      }),
    ).toEqual([
      'listAddresses',
      'createAddress',
      'getAddress',
      'updateAddress',
      'deleteAddress',
      'getBlockchainStatusHeaders',
    ]);
  });

  it('reads the last segment of a write as its verb, and the segment before it as its object', () => {
    expect(
      namesOf({
        'POST /api/user/withdrawals/{id}/cancel': {},
        'POST /api/user/webhooks/{id}/rotate-secret': {},
        'PUT /api/admin/transaction-requests/{id}/assign': {},
        'POST /api/admin/transactions/generate': {},
      }),
    ).toEqual([
      'cancelWithdrawal',
      'rotateWebhookSecret',
      'assignTransactionRequest',
      'generateTransactions',
    ]);
  });

  it('ends the name of an admin operation with AsAdmin if an operation of users has the same name', () => {
    expect(
      namesOf({
        'GET /api/admin/deposits': { schema: LIST },
        'GET /api/user/deposits': { schema: LIST },
        'GET /api/admin/alerts': { schema: LIST },
      }),
    ).toEqual(['listDepositsAsAdmin', 'listDeposits', 'listAlerts']);
  });

  it('keeps the name that a route states, and rejects one that another operation has', () => {
    expect(namesOf({ 'PUT /api/user/investments/{id}': { operationId: 'moveInvestment' } })).toEqual([
      'moveInvestment',
    ]);
    expect(() => namesOf({ 'GET /api/a': { operationId: 'getB' }, 'GET /api/b': {} })).toThrow(
      '/api/a and /api/b have the same operationId getB',
    );
  });
});
