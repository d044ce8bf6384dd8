import { describe, expect, test } from 'vitest'
import { unauthorized } from '../../api/index.ts'
import { demoServer, fakeAuthenticator, person } from '../../api/testing.ts'
import { defaultVersion, metadataOperations } from './index.ts'

const users = person({ scopes: ['read_user'] })
const authenticator = {
  ...fakeAuthenticator(),
  async authenticate(token: { carrier: 'job' | 'bearer' | 'private'; text: string }, ip: string) {
    if (token.text === 'users') return users
    return fakeAuthenticator().authenticate(token, ip)
  },
}

const server = (facts = {}) => demoServer(metadataOperations(facts), { authenticator })

describe.each(['/version', '/metadata'])('GET %s', (name) => {
  const path = `/api/v4${name}`

  test('tells the version and what goes with it', async () => {
    await using demo = server()
    const response = await demo.get(path, { 'private-token': 'user' })
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        version: defaultVersion,
        revision: expect.stringMatching(/^[0-9a-f]{11}$/),
        kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
        enterprise: true,
      },
    ])
    expect(response.json().version.split('.')).toHaveLength(3)
  })

  test('is for whoever is signed in, with a token that may read', async () => {
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

test('both names give the same, as configured', async () => {
  await using demo = server({ version: '18.0.1', revision: '0123456789a' })
  const [version, metadata] = await Promise.all(
    ['/api/v4/version', '/api/v4/metadata'].map((path) => demo.get(path, { 'private-token': 'user' })),
  )
  expect(version?.body).toBe(metadata?.body)
  expect(metadata?.json()).toMatchObject({ version: '18.0.1', revision: '0123456789a', enterprise: false })
})

test('the revision belongs to the version', async () => {
  const revisionOf = async (version: string) => {
    await using demo = server({ version })
    return (await demo.get('/api/v4/version', { 'private-token': 'user' })).json().revision
  }
  expect(await revisionOf('17.7.0-ee')).not.toBe(await revisionOf('17.8.0-ee'))
})

test('nothing but reading is known', async () => {
  await using demo = server()
  const response = await demo.send('PATCH', '/api/v4/version', undefined, { 'private-token': 'user' })
  expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
