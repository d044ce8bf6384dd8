import { expect, test } from 'vitest'
import { demoServer, echo } from '../testing.ts'
import * as errors from './errors.ts'

/** Every kind of answer with its status, its body to the byte, and the headers of its own (contract 00, "Errors"). */
const catalogue: [string, errors.ApiError, number, string, Record<string, string>?][] = [
  ['a thing with a name', errors.notFound('Deploy key'), 404, '{"message":"404 Deploy key Not Found"}'],
  ['a thing without', errors.notFound(), 404, '{"message":"404 Not Found"}'],
  ['a record', errors.recordNotFound(), 404, '{"message":"404 Not found"}'],
  ['a route', errors.routeNotFound(), 404, '{"error":"404 Not Found","message":"404 Not Found"}'],
  ['an anonymous user', errors.unauthorized(), 401, '{"message":"401 Unauthorized"}'],
  [
    'a token that was revoked',
    errors.invalidToken('Token was revoked. You have to re-authorize from the user.'),
    401,
    '{"error":"invalid_token","error_description":"Token was revoked. You have to re-authorize from the user."}',
    {
      'www-authenticate':
        'Bearer realm="Protected by OAuth 2.0", error="invalid_token", ' +
        'error_description="Token was revoked. You have to re-authorize from the user."',
    },
  ],
  ['not allowed', errors.forbidden(), 403, '{"message":"403 Forbidden"}'],
  ['not allowed, why', errors.forbidden('No'), 403, '{"message":"403 Forbidden - No"}'],
  [
    'a scope',
    errors.insufficientScope(['api', 'read_api']),
    403,
    '{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the ' +
      'access token.","scope":"api read_api"}',
  ],
  ['a sentence', errors.failure(422, ['One', 'Two']), 422, '{"message":["One","Two"]}'],
  ['form D', errors.badRequest('why'), 400, '{"message":"400 Bad request - why"}'],
  ['form C', errors.invalid({ email: ['is invalid'] }), 400, '{"message":{"email":["is invalid"]}}'],
  ['a duplicate', errors.conflict(), 409, '{"message":"409 Conflict"}'],
  ['a duplicate, in words', errors.conflict('Taken'), 409, '{"message":"Taken"}'],
  [
    'an application limit',
    errors.tooManyRequests(0),
    429,
    '{"message":{"error":"This endpoint has been requested too many times. Try again later."}}',
    { 'retry-after': '1' },
  ],
  [
    'an application limit, in words',
    errors.tooManyRequests(59, 'Slowly.'),
    429,
    '{"message":{"error":"Slowly."}}',
    { 'retry-after': '59' },
  ],
  [
    'a moved project',
    errors.movedPermanently('https://git.example/api/v4/projects/1'),
    301,
    '{"message":"This resource has been moved permanently to https://git.example/api/v4/projects/1"}',
    { location: 'https://git.example/api/v4/projects/1' },
  ],
  [
    'a moved project, not to be read',
    errors.movedNotGet(),
    405,
    '{"message":"Non GET methods are not allowed for moved projects"}',
  ],
  [
    'a method',
    errors.methodNotAllowed(['GET', 'HEAD']),
    405,
    '{"error":"405 Not Allowed","message":"405 Method Not Allowed"}',
    { allow: 'GET, HEAD' },
  ],
  ['a change meanwhile', errors.preconditionFailed(), 412, '{"message":"412 Precondition Failed"}'],
  ['a large body', errors.tooLarge(), 413, '{"message":"413 Request Entity Too Large"}'],
  ['a long line', errors.uriTooLong(), 414, '{"message":"414 Request-URI Too Large"}'],
  [
    'a type',
    errors.unsupportedMediaType('text/plain'),
    415,
    `{"error":"The provided content-type 'text/plain' is not supported.","message":"415 Unsupported Media Type"}`,
  ],
  [
    'a malformed body',
    errors.malformedBody(),
    400,
    '{"error":"message body does not match declared format","message":"400 Bad request - message body does not match ' +
      'declared format"}',
  ],
  ['a defect', errors.internalError(), 500, '{"message":"500 Internal Server Error"}'],
  ['overload', errors.unavailable(), 503, '{"message":"503 Service Unavailable"}', { 'retry-after': '30' }],
]

test.each(catalogue)('%s', async (_name, error, status, body, headers = {}) => {
  await using demo = demoServer([echo({ run: () => Promise.reject(error) })])
  const answer = await demo.get('/api/v4/things')
  expect([answer.statusCode, answer.body]).toEqual([status, body])
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', 'access-control-allow-origin': '*', ...headers })
  expect(error.code).toMatch(/^[a-z0-9_]+$/)
})

test('errors have distinct codes', () => {
  const codes = catalogue.map(([, { code, status }]) => `${code} ${status}`)
  // Two wordings of one kind share a code.
  expect(new Set(codes).size).toBe(codes.length - 4)
})
