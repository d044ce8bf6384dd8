import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { queriesOf, temporaryDirectory } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import {
  addDeployKey,
  clock,
  keyLine,
  keyNotFound,
  keyOf,
  keyRow,
  keysOf,
  made,
  maintainer,
  makePublicKey,
  recordNotFound,
  serveForTests,
  server,
  start,
} from './testing.ts'

const typeIsForbidden = 'type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK'

serveForTests()

describe('a deploy key', () => {
  test('is added, shown, listed, changed and removed', async () => {
    const project = await made('first')
    const key = `  ${keyLine('first', 'me  & co')} \n`
    const created = await maintainer.post(keysOf(project), { key, title: ' Läptop ', can_push: 'true' })
    expect(created.status).toBe(201)
    expect(Object.entries(created.body)).toEqual([
      ['id', expect.any(Number)],
      ['title', ' Läptop '],
      ['created_at', start],
      ['expires_at', null],
      ['last_used_at', null],
      ['usage_type', 'auth_and_signing'],
      ['key', key.trim()],
      ['fingerprint', expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/)],
      ['fingerprint_sha256', expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/)],
      ['can_push', true],
    ])
    const path = keyOf(project, created.body)
    expect(await maintainer.get(path)).toMatchObject({ status: 200, body: created.body })
    expect((await maintainer.get(keysOf(project))).body).toEqual([created.body])
    const changed = await maintainer.put(path, { title: 'other', can_push: false, expires_at: '2020-01-01' })
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, title: 'other', can_push: false } })
    expect((await maintainer.get(path)).body).toEqual(changed.body)
    expect(await keyRow(created.body.id)).toMatchObject({ kind: 'deploy', user_id: null, owner_id: maintainer.id })
    expect(await maintainer.delete(path)).toMatchObject({ status: 204, body: '' })
    expect(await maintainer.delete(path)).toMatchObject(keyNotFound)
    expect(await maintainer.get(path)).toMatchObject(recordNotFound)
    expect(await maintainer.put(path, { can_push: true })).toMatchObject(recordNotFound)
    expect(await keyRow(created.body.id)).toBeUndefined()
  })

  test('has the fingerprints of ssh-keygen', async () => {
    await using folder = await temporaryDirectory()
    const project = await made('fingerprints')
    for (const [type, bits] of [
      ['ed25519', '256'],
      ['rsa', '2048'],
      ['ecdsa', '384'],
    ] as const) {
      const file = join(folder.path, type)
      execFileSync('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-C', 'a machine', '-f', file])
      const line = execFileSync('cat', [`${file}.pub`], { encoding: 'utf8' })
      const told = (hash: string) =>
        execFileSync('ssh-keygen', ['-l', '-E', hash, '-f', `${file}.pub`], { encoding: 'utf8' }).split(' ')[1]
      const { body } = await maintainer.post(keysOf(project), { title: type, key: line })
      expect(body.key).toBe(line.trim())
      expect(body.fingerprint_sha256).toBe(told('sha256'))
      expect(`MD5:${body.fingerprint}`).toBe(told('md5'))
      await writeFile(`${file}.pub`, `${body.key}\n`)
      expect(told('sha256')).toBe(body.fingerprint_sha256)
    }
  })

  test('can have an expiry', async () => {
    const project = await made('ending')
    const values = { title: 'a', key: keyLine('ending') }
    const expired = { status: 400, body: { message: { 'deploy_key.key': ['has expired'] } } }
    expect(await maintainer.post(keysOf(project), { ...values, expires_at: '2026-03-04' })).toMatchObject(expired)
    expect(await maintainer.post(keysOf(project), { ...values, expires_at: start })).toMatchObject(expired)
    const { status, body } = await maintainer.post(keysOf(project), { ...values, expires_at: '2026-03-05' })
    expect([status, body.expires_at]).toEqual([201, '2026-03-05T00:00:00.000Z'])
  })

  test('needs no expiry where keys of users need one', async () => {
    await server.root.put('/application/settings', { max_ssh_key_lifetime: 10 })
    try {
      const { expires_at } = await addDeployKey(maintainer, await made('ageless'), 'ageless')
      expect(expires_at).toBeNull()
    } finally {
      await server.root.put('/application/settings', { max_ssh_key_lifetime: null })
    }
  })

  test('is refused with all problems', async () => {
    const project = await made('refused')
    const key = keyLine('refused')
    const field = (name: string, ...texts: string[]) => ({ [`deploy_key.${name}`]: texts })
    const garbage = {
      ...field('key', typeIsForbidden, 'is invalid'),
      ...field('fingerprint_sha256', 'cannot be generated'),
    }
    const cases: [values: object, message: unknown][] = [
      [{ title: 'a', key: 'garbage' }, garbage],
      [{ title: 'a', key: `${key}\n${keyLine('another')}` }, garbage],
      [{ title: 'a', key: `command="x" ${key}` }, garbage],
      [{ title: 'a', key: ' ' }, field('key', "can't be blank")],
      [{ title: '', key }, field('title', "can't be blank")],
      [{ title: '𝒳'.repeat(256), key }, field('title', 'is too long (maximum is 255 characters)')],
      [{ title: 'a', key: 'x'.repeat(100_000) }, field('key', 'is too long (maximum is 5000 characters)')],
      [
        { title: ' ', key: 'garbage' },
        { ...garbage, ...field('title', "can't be blank") },
      ],
    ]
    for (const [values, message] of cases) {
      expect(await maintainer.post(keysOf(project), values)).toMatchObject({ status: 400, body: { message } })
    }
    const forms: [values: object, error: string][] = [
      [{}, 'key is missing, title is missing'],
      [{ title: 'a' }, 'key is missing'],
      [{ title: 'a', key, can_push: 'perhaps' }, 'can_push is invalid'],
      [{ title: 'a', key, expires_at: 'soon' }, 'expires_at is invalid'],
      [{ title: 'a\u0000', key }, 'title is invalid'],
      [{ title: ['a'], key: { ssh: 1 } }, 'key is invalid, title is invalid'],
    ]
    for (const [values, error] of forms) {
      expect(await maintainer.post(keysOf(project), values)).toMatchObject({ status: 400, body: { error } })
    }
    expect((await maintainer.get(keysOf(project))).body).toEqual([])
  })

  test('is addressed by a number', async () => {
    const project = await made('numbers')
    const path = `${keysOf(project)}/`
    const invalid = { status: 400, body: { error: 'key_id is invalid', message: { key_id: ['is invalid'] } } }
    expect(await maintainer.get(`${path}abc`)).toMatchObject(invalid)
    expect(await maintainer.put(`${path}1.5`, { can_push: true })).toMatchObject(invalid)
    expect(await maintainer.get(`${path}999999999999999999`)).toMatchObject(recordNotFound)
    expect(await maintainer.get(`${path}-1`)).toMatchObject(recordNotFound)
    expect(await maintainer.delete(`${path}0`)).toMatchObject(keyNotFound)
    expect(await maintainer.post(`${path}0/enable`)).toMatchObject(keyNotFound)
    const none = 'title, can_push are missing, at least one parameter must be provided'
    expect(await maintainer.put(`${path}0`, { expires_at: null })).toMatchObject({ status: 400, body: { error: none } })
  })

  test('requires the scope api to be removed', async () => {
    const project = await made('guarded')
    const key = await addDeployKey(maintainer, project, 'guarded')
    const reader = server.as(await server.make.token(maintainer, ['read_api']))
    expect((await reader.get(keysOf(project))).body).toEqual([key])
    expect((await reader.delete(keyOf(project, key))).body).toMatchObject({ error: 'insufficient_scope', scope: 'api' })
    expect((await server.root.get(keyOf(project, key))).body).toEqual(key)
  })

  test('retains its title when the caller does not maintain all its projects', async () => {
    const [project, other] = [await made('renaming'), await made('renaming_elsewhere')]
    const stranger = await server.user('stranger')
    await server.make.member({ project: other }, stranger, 40)
    const key = await addDeployKey(maintainer, project, 'renaming')
    await maintainer.post(`${keyOf(other, key)}/enable`)
    const kept = await stranger.put(keyOf(other, key), { title: 'hijacked', can_push: true })
    expect(kept).toMatchObject({ status: 200, body: { title: 'renaming', can_push: true } })
    expect((await maintainer.get(keyOf(project, key))).body).toEqual({ ...key, can_push: false })
    expect((await maintainer.put(keyOf(other, key), { title: 'mine' })).body.title).toBe('mine')
    expect((await server.root.put(keyOf(other, key), { title: 'root’s' })).body.title).toBe('root’s')
    const blank = { status: 400, body: { message: { 'deploy_key.title': ["can't be blank"] } } }
    expect(await maintainer.put(keyOf(project, key), { title: '  ', can_push: true })).toMatchObject(blank)
    expect(await maintainer.put(keyOf(project, key), { title: '' })).toMatchObject(blank)
    expect((await maintainer.get(keyOf(project, key))).body).toMatchObject({ title: 'root’s', can_push: false })
    const open = await makePublicKey(server, 'renaming a public one')
    await maintainer.post(`${keyOf(project, open)}/enable`)
    expect((await maintainer.put(keyOf(project, open), { title: 'hijacked' })).body.title).toBe(open.title)
    expect((await server.root.put(keyOf(project, open), { title: 'new' })).body.title).toBe('new')
  })

  test('respects If-Unmodified-Since', async () => {
    const project = await made('cautious')
    const key = await addDeployKey(maintainer, project, 'cautious')
    await clock.advance(60_000)
    await maintainer.put(keyOf(project, key), { can_push: true })
    const changed = clock.now()
    const since = (time: number) => ({ headers: { 'If-Unmodified-Since': new Date(time).toUTCString() } })
    expect(await maintainer.delete(keyOf(project, key), since(changed.getTime() - 2000))).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect((await maintainer.delete(keyOf(project, key), since(changed.getTime()))).status).toBe(204)
  })

  test('outlives the user who created it', async () => {
    const project = await made('orphaned')
    const maker = await server.user('maker')
    await server.make.member({ project }, maker, 40)
    const key = await addDeployKey(maker, project, 'orphaned')
    expect((await server.root.get(`/keys/${key.id}`)).body.user.username).toBe('maker')
    expect((await server.root.delete(`/users/${maker.id}`)).status).toBe(204)
    expect((await server.root.get(`/keys/${key.id}`)).body.user).toBeNull()
    await server.app.platform.jobs.drain()
    expect((await maintainer.get(keyOf(project, key))).body).toEqual(key)
    expect(await keyRow(key.id)).toMatchObject({ owner_id: null })
    expect((await server.root.get(`/keys/${key.id}`)).body.user).toBeNull()
  })
})

