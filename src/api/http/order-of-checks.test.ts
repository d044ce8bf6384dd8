import { describe, expect, test } from 'vitest'
import type { Actor } from '../operation/actor.ts'
import { failure, forbidden, notFound } from '../operation/errors.ts'
import type { Operation } from '../operation/operation.ts'
import { t } from '../operation/parameters/params.ts'
import type { RequestInfo } from '../operation/request.ts'
import type { Subject } from '../operation/subject.ts'
import { demoServer, echo } from '../testing.ts'

/** The path says what is wrong with the thing: absent, with its feature off, or not for this caller. */
const thing: Subject<string, 'public' | 'read' | 'administrate'> = {
  name: 'thing',
  opensToAnonymous: (ability) => ability === 'public',
  administratorsOnly: (ability) => ability === 'administrate',
  async find(_platform: unknown, request: RequestInfo) {
    if (request.path.id?.includes('absent')) throw notFound('Thing')
    return request.path.id ?? ''
  },
  authorize(_actor: Actor, found: string) {
    if (found.includes('off')) throw failure(404, '404 Feature Not Found')
    if (found.includes('forbidden')) throw forbidden()
  },
}

function operations(): Operation[] {
  const common = {
    method: 'POST' as const,
    subject: thing,
    scopes: ['api'] as const,
    params: { title: t.required(t.string()) },
    run: async () => {
      throw failure(418, 'ran')
    },
  }
  return [
    echo({ ...common, id: 'write', path: '/things/:id', allow: 'read' }),
    echo({ ...common, id: 'administrate', path: '/administration/:id', allow: 'administrate' }),
    echo({
      ...common,
      id: 'numbered',
      path: '/things/:id/parts/:thing_id',
      allow: 'read',
      params: { thing_id: t.id(), ...common.params },
    }),
    echo({ ...common, id: 'open', path: '/open/:id', allow: 'public' }),
  ]
}

type Request = {
  throttled?: boolean
  method?: string
  path?: string
  query?: string
  body?: unknown
  token?: string
  sudo?: string
  type?: string
}

async function answerTo(request: Request): Promise<string> {
  const throttle = { name: 'throttle_authenticated_api', requests: 1, periodSeconds: 60 }
  await using demo = demoServer(operations(), {
    throttle: async () =>
      request.throttled ? { throttle, observed: 2, resetsAtSeconds: 60, nowSeconds: 0 } : undefined,
  })
  const { method = 'POST', path = '/things/5', query = '', body = {}, token, sudo, type } = request
  const answer = await demo.send(method, `/api/v4${path}${query}`, body, {
    ...(token ? { 'PRIVATE-TOKEN': token } : {}),
    ...(sudo ? { Sudo: sudo } : {}),
    ...(type ? { 'content-type': type } : {}),
  })
  const { message, error } = answer.json() as { message?: string; error?: string }
  return `${answer.statusCode} ${typeof message === 'string' ? message : error}`
}

const textPlain = { body: 'text', type: 'text/plain' }
const malformed = { body: '[1', type: 'application/json' }

/** Each request fails at one step, and would fail at every later one as well. */
const ladder: [string, Request, string][] = [
  ['1 throttle', { throttled: true, path: '/nothing', ...textPlain, token: 'nope' }, '429 Retry later'],
  ['2 route', { path: '/nothing', ...malformed, token: 'nope' }, '404 404 Not Found'],
  ['2 method', { method: 'PATCH', path: '/things/absent', ...malformed, token: 'nope' }, '405 405 Method Not Allowed'],
  ['3 type', { ...textPlain, path: '/things/absent', token: 'nope' }, '415 415 Unsupported Media Type'],
  [
    '3 syntax',
    { ...malformed, path: '/things/absent', token: 'nope' },
    '400 400 Bad request - message body does not match declared format',
  ],
  ['4 credentials', { token: 'nope', sudo: 'nobody', path: '/things/absent' }, '401 401 Unauthorized'],
  [
    '5 sudo, unknown',
    { token: 'admin', sudo: 'nobody', path: '/things/absent' },
    "404 404 User with ID or username 'nobody' Not Found",
  ],
  [
    '5 sudo, not administrator',
    { token: 'registry', sudo: 'user', path: '/administration/absent' },
    '403 403 Forbidden - Must be admin to use sudo',
  ],
  ['5 sudo, anonymous user', { sudo: 'user', path: '/things/absent' }, '401 401 Unauthorized'],
  ['6 scope', { token: 'reader', path: '/administration/absent' }, '403 insufficient_scope'],
  ['7 authentication', { path: '/administration/absent' }, '401 401 Unauthorized'],
  ['8 administrator', { token: 'user', path: '/administration/absent' }, '403 403 Forbidden'],
  ['9 look-up', { token: 'user', path: '/things/absent-off-forbidden' }, '404 404 Thing Not Found'],
  ['9 look-up of the administrator', { token: 'admin', path: '/administration/absent' }, '404 404 Thing Not Found'],
  ['10 feature', { token: 'user', path: '/things/off-forbidden' }, '404 404 Feature Not Found'],
  ['11 role', { token: 'user', path: '/things/forbidden' }, '403 403 Forbidden'],
  ['12 parameters', { token: 'user' }, '400 400 (Bad request) "title" not given'],
  ['13 and on', { token: 'user', body: { title: 'a' } }, '418 ran'],
]

