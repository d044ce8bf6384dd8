import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PredicateUse } from '../../infra/database/index.ts'
import {
  type Answer,
  onPostgres,
  type Person,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { isMemberOf } from '../projects/index.ts'
import { listKeysOfProjects } from './store.ts'
import { addDeployKey, keyLine, makePublicKey } from './testing.ts'

const taken = { fingerprint_sha256: ['has already been taken'] }
const noneInCommon = { status: 403, body: { message: '403 Forbidden - No common authorized project found' } }
const userNotFound = { status: 404, body: { message: '404 User Not Found' } }

let server: TestServer
let maintainer: Person

beforeAll(async () => {
  server = await startTestServer()
  maintainer = await server.user('maintainer')
})
afterAll(() => server.stop())

const database = () => server.app.platform.database
const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

async function counted(ask: () => Promise<Answer>): Promise<{ queries: number; answer: Answer }> {
  return { queries: await queriesOf(server, ask), answer: await ask() }
}

describe('public keys', () => {
  test('are created by administrators, without a project', async () => {
    const values = { title: 'of all', key: keyLine('of all', 'comment'), expires_at: '2999-01-01' }
    const { status, body } = await server.root.post('/deploy_keys', values)
    expect(status).toBe(201)
    expect(Object.entries(body)).toEqual([
      ['id', expect.any(Number)],
      ['title', 'of all'],
      ['created_at', expect.stringMatching(/Z$/)],
      ['expires_at', '2999-01-01T00:00:00.000Z'],
      ['last_used_at', null],
      ['usage_type', 'auth_and_signing'],
      ['key', values.key],
      ['fingerprint', expect.any(String)],
      ['fingerprint_sha256', expect.any(String)],
      ['projects_with_write_access', []],
      ['projects_with_readonly_access', []],
    ])
    const again = { ...values, title: ' ' }
    const message = { ...taken, title: ["can't be blank"] }
    expect(await server.root.post('/deploy_keys', again)).toMatchObject({ status: 400, body: { message } })
  })

  test('are refused with their problems', async () => {
    const invalid = {
      key: ['type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK', 'is invalid'],
      fingerprint_sha256: ['cannot be generated'],
    }
    const garbage = await server.root.post('/deploy_keys', { title: 'a', key: 'ssh-ed25519 AAAA' })
    expect(garbage).toMatchObject({ status: 400, body: { message: invalid } })
    const past = { title: 'a', key: keyLine('past'), expires_at: '2020-01-01' }
    expect((await server.root.post('/deploy_keys', past)).body.message).toEqual({ key: ['has expired'] })
    expect((await server.root.post('/deploy_keys', {})).body.error).toBe('key is missing, title is missing')
  })

  test('are created once by concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const values = { title: 'race', key: keyLine(`public race ${round}`) }
      const answers = await Promise.all([1, 2, 3].map(() => server.root.post('/deploy_keys', values)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
      for (const { status, body } of answers) if (status === 400) expect(body).toEqual({ message: taken })
    }
  })

  test('require an administrator', async () => {
    const values = { title: 'a', key: keyLine('not mine') }
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
    expect(await maintainer.get('/deploy_keys')).toMatchObject(forbidden)
    expect(await maintainer.get('/deploy_keys?public=true')).toMatchObject(forbidden)
    expect(await maintainer.post('/deploy_keys', values)).toMatchObject(forbidden)
    expect(await server.anonymous.get('/deploy_keys')).toMatchObject(unauthorized)
    expect(await server.anonymous.post('/deploy_keys', values)).toMatchObject(unauthorized)
  })
})

describe('all deploy keys', () => {
  test('are listed with their projects', async () => {
    const namespace = await server.make.group('listed', maintainer)
    const one = await server.make.project('one', maintainer, { namespace })
    const two = await server.make.project('two', maintainer, { namespace })
    const hidden = await server.make.project('hidden', maintainer, { namespace })
    const key = await addDeployKey(maintainer, two, 'listed', { can_push: true })
    for (const project of [hidden, one]) await maintainer.post(`/projects/${project.id}/deploy_keys/${key.id}/enable`)
    const open = await makePublicKey(server, 'listed publicly')
    await maintainer.post(`/projects/${one.id}/deploy_keys/${open.id}/enable`)
    await database().write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', hidden.id).execute(),
    )
    const summary = ({ id, path, created_at }: { id: number; path: string; created_at: string }) => ({
      id,
      description: null,
      name: path,
      name_with_namespace: `listed / ${path}`,
      path,
      path_with_namespace: `listed/${path}`,
      created_at,
    })
    const { can_push: _, ...shown } = key
    const { body } = await server.root.get('/deploy_keys?per_page=100')
    expect(idsOf(body)).toEqual([...idsOf(body)].sort((a, b) => a - b))
    const found = body.find(({ id }: { id: number }) => id === key.id)
    expect(found).toEqual({
      ...shown,
      projects_with_write_access: [summary(two)],
      projects_with_readonly_access: [summary(one)],
    })
    const onlyPublic = (await server.root.get('/deploy_keys?public=true&per_page=100')).body
    expect(idsOf(onlyPublic)).toContain(open.id)
    expect(idsOf(onlyPublic)).not.toContain(key.id)
    expect(onlyPublic.find(({ id }: { id: number }) => id === open.id).projects_with_readonly_access).toEqual([
      summary(one),
    ])
    expect(idsOf((await server.root.get('/deploy_keys?public=false&per_page=100')).body)).toEqual(idsOf(body))
    expect((await server.root.get('/deploy_keys?public=perhaps')).body.error).toBe('public is invalid')
  })

  test('do not include the keys of users', async () => {
    const { body } = await maintainer.post('/user/keys', { title: 'own', key: keyLine('a person’s') })
    expect(idsOf((await server.root.get('/deploy_keys?per_page=100')).body)).not.toContain(body.id)
  })

  test('have pages, with the same number of queries for any number of keys', async () => {
    const project = await server.make.project('counted', maintainer)
    await addDeployKey(maintainer, project, 'counted')
    await makePublicKey(server, 'counted publicly')
    const few = await counted(() => server.root.get('/deploy_keys?per_page=2'))
    for (let index = 0; index < 18; index++) await addDeployKey(maintainer, project, `counted ${index}`)
    const many = await counted(() => server.root.get('/deploy_keys?per_page=100'))
    expect(many.queries).toBe(few.queries)
    expect(many.answer.headers.get('x-total')).toBe(String(many.answer.body.length))
    const second = await server.root.get('/deploy_keys?per_page=5&page=2')
    expect(second.body).toEqual(many.answer.body.slice(5, 10))
  })

  // PostgreSQL plans by statistics, and reads tables of a few rows without an index.
  test.skipIf(onPostgres)('are found through indexes', async () => {
    const plans: [query: string, index: string][] = [
      ["select * from keys where keys.kind = 'deploy' order by keys.id limit 21", 'keys_deploy'],
      ["select * from keys where keys.kind = 'deploy' and keys.public = true order by id limit 21", 'keys_'],
      ['select * from deploy_key_projects where project_id = 1 order by id limit 21', 'deploy_key_projects_order'],
      ['select * from deploy_key_projects where key_id = 1', 'deploy_key_projects_key'],
      ['select * from keys where owner_id = 1', 'keys_owner'],
    ]
    for (const [query, index] of plans) {
      const plan = sql<{ detail: string }>`explain query plan ${sql.raw(query)}`
      const { rows } = await plan.execute(database().read as never)
      const detail = rows.map((row) => row.detail).join()
      expect(detail).toContain(`INDEX ${index}`)
      expect(detail).not.toContain('TEMP B-TREE')
    }
  })
})