describe('a key that is removed from a project', () => {
  test('is removed from the rules of that project only', async () => {
    const [one, two] = [await made('ruled'), await made('ruled_elsewhere')]
    const key = await addDeployKey(maintainer, one, 'ruled', { can_push: true })
    await maintainer.post(`${keyOf(two, key)}/enable`)
    await maintainer.put(keyOf(two, key), { can_push: true })
    const namesKey = ({ body }: { body: { push_access_levels: { deploy_key_id?: number }[] } }) =>
      body.push_access_levels.some(({ deploy_key_id: id }) => id === key.id)
    const rulesOf = (project: ProjectRow) => `/projects/${project.id}/protected_branches`
    for (const project of [one, two]) {
      const rule = { name: 'release/*', allowed_to_push: [{ deploy_key_id: key.id }] }
      expect(await maintainer.post(rulesOf(project), rule)).toMatchObject({ status: 201 })
    }
    const rule = (project: ProjectRow) => maintainer.get(`${rulesOf(project)}/release%2F*`)
    expect(namesKey(await rule(one))).toBe(true)
    expect((await maintainer.delete(keyOf(one, key))).status).toBe(204)
    expect([namesKey(await rule(one)), namesKey(await rule(two))]).toEqual([false, true])
    expect((await maintainer.delete(keyOf(two, key))).status).toBe(204)
    expect(namesKey(await rule(two))).toBe(false)
    expect(await keyRow(key.id)).toBeUndefined()
  })
})

describe('the keys of a project', () => {
  test('are listed in the order in which they were added, with the same number of queries for any number of keys', async () => {
    const [project, other] = [await made('many'), await made('many_elsewhere')]
    const late = await addDeployKey(maintainer, other, 'made first, joined last')
    const list = () => maintainer.get(`${keysOf(project)}?per_page=100`)
    const counted = async () => {
      const queries = await queriesOf(server, list)
      return { queries, ids: (await list()).body.map(({ id }: { id: number }) => id) }
    }
    const ids: number[] = []
    for (const seed of ['m0', 'm1']) ids.push((await addDeployKey(maintainer, project, seed)).id)
    const few = await counted()
    for (let index = 2; index < 19; index++) ids.push((await addDeployKey(maintainer, project, `m${index}`)).id)
    await maintainer.post(`${keyOf(project, late)}/enable`)
    const many = await counted()
    expect(many).toEqual({ queries: few.queries, ids: [...ids, late.id] })
    const page = await maintainer.get(`${keysOf(project)}?per_page=8&page=3`)
    expect(page.body.map(({ id }: { id: number }) => id)).toEqual(many.ids.slice(16))
    expect(page.headers.get('x-total')).toBe('20')
  })
})
