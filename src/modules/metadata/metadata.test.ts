import { describe, expect, test } from 'vitest'
import { unauthorized } from '../../api/index.ts'
import { demoServer, fakeAuthenticator, person } from '../../api/testing.ts'
import { metadata } from './index.ts'

const users = person({ scopes: ['read_user'] })
const authenticator = {
  ...fakeAuthenticator(),
  async authenticate(token: { carrier: 'job' | 'bearer' | 'private'; text: string }, ip: string) {
    if (token.text === 'users') return users
    return fakeAuthenticator().authenticate(token, ip)
  },
}

const server = (version = '17.7.0-ee') =>
  demoServer(metadata.operations, { authenticator, platform: { config: { version } } })

describe.each(['/version', '/metadata'])('GET %s', (name) => {
  const path = `/api/v4${name}`

  test('answers with version, revision and edition', async () => {
    await using demo = server()
    const response = await demo.get(path, { 'private-token': 'user' })
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        version: '17.7.0-ee',
        revision: expect.stringMatching(/^[0-9a-f]{11}$/),
        kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
        enterprise: true,
      },
    ])
    expect(response.json().version.split('.')).toHaveLength(3)
  })

  test('requires a token with a scope for reading', async () => {
    await using demo = server()
    const statusOf = async (token: string) => (await demo.get(path, { 'private-token': token })).statusCode
    expect(await Promise.all(['user', 'reader', 'users', 'registry', 'nobody'].map(statusOf))).toEqual([
      200, 200, 200, 403, 401,
    ])
    expect((await demo.get(path, { 'private-token': 'registry' })).json()).toMatchObject({
      error: 'insufficient_scope',
      scope: 'api read_api read_user',
    })
    const anonymous = await demo.get(path)
    expect([anonymous.statusCode, anonymous.json()]).toEqual([401, unauthorized().body])
  })
})

test('both paths report the configured version', async () => {
  await using demo = server('18.0.1')
  const [older, newer] = await Promise.all(
    ['/api/v4/version', '/api/v4/metadata'].map((path) => demo.get(path, { 'private-token': 'user' })),
  )
  expect(older?.body).toBe(newer?.body)
  expect(newer?.json()).toMatchObject({ version: '18.0.1', enterprise: false })
})

test('the revision differs between versions', async () => {
  const revisionOf = async (version: string) => {
    await using demo = server(version)
    return (await demo.get('/api/v4/version', { 'private-token': 'user' })).json().revision
  }
  expect(await revisionOf('17.7.0-ee')).not.toBe(await revisionOf('17.8.0-ee'))
})

test('other methods are answered with 405', async () => {
  await using demo = server()
  const response = await demo.send('PATCH', '/api/v4/version', undefined, { 'private-token': 'user' })
  expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
