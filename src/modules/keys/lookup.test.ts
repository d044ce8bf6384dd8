import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { addKey, ed25519Line } from './testing.ts'

const recordNotFound = { status: 404, body: { message: '404 Not found' } }
const keyNotFound = { status: 404, body: { message: '404 Key Not Found' } }
const malformed = { status: 400, body: { message: 'Failed to return the key' } }

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  person = await server.user('holder')
})
afterAll(() => server.stop())

const find = (fingerprint: string) => server.root.get(`/keys?fingerprint=${encodeURIComponent(fingerprint)}`)

/** A key whose SHA-256 fingerprint has a plus in it. */
async function keyWithPlus(): Promise<{ id: number; sha256: string; md5: string }> {
  const { database } = server.app.platform
  for (let index = 0; ; index++) {
    const { id } = await addKey(person, `plus ${index}`)
    const row = await database.read.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    if (row.fingerprint_sha256.includes('+')) return { id, sha256: row.fingerprint_sha256, md5: row.fingerprint_md5 }
  }
}

describe('a key of any kind', () => {
  test('of a user is shown with the user', async () => {
    const { id, key } = await addKey(person, 'of a person')
    const { status, body } = await server.root.get(`/keys/${id}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      ...['id', 'title', 'created_at', 'expires_at', 'last_used_at', 'usage_type', 'key', 'user'],
    ])
    expect(body).toMatchObject({ id, key, title: 'of a person', usage_type: 'auth_and_signing' })
    expect(body.user).toMatchObject({ id: person.id, username: 'holder', email: 'holder@example.com' })
    expect(Object.keys(body.user)).toEqual(Object.keys((await person.get('/user')).body))
  })

  test('of a machine is shown with its creator and its projects', async () => {
    const project = await server.make.project('deployed', person)
    const values = { title: 'machine', key: ed25519Line('machine'), can_push: true }
    const made = (await person.post(`/projects/${project.id}/deploy_keys`, values)).body
    const { body } = await server.root.get(`/keys/${made.id}`)
    expect(body.user.id).toBe(person.id)
    expect(body.deploy_keys_projects).toEqual([
      {
        id: expect.any(Number),
        deploy_key_id: made.id,
        project_id: project.id,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
        can_push: true,
      },
    ])
    expect((await find(made.fingerprint)).body).toEqual(body)
    expect((await find(made.fingerprint_sha256)).body).toEqual(body)
  })

  test('is found by either fingerprint', async () => {
    const { id, sha256, md5 } = await keyWithPlus()
    for (const text of [sha256, `${sha256}=`, md5, md5.toUpperCase(), `MD5:${md5}`]) {
      expect(await find(text)).toMatchObject({ status: 200, body: { id } })
    }
    const absent = md5.replace(/../, md5.startsWith('00') ? '01' : '00')
    expect(await find(absent)).toMatchObject(keyNotFound)
    expect(await find(`SHA256:${'A'.repeat(43)}`)).toMatchObject(keyNotFound)
    expect(await server.root.get(`/keys?fingerprint=${sha256}`)).toMatchObject(malformed)
  })

  test('is rejected when a parameter is invalid', async () => {
    for (const text of [
      '',
      'x',
      'SHA256:',
      `SHA256:${'A'.repeat(42)}`,
      `SHA256:${'A'.repeat(44)}`,
      '00:11',
      'é'.repeat(43),
    ]) {
      expect(await find(text), text).toMatchObject(malformed)
    }
    expect(await find(`${'0a:'.repeat(15)}0a:`)).toMatchObject(malformed)
    expect(await find('0a:'.repeat(1000))).toMatchObject(malformed)
    expect(await server.root.get('/keys')).toMatchObject({
      status: 400,
      body: { error: 'fingerprint is missing', message: '400 (Bad request) "fingerprint" not given' },
    })
    for (const id of ['0', '-1', '1.5', 'abc', '999999999999999', '99999999999999999999999']) {
      expect(await server.root.get(`/keys/${id}`), id).toMatchObject(recordNotFound)
    }
  })
})