describe('the keys that two users share', () => {
  const pathOf = (user: string | number) => `/users/${user}/project_deploy_keys`

  test('are those of the projects that both maintain, each once, by id', async () => {
    const [one, two] = [await server.user('shares_one'), await server.user('shares_two')]
    const [both, onlyOne, lower] = [
      await server.make.project('both', one),
      await server.make.project('only', one),
      await server.make.project('lower', one),
    ]
    const namespace = await server.make.group('inherited', one)
    const inherited = await server.make.project('inherited', one, { namespace })
    await server.make.member({ project: both }, two, 40)
    await server.make.member({ project: lower }, two, 30)
    await server.make.member({ namespace }, two, 40)
    const key = await addDeployKey(one, both, 'both')
    const below = await addDeployKey(one, inherited, 'inherited')
    await one.post(`/projects/${inherited.id}/deploy_keys/${key.id}/enable`)
    const hers = await addDeployKey(one, onlyOne, 'only hers')
    const theirs = await addDeployKey(one, lower, 'a developer’s')
    const { can_push: _, ...shown } = key
    const answer = await two.get(pathOf('SHARES_one'))
    expect(answer.status).toBe(200)
    expect(answer.body[0]).toEqual(shown)
    expect(idsOf(answer.body)).toEqual([key.id, below.id])
    expect(answer.headers.get('x-total')).toBe('2')
    expect(idsOf((await one.get(pathOf(two.id))).body)).toEqual([key.id, below.id])
    expect(idsOf((await one.get(pathOf('shares_one'))).body)).toEqual([key.id, below.id, hers.id, theirs.id])
    expect(idsOf((await server.root.get(pathOf(two.id))).body)).toEqual([key.id, below.id])
    const second = await one.get(`${pathOf(one.id)}?per_page=3&page=2`)
    expect(idsOf(second.body)).toEqual([theirs.id])
  })

  test('are refused where there is no such project, and no such user', async () => {
    const [lonely, other] = [await server.user('lonely'), await server.user('other_lonely')]
    await server.make.project('own', other)
    expect(await lonely.get(pathOf(other.id))).toMatchObject(noneInCommon)
    expect(await lonely.get(pathOf(lonely.id))).toMatchObject(noneInCommon)
    expect((await other.get(pathOf('other_lonely'))).body).toEqual([])
    expect(await lonely.get(pathOf('nobody_at_all'))).toMatchObject(userNotFound)
    expect(await lonely.get(pathOf('99999999999999999999'))).toMatchObject(userNotFound)
    expect(await lonely.get(pathOf('a%00b'))).toMatchObject({ status: 400 })
    expect(await server.anonymous.get(pathOf(other.id))).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    await database().write((tx) =>
      tx.updateTable('users').set({ external: true }).where('id', '=', lonely.id).execute(),
    )
    expect(await lonely.get(pathOf(other.id))).toMatchObject(userNotFound)
  })

  test('may be read with a token for users', async () => {
    const person = await server.user('token_holder')
    await server.make.project('held', person)
    const reader = server.as(await server.make.token(person, ['read_user']))
    expect(await reader.get(pathOf(person.id))).toMatchObject({ status: 200, body: [] })
  })

  test('take the same number of queries for any number of keys', async () => {
    const person = await server.user('busy')
    const project = await server.make.project('busy', person)
    for (const seed of ['b0', 'b1']) await addDeployKey(person, project, seed)
    const few = await counted(() => person.get(`${pathOf(person.id)}?per_page=100`))
    for (let index = 2; index < 20; index++) {
      const more = await server.make.project(`busy${index}`, person)
      await addDeployKey(person, more, `b${index}`)
    }
    const many = await counted(() => person.get(`${pathOf(person.id)}?per_page=100`))
    expect(many.answer.body).toHaveLength(20)
    expect(many.queries).toBe(few.queries)
    // Of users with many roles, the projects with keys are tested: for counting all of them, and for a page one by one.
    const roles = { holder: { userId: person.id, today: '2026-01-01' }, loaded: null }
    const ways = (use: PredicateUse) => isMemberOf(database().read, roles, 40, use)
    const tested = { condition: ways('counts'), each: ways('tests'), isMany: true }
    const page = { kind: 'offset', page: 1, limit: 8, offset: 8 } as const
    const found = await listKeysOfProjects(database().read, tested, page as never)
    expect([idsOf(found.items), found.total]).toEqual([idsOf(many.answer.body).slice(8, 16), 20])
  })
})
