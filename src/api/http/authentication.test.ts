import { describe, expect, test } from 'vitest'
import { ApiError } from '../operation/errors.ts'
import { writing } from '../operation/scopes.ts'
import { instance } from '../operation/subject.ts'
import { type DemoServer, demoServer, echo, fakeAuthenticator, requestInfo } from '../testing.ts'
import { presentedToken } from './authentication.ts'

/** Says who came. */
const whoami = echo({
  path: '/whoami',
  run: async ({ actor }) => (actor.kind === 'user' ? { id: actor.userId, via: actor.credential.kind } : null),
})
const forJobs = echo({ id: 'jobs', path: '/job', jobToken: true, run: whoami.run })
const forTools = echo({ id: 'tools', path: '/tool', basic: true, jobToken: true, run: whoami.run })
const change = echo({ id: 'change', method: 'POST', path: '/whoami', run: whoami.run })

const user = '{"id":7,"via":"personal"}'
const job = '{"id":7,"via":"job"}'

function demo(): DemoServer & { asked: string[] } {
  const authenticator = fakeAuthenticator()
  const server = demoServer([whoami, forJobs, forTools, change], { authenticator })
  return Object.assign(server, { asked: authenticator.asked })
}

describe('a token can be sent', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['nowhere', '', {}, 'null'],
    ['in a header', '', { 'PRIVATE-TOKEN': 'user' }, user],
    ['in a header of any case', '', { 'Private-Token': 'user' }, user],
    ['as bearer', '', { Authorization: 'Bearer user' }, user],
    ['as bearer of any case', '', { Authorization: 'bEARER   user' }, user],
    ['in the query', '?private_token=user', {}, user],
    ['in the query, escaped', '?private%5Ftoken=%75ser', {}, user],
    ['in the query, as OAuth has it', '?access_token=user', {}, user],
    [
      'empty, which is nowhere',
      '?private_token=&access_token=',
      { 'PRIVATE-TOKEN': '', Authorization: 'Bearer ' },
      'null',
    ],
    ['as Basic, which is not for here', '', { Authorization: 'Basic dXNlcjp1c2Vy' }, 'null'],
    ['as deploy token, which is not for here', '', { 'Deploy-Token': 'user' }, 'null'],
    ['in a cookie, which is not for here', '', { Cookie: '_session=user; private_token=user' }, 'null'],
    ['for a job, where the operation takes no job tokens', '', { 'JOB-TOKEN': 'job' }, 'null'],
    ['for a job, in the query, where the operation takes none', '?job_token=job', {}, 'null'],
    ['as a list, which is no token', '?private_token[]=user', {}, 'null'],
  ])('%s', async (_name, query, headers, expected) => {
    await using server = demo()
    const answer = await server.get(`/api/v4/whoami${query}`, headers)
    expect([answer.statusCode, answer.body]).toEqual([200, expected])
  })

  test('in a body', async () => {
    await using server = demo()
    expect((await server.send('POST', '/api/v4/whoami', { private_token: 'user' })).body).toBe(user)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await server.send('POST', '/api/v4/whoami', 'private_token=user', form)).body).toBe(user)
    expect((await server.send('POST', '/api/v4/whoami', { private_token: 7 })).body).toBe('null')
  })

  test('in a body as OAuth has it: no, that is for the query', async () => {
    await using server = demo()
    expect((await server.send('POST', '/api/v4/whoami', { access_token: 'user' })).body).toBe('null')
  })

  test('by a job, where jobs may', async () => {
    await using server = demo()
    expect((await server.get('/api/v4/job', { 'JOB-TOKEN': 'job' })).body).toBe(job)
    expect((await server.get('/api/v4/job?job_token=job')).body).toBe(job)
  })
})

