import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { DatabaseFull, ReferenceViolation } from '../../../infra/database/index.ts'
import { GitError } from '../../../infra/git/index.ts'
import { ObjectError } from '../../../infra/objects/index.ts'
import { Type } from '../../operation/schema.ts'
import { type DemoOptions, demoServer, echo, exchange } from '../../testing.ts'
import { requestTarget, type Service, withoutCredentials } from './server.ts'
import { unavailableWhile } from './starting.ts'

const secret = 'glpat-AbCdEfGhIjKlMnOpQrSt'
const defect = '{"message":"500 Internal Server Error"}'

test('a request that the client aborts is not a defect', async () => {
  await using demo = demoServer([echo({ method: 'POST', id: 'things.create' })])
  const socket = connect(await demo.listen(), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    'POST /api/v4/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"',
  )
  socket.destroy()
  await expect.poll(() => demo.logText()).toContain('request broken off')
  expect(demo.logged().filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test.each([
  ['an object storage that is unavailable', new ObjectError('unavailable', 'connect ECONNREFUSED 10.0.0.1:9000')],
  ['git that was killed', new GitError('interrupted', 'ECONNREFUSED by the process that runs git')],
])('%s is answered as an outage, without details', async (_what, outage) => {
  await using demo = demoServer([echo({ run: () => Promise.reject(outage) })])
  const answer = await demo.get('/api/v4/things')
  expect([answer.statusCode, answer.body]).toEqual([503, '{"message":"503 Service Unavailable"}'])
  expect(answer.headers['retry-after']).toBe('1')
  expect(demo.logged().filter(({ level }) => Number(level) >= 50)).toEqual([])
  expect(demo.logText()).toContain('ECONNREFUSED')
})

const failedWith = (code: string) => Object.assign(new Error(`${code}: /srv`), { code })
const gitSays = (stderr: string) => new GitError('command_failed', 'git failed', { stderr })

test.each([
  ['a full disk', failedWith('ENOSPC'), 507],
  ['a full quota', failedWith('EDQUOT'), 507],
  ['a full object storage', new ObjectError('storage_full', 'no'), 507],
  ['a full disk of the database', new DatabaseFull(new Error('database or disk is full')), 507],
  ['git on a full disk', gitSays('fatal: write error: No space left on device'), 507],
  ['a ref on a full disk', gitSays("fatal: cannot update ref 'refs/heads/a': couldn't write '/srv/a.lock'"), 507],
  ['a full disk behind another error', new Error('not stored', { cause: failedWith('ENOSPC') }), 507],
  ['no file descriptors', failedWith('EMFILE'), 503],
  ['no file descriptors in the system', failedWith('ENFILE'), 503],
  ['git without file descriptors', gitSays("fatal: unable to create '/srv/a': Too many open files"), 503],
  ['git that cannot be started', gitSays('spawn /usr/bin/git EMFILE'), 503],
  ['a read-only folder', failedWith('EROFS'), 503],
  ['a failing disk', failedWith('EIO'), 503],
  ['git on a read-only disk', gitSays("Unable to create '/srv/a.lock': Read-only file system"), 503],
])('%s is answered by the status that says so, without details', async (_what, error, status) => {
  await using demo = demoServer([echo({ run: () => Promise.reject(error) })])
  const answer = await demo.get('/api/v4/things')
  const text = status === 507 ? '507 Insufficient Storage' : '503 Service Unavailable'
  expect([answer.statusCode, answer.json()]).toEqual([status, { message: text }])
  expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined)
})

describe('a defect', () => {
  test('is answered without details, and logged once with all of them', async () => {
    const failing = echo({ run: () => Promise.reject(new Error('password of the database is hunter2')) })
    await using demo = demoServer([failing])
    const answer = await demo.get('/api/v4/things')
    expect([answer.statusCode, answer.body]).toEqual([500, defect])
    expect(JSON.stringify(answer.headers)).not.toContain('hunter2')
    const lines = demo.logged().filter((line) => JSON.stringify(line).includes('hunter2'))
    expect(lines).toEqual([
      expect.objectContaining({
        request_id: answer.headers['x-request-id'],
        operation: 'things.list',
        err: expect.objectContaining({ stack: expect.stringContaining('server.test') }),
      }),
    ])
  })

  test('is a deletion that a foreign key refuses; what was deleted meanwhile is 404', async () => {
    const violations = ['delete from things', 'insert into things'].map((text) => new ReferenceViolation('key', text))
    await using demo = demoServer([echo({ run: () => Promise.reject(violations.shift()) })])
    const refused = await demo.get('/api/v4/things')
    expect([refused.statusCode, refused.body]).toEqual([500, defect])
    const missing = await demo.get('/api/v4/things')
    expect([missing.statusCode, missing.json()]).toEqual([404, { message: '404 Not found' }])
    const levels = demo.logged().flatMap((line) => ('err' in (line as object) ? (line as { level: number }).level : []))
    expect(levels).toEqual([50, 40])
  })

  test.each<[string, () => unknown]>([
    ['no error', () => 'text'],
    ['nothing', () => undefined],
    ['an error with a status', () => Object.assign(new Error('x'), { status: 404, statusCode: 404, body: { x: 1 } })],
  ])('may throw %s', async (_name, make) => {
    await using demo = demoServer([echo({ run: () => Promise.reject(make()) })])
    const answer = await demo.get('/api/v4/things')
    expect([answer.statusCode, answer.body]).toEqual([500, defect])
  })

  test('is a 500 in every step', async () => {
    const broken = () => Promise.reject(new Error('broken'))
    const Thing = Type.Object({ id: Type.Integer() })
    const places: [ReturnType<typeof echo>, DemoOptions][] = [
      [echo(), { throttle: broken }],
      [echo(), { authenticator: { authenticate: broken, impersonate: broken } }],
      [echo({ subject: { ...echo().subject, find: broken } }), {}],
      [echo({ subject: { ...echo().subject, authorize: broken } }), {}],
      [echo({ result: [200, Thing], run: async () => ({ id: 'one' }) }), {}],
    ]
    for (const [operation, options] of places) {
      await using demo = demoServer([operation], options)
      const answer = await demo.get('/api/v4/things', { 'PRIVATE-TOKEN': 'user' })
      expect([answer.statusCode, answer.body]).toEqual([500, defect])
    }
  })

  test('after the first bytes closes the connection, so that a partial body is noticed', async () => {
    async function* body() {
      yield Buffer.from('the first part')
      throw new Error('broken')
    }
    const { Readable } = await import('node:stream')
    const streaming = echo({
      result: [200, { raw: true }],
      run: async () => ({ headers: { 'Content-Type': 'text/plain' }, body: Readable.from(body()) }),
    })
    await using demo = demoServer([streaming])
    const port = await demo.listen()
    const answer = await exchange(port, 'GET /api/v4/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(answer.body).not.toContain('\r\n0\r\n')
    // The server goes on.
    expect((await demo.get('/api/v4/nothing')).statusCode).toBe(404)
  })
})

describe('the log', () => {
  test('has one line per request, with few kinds of names', async () => {
    await using demo = demoServer([echo({ path: '/things/:id' })])
    await demo.get('/api/v4/things/5?a=1', { 'PRIVATE-TOKEN': 'user' })
    const lines = demo.logged().filter(({ msg }) => msg === 'request')
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/api/v4/things/5?a=1',
        status: 200,
        operation: 'things.list',
        user: 7,
        ms: expect.any(Number),
      }),
    ])
  })

  test.each<[string, string, Record<string, string>?]>([
    ['in a header', '', { 'PRIVATE-TOKEN': secret }],
    ['as bearer', '', { Authorization: `Bearer ${secret}` }],
    ['as Basic', '', { Authorization: `Basic ${secret}` }],
    ['for a job', '', { 'JOB-TOKEN': secret }],
    ['in the query', `?private_token=${secret}`],
    ['in the query, among others', `?a=1&access_token=${secret}&b=2`],
    ['in the query, for a job', `?job_token=${secret}`],
    ['in the query, in other letters', `?PRIVATE_TOKEN=${secret}`],
    ['in the query, with an escaped name', `?private%5Ftoken=${secret}`],
    ['in the query, with a wholly escaped name', `?%70%72ivate_token=${secret}`],
    ['in the query, behind a second question mark', `?a=?&private_token=${secret}`],
  ])('never has a credential: %s', async (_name, query, headers = {}) => {
    await using demo = demoServer([
      echo({ jobToken: true }),
      echo({ id: 'defect', path: '/defect', run: () => Promise.reject(new Error('broken')) }),
    ])
    await demo.get(`/api/v4/things${query}`, headers)
    await demo.get(`/api/v4/defect${query}`, headers)
    await demo.get(`/api/v4/nothing${query}`, headers)
    await demo.get(`/api/v4/things/%ff${query}`, headers)
    expect(demo.logged().length).toBeGreaterThanOrEqual(3)
    expect(demo.logText()).not.toContain(secret)
  })

  test('never has a credential of a body', async () => {
    await using demo = demoServer([echo({ method: 'POST', run: () => Promise.reject(new Error('broken')) })])
    await demo.send('POST', '/api/v4/things', { private_token: secret, password: secret })
    await demo.send('POST', '/api/v4/things', `private_token=${secret}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(demo.logText()).not.toContain(secret)
  })

  test('keeps the rest of the address', () => {
    expect(withoutCredentials('/x?a=1&private_token=s&b=%20&c=d?e')).toBe('/x?a=1&private_token=[masked]&b=%20&c=d?e')
    expect(withoutCredentials('/private_token=s')).toBe('/private_token=s')
    expect(
      withoutCredentials('/x?pass%77ord=s&user[password]=s&import_url=s&client_secret=s&refresh_token=s&q=a'),
    ).toBe(
      '/x?pass%77ord=[masked]&user[password]=[masked]&import_url=[masked]&client_secret=[masked]&refresh_token=[masked]&q=a',
    )
  })
})

describe('malformed requests', () => {
  test.each([
    'GET /api/v4/things HTTP/1.1\r\n\r\n',
    'GARBAGE\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'GET  HTTP/1.1\r\n\r\n',
  ])('do not end the server: %j', async (request) => {
    await using demo = demoServer([echo()])
    const port = await demo.listen()
    const { status } = await exchange(port, request)
    expect(status).toBe(400)
    expect((await demo.get('/api/v4/things')).statusCode).toBe(200)
  })

  test('a client that disconnects aborts the signal', async () => {
    const gone = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const waiting = echo({
      run: async ({ request }) => {
        request.signal.addEventListener('abort', () => gone.resolve())
        started.resolve()
        await gone.promise
        return {}
      },
    })
    await using demo = demoServer([waiting])
    const port = await demo.listen()
    const controller = new AbortController()
    const sent = fetch(`http://127.0.0.1:${port}/api/v4/things`, { signal: controller.signal }).catch(() => 'gone')
    await started.promise
    controller.abort()
    expect(await sent).toBe('gone')
    await gone.promise
  })
})

