import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { onPostgres, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { parseSshKey, sha256Fingerprint } from './format/ssh-key.ts'
import { keyByFingerprint, keyByMd5Fingerprint } from './store.ts'
import { addKey, dsaLine, ed25519Line, lineOf, rsaBlob, rsaModulus } from './testing.ts'

const start = '2026-03-04T05:06:07.890Z'
const typeIsForbidden = 'type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK'
const taken = { fingerprint_sha256: ['has already been taken'] }
const missingKey = { status: 404, body: { message: '404 Key Not Found' } }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start }) })
})
afterAll(() => server.stop())

const database = () => server.app.platform.database

/** What the caller hears of a key that is not taken, which also must not be stored. */
async function refusalOf(person: Person, values: object): Promise<unknown> {
  const before = (await person.get('/user/keys')).headers.get('x-total')
  const { status, body } = await person.post('/user/keys', values)
  expect(status, JSON.stringify(values).slice(0, 200)).toBe(400)
  expect((await person.get('/user/keys')).headers.get('x-total')).toBe(before)
  return body.message
}

describe('a key of the caller', () => {
  test('is added, shown, listed and removed', async () => {
    const user = await server.user('keeper')
    const line = ed25519Line('kept')
    const [type, base64 = ''] = line.split(' ')
    const values = { title: ' Läptop ', key: `  ${type}  ${base64.slice(0, 9)} ${base64.slice(9)}   me  & co \n` }
    const made = await user.post('/user/keys', values)
    expect(made.status).toBe(201)
    expect(Object.entries(made.body)).toEqual([
      ['id', expect.any(Number)],
      ['title', ' Läptop '],
      ['created_at', start],
      ['expires_at', null],
      ['last_used_at', null],
      ['key', `${line} me  & co`],
      ['usage_type', 'auth_and_signing'],
    ])
    const path = `/user/keys/${made.body.id}`
    expect(await user.get(path)).toMatchObject({ status: 200, body: made.body })
    expect((await user.get('/user/keys')).body).toEqual([made.body])
    expect(await user.delete(path)).toMatchObject({ status: 204, body: '' })
    expect(await user.delete(path)).toMatchObject(missingKey)
    expect(await user.get(path)).toMatchObject(missingKey)
    const again = await user.post(
      '/user/keys',
      new URLSearchParams({ title: 'form', key: line, usage_type: 'signing' }),
    )
    expect(again).toMatchObject({ status: 201, body: { key: line, usage_type: 'signing' } })
    expect(again.body.id).toBeGreaterThan(made.body.id)
  })

  test('is found by either fingerprint', async () => {
    const { id, key } = await addKey(await server.user('printed'), 'printed')
    const row = await keyByFingerprint(database().read, sha256Fingerprint(parseSshKey(key)?.blob ?? Buffer.alloc(0)))
    expect(row).toMatchObject({
      id,
      kind: 'user',
      type: 'ssh-ed25519',
      fingerprint_sha256: expect.stringMatching(/^SHA256:.{43}$/),
    })
    expect((await keyByMd5Fingerprint(database().read, row?.fingerprint_md5 ?? ''))?.id).toBe(id)
    expect(await keyByFingerprint(database().read, 'SHA256:')).toBeNull()
  })

  // PostgreSQL plans by statistics, and reads tables of a few rows without an index.
  test.skipIf(onPostgres)('is found by either fingerprint through an index', async () => {
    for (const column of ['fingerprint_sha256', 'fingerprint_md5']) {
      const plan = sql<{ detail: string }>`explain query plan select id from keys where ${sql.ref(column)} = 'x'`
      const { rows } = await plan.execute(database().read as never)
      expect(rows.map(({ detail }) => detail).join()).toContain('INDEX keys_fingerprint')
    }
  })

  test('may expire', async () => {
    const user = await server.user('ending')
    const values = { title: 'a', key: ed25519Line('ending') }
    const expired = { key: ['has expired'] }
    expect(await refusalOf(user, { ...values, expires_at: '2026-03-04' })).toEqual(expired)
    expect(await refusalOf(user, { ...values, expires_at: start })).toEqual(expired)
    expect(await refusalOf(user, { ...values, expires_at: 'soon' })).toEqual({ expires_at: ['is invalid'] })
    const made = await user.post('/user/keys', { ...values, expires_at: '2026-03-04T05:06:07.891Z' })
    expect(made).toMatchObject({ status: 201, body: { expires_at: '2026-03-04T05:06:07.891Z' } })
  })

  test('is limited by the maximum lifetime of the settings', async () => {
    const user = await server.user('short_lived')
    const values = { title: 'a', key: ed25519Line('short lived') }
    await server.root.put('/application/settings', { max_ssh_key_lifetime: 10 })
    try {
      expect(await refusalOf(user, values)).toEqual({ expires_at: ["can't be blank"] })
      expect(await refusalOf(user, { ...values, expires_at: '2026-03-14T05:06:07.891Z' })).toEqual({
        expires_at: ['must be before 2026-03-14'],
      })
      expect(await refusalOf(user, { ...values, expires_at: '2026-03-04' })).toEqual({ key: ['has expired'] })
      const made = await user.post('/user/keys', { ...values, expires_at: '2026-03-14T05:06:07.890Z' })
      expect(made.status).toBe(201)
    } finally {
      await server.root.put('/application/settings', { max_ssh_key_lifetime: null })
    }
  })

  test('has the type and the size that the settings ask for', async () => {
    const user = await server.user('restricted')
    const values = { title: 'a', key: ed25519Line('restricted') }
    await server.root.put('/application/settings', { ed25519_key_restriction: -1, rsa_key_restriction: 3072 })
    try {
      expect(await refusalOf(user, values)).toEqual({
        key: ['type is forbidden. Must be RSA, ECDSA, ECDSA_SK, or ED25519_SK'],
      })
      const small = lineOf(rsaBlob(65537n, rsaModulus(2048)))
      expect(await refusalOf(user, { ...values, key: small })).toEqual({ key: ['must be at least 3072 bits'] })
    } finally {
      await server.root.put('/application/settings', { ed25519_key_restriction: 0, rsa_key_restriction: 0 })
    }
    expect((await user.post('/user/keys', values)).status).toBe(201)
  })

  test('is rejected with all of its problems', async () => {
    const user = await server.user('refused')
    const line = ed25519Line('refused')
    const invalid = { key: [typeIsForbidden, 'is invalid'], fingerprint_sha256: ['cannot be generated'] }
    const tooLong = { key: ['is too long (maximum is 5000 characters)'] }
    const cases: [key: string, message: unknown][] = [
      ['', { key: ["can't be blank"] }],
      [' \n ', { key: ["can't be blank"] }],
      ['garbage', invalid],
      ['ssh-ed25519 AAAA', invalid],
      [`restrict ${line}`, invalid],
      [`${line}\n${ed25519Line('another')}`, invalid],
      ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----', invalid],
      [line.replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com'), invalid],
      [dsaLine, { key: [typeIsForbidden] }],
      [`${line} ${'x'.repeat(5000 - line.length)}`, tooLong],
      ['x'.repeat(100_000), tooLong],
      [line.replace(' ', ' \u0000'), { key: ['is invalid'] }],
    ]
    for (const [key, message] of cases)
      expect(await refusalOf(user, { title: 'a', key }), key.slice(0, 99)).toEqual(message)
    expect(await refusalOf(user, { title: ' ', key: 'garbage', expires_at: '2020-01-01' })).toEqual({
      key: [typeIsForbidden, 'is invalid', 'has expired'],
      fingerprint_sha256: ['cannot be generated'],
      title: ["can't be blank"],
    })
    expect(await refusalOf(user, { title: '𝒳'.repeat(256), key: line })).toEqual({
      title: ['is too long (maximum is 255 characters)'],
    })
    const longest = { title: '𝒳'.repeat(255), key: `${line} ${'é'.repeat(4999 - line.length)}` }
    expect(await user.post('/user/keys', longest)).toMatchObject({ status: 201, body: longest })
  })

  test('is rejected when a parameter is invalid', async () => {
    const user = await server.user('formal')
    const values = { title: 'a', key: ed25519Line('formal') }
    const cases: [values: object, error: string][] = [
      [{}, 'key is missing, title is missing'],
      [{ title: 'a' }, 'key is missing'],
      [{ key: values.key }, 'title is missing'],
      [{ ...values, usage_type: 'both' }, 'usage_type does not have a valid value'],
      [{ ...values, key: { ssh: 1 } }, 'key is invalid'],
      [{ ...values, title: ['a'] }, 'title is invalid'],
      [{ ...values, expires_at: '2026-02-30' }, 'expires_at is invalid'],
    ]
    for (const [given, error] of cases) {
      expect(await user.post('/user/keys', given)).toMatchObject({ status: 400, body: { error } })
    }
    expect((await user.post('/user/keys', {})).body).toEqual({
      message: '400 (Bad request) "key", "title" not given',
      error: 'key is missing, title is missing',
    })
    expect((await user.get('/user/keys')).body).toEqual([])
  })

  test('is not deleted when it is newer than If-Unmodified-Since', async () => {
    const user = await server.user('cautious')
    const { id } = await addKey(user, 'cautious')
    const headers = { 'If-Unmodified-Since': 'Wed, 04 Mar 2026 05:06:06 GMT' }
    expect(await user.delete(`/user/keys/${id}`, { headers })).toMatchObject({ status: 412 })
    const later = { 'If-Unmodified-Since': 'Wed, 04 Mar 2026 05:06:07 GMT' }
    expect((await user.delete(`/user/keys/${id}`, { headers: later })).status).toBe(204)
  })
})

describe('the same key', () => {
  test('is accepted once, for any user and with any comment', async () => {
    const user = await server.user('first_holder')
    const other = await server.user('second_holder')
    await addKey(user, 'held')
    const values = { title: 'b', key: ed25519Line('held', 'another comment') }
    expect(await refusalOf(user, values)).toEqual(taken)
    expect(await refusalOf(other, values)).toEqual(taken)
    expect(await refusalOf(other, { ...values, title: '', expires_at: '2020-01-01' })).toEqual({
      ...taken,
      key: ['has expired'],
      title: ["can't be blank"],
    })
    expect((await server.root.post(`/users/${other.id}/keys`, values)).body).toEqual({ message: taken })
  })

  test('is accepted once when two requests add it concurrently', async () => {
    const people = await Promise.all(['racer_a', 'racer_b'].map((name) => server.user(name)))
    for (let round = 0; round < 5; round++) {
      const values = { title: 'race', key: ed25519Line(`race ${round}`) }
      const answers = await Promise.all([...people, ...people].map((person) => person.post('/user/keys', values)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
      for (const { status, body } of answers) if (status === 400) expect(body).toEqual({ message: taken })
    }
  })

  test('is removed once when two requests remove it concurrently', async () => {
    const user = await server.user('remover')
    const { id } = await addKey(user, 'removed twice')
    const answers = await Promise.all([1, 2].map(() => user.delete(`/user/keys/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
  })
})