describe('by Basic, where that is taken', () => {
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test.each<[string, Record<string, string>, string]>([
    ['a token of a user, whatever the name', basic('anyone:user'), user],
    ['a token of a job', basic('gitlab-ci-token:job'), job],
    ['after the usual carriers', { ...basic('x:unknown'), 'PRIVATE-TOKEN': 'user' }, user],
    ['an empty one counts as absent', basic('x:'), 'null'],
    ['a malformed one counts as absent', { Authorization: 'Basic !' }, 'null'],
  ])('%s', async (_name, headers, expected) => {
    await using server = demo()
    const answer = await server.get('/api/v4/tool', headers)
    expect([answer.statusCode, answer.body]).toEqual([200, expected])
  })

  test('an unknown one is refused', async () => {
    await using server = demo()
    expect((await server.get('/api/v4/tool', basic('x:unknown'))).statusCode).toBe(401)
    const carrierOf = (text: string) =>
      presentedToken(requestInfo({ headers: { authorization: text } }), { basic: true })?.carrier
    expect([basic('gitlab-ci-token:a'), basic(':a')].map(({ Authorization }) => carrierOf(Authorization))).toEqual([
      'job',
      'private',
    ])
  })
})

describe('of several tokens', () => {
  test('the job token decides, then bearer, then the private one', () => {
    const headers = { 'job-token': 'j', authorization: 'Bearer b', 'private-token': 'p' }
    const presented = (...names: string[]) =>
      presentedToken(
        requestInfo({ headers: Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name))) }),
      )
    expect(presented('job-token', 'authorization', 'private-token')).toEqual({ carrier: 'job', text: 'j' })
    expect(presented('authorization', 'private-token')).toEqual({ carrier: 'bearer', text: 'b' })
    expect(presented('private-token')).toEqual({ carrier: 'private', text: 'p' })
    expect(presented()).toBeUndefined()
  })

  test.each<[string, string, Record<string, string>]>([
    ['bearer before private', '', { Authorization: 'Bearer nope', 'PRIVATE-TOKEN': 'user' }],
    ['query before private header', '?access_token=nope', { 'PRIVATE-TOKEN': 'user' }],
    ['header before query', '?private_token=user', { 'PRIVATE-TOKEN': 'nope' }],
  ])('there is no fallback: %s', async (_name, query, headers) => {
    await using server = demo()
    const answer = await server.get(`/api/v4/whoami${query}`, headers)
    expect([answer.statusCode, answer.body]).toEqual([401, '{"message":"401 Unauthorized"}'])
  })

  test('a job token hides the others where the operation takes no job tokens', async () => {
    await using server = demo()
    expect((await server.get('/api/v4/whoami', { 'JOB-TOKEN': 'job', 'PRIVATE-TOKEN': 'user' })).body).toBe('null')
  })

  test('an empty one is absent', async () => {
    await using server = demo()
    const headers = { 'JOB-TOKEN': '', Authorization: 'Bearer', 'PRIVATE-TOKEN': 'user' }
    expect((await server.get('/api/v4/job', headers)).body).toBe(user)
    expect(server.asked.every((asked) => asked === 'private:user')).toBe(true)
  })
})

describe('an invalid token', () => {
  test.each<[string, Record<string, string>]>([
    ['/whoami', { 'JOB-TOKEN': 'nope' }],
    ['/whoami?job_token=nope', {}],
    ['/whoami', { 'JOB-TOKEN': 'nope', 'PRIVATE-TOKEN': 'user' }],
    ['/job', { 'JOB-TOKEN': 'nope' }],
  ])('an invalid job token is 401, whether or not the operation takes job tokens: %s %j', async (path, headers) => {
    await using server = demo()
    const answer = await server.get(`/api/v4${path}`, headers)
    expect([answer.statusCode, answer.body]).toEqual([401, '{"message":"401 Unauthorized"}'])
  })

  test.each(['nope', '__proto__', 'constructor', 'é', 'a'.repeat(8_000)])(
    '401 also on public operations: %s',
    async (token) => {
      await using server = demo()
      const answer = await server.get(`/api/v4/whoami?private_token=${encodeURIComponent(token)}`)
      expect([answer.statusCode, answer.body]).toEqual([401, '{"message":"401 Unauthorized"}'])
    },
  )

  test('is refused in the words of an operation that has its own', async () => {
    const refused = new ApiError('refused', 401, { errors: ['nope'] })
    const own = echo({ path: '/own', scopes: writing, refusedCredentials: () => refused })
    await using server = demoServer([own])
    for (const token of ['nope', 'expired', 'reader']) {
      const answer = await server.get('/api/v4/own', { 'PRIVATE-TOKEN': token })
      expect([token, answer.statusCode, answer.json()]).toEqual([token, 401, refused.body])
    }
    expect((await server.get('/api/v4/own', { 'PRIVATE-TOKEN': 'user' })).statusCode).toBe(200)
    expect((await server.get('/api/v4/own')).statusCode).toBe(200)
  })

  test('invalid UTF-8 is not a token', async () => {
    await using server = demo()
    expect((await server.get('/api/v4/whoami?private_token=%ff')).statusCode).toBe(401)
  })

  test('that has expired gives the reason', async () => {
    await using server = demo()
    const answer = await server.get('/api/v4/whoami', { 'PRIVATE-TOKEN': 'expired' })
    const description = 'Token is expired. You can either do re-authorization or token refresh.'
    expect([answer.statusCode, answer.body]).toEqual([
      401,
      `{"error":"invalid_token","error_description":"${description}"}`,
    ])
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    )
  })
})