test('the first service that knows the path answers', async () => {
  await using demo = demoServer([], {
    services: ['first', 'second'].map((name) => ({
      async handle(request, reply) {
        if (request.url === '/second' && name === 'first') return false
        reply.send(name)
        return true
      },
    })),
  })
  expect([(await demo.get('/first')).body, (await demo.get('/second')).body]).toEqual(['first', 'second'])
})

describe('the address of a request', () => {
  test.each([
    ['/api/v4/things', '/api/v4/things'],
    ['//api///v4//things//', '/api/v4/things/'],
    ['//api/v4/things?url=https://a//b', '/api/v4/things?url=https://a//b'],
    ['/api/v4/things?url=https://a//b', '/api/v4/things?url=https://a//b'],
    ['/api/v4/a%2F%2Fb//c', '/api/v4/a%2F%2Fb/c'],
    ['http://git.example//api/v4/things', '/api/v4/things'],
    ['http://git.example', '/'],
    ['https://git.example?a=//', '/?a=//'],
  ])('%s is %s', (sent, expected) => {
    expect(requestTarget(sent)).toBe(expected)
  })

  test('has an operation also where it has two slashes in a row; encoded slashes stay data', async () => {
    await using demo = demoServer([echo({ path: '/things/:name/parts' })])
    for (const url of ['/api/v4//things/a%2F%2Fb/parts', '//api/v4/things//a%2F%2Fb//parts/']) {
      const answer = await demo.get(url)
      expect([url, answer.statusCode]).toEqual([url, 200])
    }
    const port = await demo.listen()
    const request = 'GET http://git.example//api/v4/things/a//parts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    expect((await exchange(port, request)).status).toBe(200)
  })
})