test.each(ladder)('%s', async (_step, request, expected) => {
  expect(await answerTo(request)).toBe(expected)
})

describe('errors that are found early are answered in order', () => {
  const contradiction = '?a=1&a[b]=2'

  test('a query that cannot be read comes after the throttle and the route', async () => {
    expect(await answerTo({ throttled: true, query: contradiction })).toBe('429 Retry later')
    expect(await answerTo({ path: '/nothing', query: contradiction })).toBe('404 404 Not Found')
    expect(await answerTo({ method: 'PATCH', query: contradiction })).toBe('405 405 Method Not Allowed')
    expect(await answerTo({ query: contradiction, token: 'nope' })).toBe('400 400 Bad request - invalid parameters')
  })

  test('a path that cannot be read comes after the throttle', async () => {
    expect(await answerTo({ throttled: true, path: '/things/%ff' })).toBe('429 Retry later')
  })

  test('a long line comes after the throttle and the route', async () => {
    const query = `?a=${'a'.repeat(17_000)}`
    expect(await answerTo({ throttled: true, query })).toBe('429 Retry later')
    expect(await answerTo({ path: '/nothing', query })).toBe('404 404 Not Found')
    expect(await answerTo({ query, ...malformed })).toBe('414 414 Request-URI Too Large')
  })

  test('an invalid number in the path is an error of the parameters', async () => {
    const path = '/things/forbidden/parts/x'
    expect(await answerTo({ path })).toBe('401 401 Unauthorized')
    expect(await answerTo({ path, token: 'nope' })).toBe('401 401 Unauthorized')
    expect(await answerTo({ path, token: 'user' })).toBe('403 403 Forbidden')
    expect(await answerTo({ path: '/things/5/parts/x', token: 'user' })).toBe('400 thing_id is invalid')
  })

  test('page numbers come with the parameters, after the role', async () => {
    expect(await answerTo({ path: '/things/forbidden', query: '?page=x', token: 'user' })).toBe('403 403 Forbidden')
  })
})

test('callers are not authenticated when no throttle needs it', async () => {
  const refused: string[] = []
  const throttle = { name: 'throttle_unauthenticated_api', requests: 1, periodSeconds: 60 }
  const seen: (Actor | undefined)[] = []
  await using demo = demoServer(operations(), {
    throttle: async (actor) => {
      seen.push(actor)
      return { throttle, observed: 2, resetsAtSeconds: 60, nowSeconds: 0 }
    },
    authenticator: {
      authenticate: async ({ text }) => {
        refused.push(text)
        throw failure(401, '401 Unauthorized')
      },
      impersonate: async () => null,
    },
  })
  const answer = await demo.send(
    'POST',
    '/api/v4/things/5',
    { private_token: 'in-the-body' },
    { 'PRIVATE-TOKEN': 'wrong' },
  )
  expect(answer.statusCode).toBe(429)
  // An invalid token counts as anonymous; the body was not read.
  expect(seen.every((actor) => actor === undefined || actor.kind === 'anonymous')).toBe(true)
  expect(refused).toEqual(['wrong'])
})

test('an operation with its own authentication has an anonymous actor', async () => {
  expect(await answerTo({ path: '/open/5', body: { title: 'a' } })).toBe('418 ran')
  expect(await answerTo({ path: '/open/absent' })).toBe('404 404 Thing Not Found')
  expect(await answerTo({ path: '/open/5', token: 'registry' })).toBe('403 insufficient_scope')
})