describe('sudo', () => {
  const mustBeAdmin = '{"message":"403 Forbidden - Must be admin to use sudo"}'
  const noJob =
    '{"message":"403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo"}'

  test.each<[string, string | undefined, string, number, string]>([
    ['an anonymous user', undefined, 'user', 401, '{"message":"401 Unauthorized"}'],
    ['a wrong token', 'nope', 'user', 401, '{"message":"401 Unauthorized"}'],
    ['a user', 'user', 'root', 403, mustBeAdmin],
    ['a user as an unknown user', 'user', 'nobody', 403, mustBeAdmin],
    [
      'an administrator without the scope',
      'admin-without-sudo',
      'user',
      403,
      '{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the ' +
        'access token.","scope":"sudo"}',
    ],
    ['as an unknown user', 'admin', 'nobody', 404, `{"message":"404 User with ID or username 'nobody' Not Found"}`],
    ['as a user', 'admin', 'user', 200, user],
    ['as a user, in other letters', 'admin', 'USER', 200, user],
    ['as an id', 'admin', '7', 200, user],
    ['with an empty name, which is not sudo', 'admin', '', 200, '{"id":1,"via":"personal"}'],
  ])('%s', async (_name, token, target, status, body) => {
    await using server = demo()
    const headers: Record<string, string> = token ? { 'PRIVATE-TOKEN': token } : {}
    const answers = [
      await server.get('/api/v4/whoami', { ...headers, Sudo: target }),
      await server.get(`/api/v4/whoami?sudo=${target}`, headers),
      await server.send('POST', '/api/v4/whoami', { sudo: target }, headers),
    ]
    for (const answer of answers) expect([answer.statusCode, answer.body]).toEqual([status, body])
  })

  test('a number in JSON is an id', async () => {
    await using server = demo()
    const answer = await server.send('POST', '/api/v4/whoami', { sudo: 7 }, { 'PRIVATE-TOKEN': 'admin' })
    expect(answer.body).toBe(user)
  })

  test.each(['job', 'admin-job'])('with a job token: %s', async (token) => {
    await using server = demo()
    const answer = await server.get('/api/v4/job', { 'JOB-TOKEN': token, Sudo: 'user' })
    expect([answer.statusCode, answer.body]).toEqual([403, noJob])
  })

  test('later checks use the target user', async () => {
    const forAdministrators = echo({ subject: instance, allow: 'administrator' })
    await using server = demoServer([forAdministrators])
    const headers = { 'PRIVATE-TOKEN': 'admin' }
    expect((await server.get('/api/v4/things', headers)).statusCode).toBe(200)
    const answer = await server.get('/api/v4/things', { ...headers, Sudo: 'user' })
    expect([answer.statusCode, answer.body]).toEqual([403, '{"message":"403 Forbidden"}'])
  })

  test('the target is escaped in the message', async () => {
    await using server = demo()
    const target = `'"}</script>\u0007`
    const answer = await server.send('POST', '/api/v4/whoami', { sudo: target }, { 'PRIVATE-TOKEN': 'admin' })
    expect(answer.json()).toEqual({ message: `404 User with ID or username '${target}' Not Found` })
  })
})
