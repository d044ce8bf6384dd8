import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { ghostUserId } from '../accounts/internal-users.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const notFound = { status: 404, body: { message: '404 User Not Found' } }
const short = ({ status, body }: { status: number; body: unknown }) => ({ status, body })

async function rowOf(id: number) {
  const { database } = server.app.platform
  return database.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

describe('deleting a user', () => {
  test('hides the user immediately, and frees its names', async () => {
    const user = await server.user('alice')
    await server.root.put(`/users/${user.id}`, { provider: 'p', extern_uid: '1', public_email: 'alice@example.com' })
    const answer = await server.root.delete(`/users/${user.id}`)
    expect(short(answer)).toEqual({ status: 204, body: '' })
    expect(short(await server.root.get(`/users/${user.id}`))).toEqual(notFound)
    expect(short(await server.root.delete(`/users/${user.id}`))).toEqual(notFound)
    expect(short(await server.root.put(`/users/${user.id}`, { name: 'x' }))).toEqual(notFound)
    expect(short(await server.root.post(`/users/${user.id}/block`))).toEqual(notFound)
    expect((await server.root.get('/users?username=alice')).body).toEqual([])
    expect((await server.root.get('/users?search=removed')).body).toEqual([])
    expect((await user.get('/user')).status).toBe(401)
    const again = { email: 'alice@example.com', name: 'Alice', username: 'alice', password: 'korrekt-horse-9' }
    const made = await server.root.post('/users', { ...again, provider: 'p', extern_uid: '1' })
    expect(made).toMatchObject({ status: 201, body: { username: 'alice', email: 'alice@example.com' } })
    await server.app.platform.jobs.drain()
    expect(await rowOf(user.id)).toBeUndefined()
    expect((await server.root.get('/users?username=alice')).body).toHaveLength(1)
  })

  test('deletes tokens, memberships and the namespace', async () => {
    const [user, owner] = [await server.user('bob'), await server.user('boss')]
    const group = await server.make.group('shared', owner)
    await server.make.member({ namespace: group }, user, 50)
    await server.root.put(`/users/${owner.id}`, { note: 'made by bob' })
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    const { read } = server.app.platform.database
    for (const table of ['access_tokens', 'members', 'identities', 'oauth_tokens'] as const) {
      expect(await read.selectFrom(table).select('id').where('user_id', '=', user.id).execute()).toEqual([])
    }
    expect(await read.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).execute()).toEqual([])
    expect(await read.selectFrom('routes').select('path_key').where('path_key', '=', 'bob').execute()).toEqual([])
    expect((await owner.get('/user')).status).toBe(200)
  })

  test('is refused for the sole owner of a group, unless with hard', async () => {
    const [user, other] = [await server.user('sole'), await server.user('other')]
    const parent = await server.make.group('sole-parent', user)
    const child = await server.make.group('sole-child', user, { parent })
    const refused = await server.root.delete(`/users/${user.id}`)
    expect(short(refused)).toEqual({
      status: 409,
      body: { message: 'User cannot be removed while is the sole-owner of a group' },
    })
    expect((await user.get('/user')).status).toBe(200)
    await server.make.member({ namespace: parent }, other, 40)
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(409)
    await server.make.member({ namespace: child }, other, 50)
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(409)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('members').set({ access_level: 50 }).where('namespace_id', '=', parent.id).execute(),
    )
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    expect(await rowOf(user.id)).toBeUndefined()
    const groups = await database.read
      .selectFrom('namespaces')
      .select('id')
      .where('id', 'in', [parent.id, child.id])
      .execute()
    expect(groups).toHaveLength(2)
  })

  test('deletes the groups without another owner, with hard', async () => {
    const user = await server.user('hardly')
    const group = await server.make.group('only-his', user)
    const form = await server.root.delete(`/users/${user.id}?hard_delete=true`)
    expect(form.status).toBe(204)
    await server.app.platform.jobs.drain()
    const { read } = server.app.platform.database
    expect(await rowOf(user.id)).toBeUndefined()
    expect(await read.selectFrom('namespaces').select('id').where('id', '=', group.id).execute()).toEqual([])
  })

  test('deletes personal projects, and frees their paths', async () => {
    const user = await server.user('maker')
    const project = await server.make.project('demo', user)
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(204)
    const { read } = server.app.platform.database
    const taken = await read.selectFrom('routes').select('path_key').where('path_key', 'like', 'maker%').execute()
    expect(taken).toEqual([])
    await server.app.platform.jobs.drain()
    expect(await read.selectFrom('projects').select('id').where('id', '=', project.id).execute()).toEqual([])
    expect(await rowOf(user.id)).toBeUndefined()
  })

  test('requires another administrator and an existing user', async () => {
    expect(short(await server.root.delete('/users/1'))).toEqual({ status: 409, body: { message: '409 Conflict' } })
    const user = await server.user('innocent')
    expect(short(await server.root.delete('/users/999999'))).toEqual(notFound)
    expect((await server.root.delete('/users/innocent')).status).toBe(404)
    expect((await server.root.delete(`/users/${user.id}?hard_delete=perhaps`)).body.error).toBe(
      'hard_delete is invalid',
    )
    const early = { headers: { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' } }
    const changed = await server.root.delete(`/users/${user.id}`, early)
    expect(short(changed)).toEqual({ status: 412, body: { message: '412 Precondition Failed' } })
    const invalid = { headers: { 'If-Unmodified-Since': 'nonsense' } }
    expect((await server.root.delete(`/users/${user.id}`, invalid)).status).toBe(204)
  })

  test('happens once for two concurrent requests, and retains an administrator', async () => {
    const user = await server.user('twice')
    const answers = await Promise.all([1, 2].map(() => server.root.delete(`/users/${user.id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
    const [one, two] = await Promise.all([server.user('admin1'), server.user('admin2')])
    for (const { id } of [one, two]) await server.root.put(`/users/${id}`, { admin: true })
    await server.root.put('/users/1', { admin: false })
    const both = await Promise.all([one.delete(`/users/${two.id}`), two.delete(`/users/${one.id}`)])
    expect(both.filter(({ status }) => status === 204)).toHaveLength(1)
    const { database } = server.app.platform
    await database.write((tx) => tx.updateTable('users').set({ is_admin: true }).where('id', '=', 1).execute())
  })
})

test('the ghost user cannot be deleted', async () => {
  const { platform } = server.app
  const ghostId = await platform.database.write((tx) => ghostUserId(platform, tx))
  expect(short(await server.root.delete(`/users/${ghostId}`))).toEqual({
    status: 403,
    body: { message: '403 Forbidden' },
  })
})