describe('a method that no operation has', () => {
  test.each(['QUERY', 'TRACE', 'PROPFIND'])('%s is 405, also without a content type', async (method) => {
    await using demo = demoServer([echo()])
    const port = await demo.listen()
    for (const body of ['', 'Content-Length: 2\r\n']) {
      const head = `${method} /api/v4/things HTTP/1.1\r\nHost: x\r\n${body}Connection: close\r\n\r\n`
      const answer = await exchange(port, body === '' ? head : `${head}{}`)
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect(answer.body).toBe('{"error":"405 Not Allowed","message":"405 Method Not Allowed"}')
    }
  })
})

test('while the server starts every request is 503, but for the services before', async () => {
  let starting = true
  const monitoring: Service = {
    async handle(request, reply) {
      if (request.url !== '/-/liveness') return false
      reply.send('ok')
      return true
    },
  }
  await using server = demoServer([echo()], { before: [monitoring, unavailableWhile(() => starting)] })
  expect((await server.get('/-/liveness')).statusCode).toBe(200)
  for (const [method, url] of [
    ['GET', '/api/v4/things'],
    ['POST', '/api/v4/things'],
    ['GET', '/a/b.git/info/refs?service=git-upload-pack'],
    ['GET', '/'],
  ] as const) {
    const answer = await server.send(method, url)
    expect([answer.statusCode, answer.body]).toEqual([503, '{"message":"503 Service Unavailable"}'])
    expect(answer.headers['retry-after']).toBe('5')
  }
  starting = false
  expect((await server.get('/api/v4/things')).statusCode).toBe(200)
})
