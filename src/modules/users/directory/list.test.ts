import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../index.ts'
import { type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { basicMembers, changeUser, startWithAliceAndBob, usernamesOf } from '../testing.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

type Row = { id: number }

describe('the list of users', () => {
  test('shows all users to administrators and few fields to others', async () => {
    const forRoot = await server.root.get('/users?username=ALICE')
    expect(forRoot.body).toHaveLength(1)
    expect(forRoot.body[0]).toMatchObject({ username: 'alice', email: 'alice@example.com', is_admin: false })
    expect(forRoot.body[0]).not.toHaveProperty('sign_in_count')
    const forBob = await bob.get('/users?username=alice')
    expect(Object.keys(forBob.body[0]).join(' ')).toBe(basicMembers)
  })

  test('is limited to look-ups by username for anonymous users', async () => {
    const refused = await server.anonymous.get('/users')
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 403,
      body: { message: '403 Forbidden - Not authorized to access /api/v4/users' },
    })
    expect((await server.anonymous.get('/users?search=alice')).status).toBe(403)
    expect((await server.anonymous.get('/users?username=')).status).toBe(403)
    const found = await server.anonymous.get('/users?username=Alice')
    expect(found.status).toBe(200)
    expect(Object.keys(found.body[0]).join(' ')).toBe(basicMembers)
    expect((await server.anonymous.get('/users?username=nobody')).body).toEqual([])
  })

  test('is ordered newest first, in pages', async () => {
    const all = await server.root.get('/users?per_page=2')
    expect(all.headers.get('x-total')).toMatch(/^\d+$/)
    expect(all.headers.get('x-page')).toBe('1')
    const ids = all.body.map(({ id }: Row) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    expect(all.headers.get('link')).toContain('rel="next"')
    const far = await server.root.get('/users?page=502&per_page=100')
    expect(far.status).toBe(405)
    expect(far.body.error).toContain('objects of type User.')
  })

  test('finds partial matches, exact matches first', async () => {
    const ann = await server.user('ann')
    const joanna = await server.user('joanna')
    await changeUser(server, joanna.id, { name: 'Zoë 100%_\\' })
    expect(usernamesOf(await server.root.get('/users?search=ann'))).toEqual(['ann', 'joanna'])
    expect(usernamesOf(await bob.get('/users?search=ANN'))).toEqual(['ann', 'joanna'])
    expect(usernamesOf(await server.root.get('/users?search=an'))).toEqual([])
    expect(usernamesOf(await server.root.get('/users?search=100%25_'))).toEqual(['joanna'])
    expect(usernamesOf(await server.root.get('/users?search=%25%25%25'))).toEqual([])
    expect(usernamesOf(await server.root.get('/users?search=ann@example.com'))).toEqual(['ann'])
    expect(usernamesOf(await bob.get('/users?search=ann@example.com'))).toEqual([])
    await changeUser(server, ann.id, { public_email: 'ann@example.com' })
    expect(usernamesOf(await bob.get('/users?search=ann@example.com'))).toEqual(['ann'])
    expect(usernamesOf(await bob.get('/users?public_email=ann@example.com'))).toEqual(['ann'])
    expect(usernamesOf(await bob.get('/users?public_email=nn@example.com'))).toEqual([])
  })

  test('filters by properties of users', async () => {
    const blocked = await server.user('was-blocked')
    await server.root.post(`/users/${blocked.id}/block`)
    const outside = await server.user('outside')
    await changeUser(server, outside.id, { external: true })
    const owner = await server.user('has-project')
    await server.make.project('demo', owner)
    const { database } = server.app.platform
    const bot = await server.user('robot')
    await database.write((tx) =>
      tx.updateTable('users').set({ bot_kind: 'project_bot' }).where('id', '=', bot.id).execute(),
    )
    const ghost = await server.user('spook')
    await database.write((tx) =>
      tx.updateTable('users').set({ bot_kind: 'ghost' }).where('id', '=', ghost.id).execute(),
    )
    const asked = async (query: string, client = server.root as Person | typeof server.root) =>
      usernamesOf(await client.get(`/users?per_page=100&${query}`))
    expect(await asked('blocked=true')).toEqual(['was-blocked'])
    expect(await asked('blocked=true', bob)).toEqual([])
    expect(await asked('', bob)).not.toContain('was-blocked')
    expect(await asked('blocked=false')).toContain('alice')
    expect(await asked('active=true')).not.toContain('was-blocked')
    expect(await asked('active=true')).not.toContain('robot')
    expect(await asked('exclude_active=true')).toEqual(['was-blocked'])
    expect(await asked('external=true')).toEqual(['outside'])
    expect(await asked('exclude_external=true')).not.toContain('outside')
    expect(await asked('admins=true')).toEqual(['root'])
    expect(await asked('admins=true', bob)).toContain('alice')
    expect(await asked('humans=true')).not.toContain('robot')
    expect(await asked('exclude_humans=true')).toEqual(['spook', 'robot'])
    expect(await asked('exclude_internal=true')).not.toContain('spook')
    expect(await asked('exclude_internal=true')).toContain('robot')
    expect(await asked('without_project_bots=true')).not.toContain('robot')
    expect(await asked('without_projects=true')).not.toContain('has-project')
    expect(await asked('without_projects=true', bob)).toContain('has-project')
    expect(await asked('')).toContain('spook')
    expect(await asked('', bob)).not.toContain('spook')
    expect(await asked('two_factor=enabled')).toEqual([])
    expect(await asked('two_factor=disabled')).toContain('alice')
  })

  test('filters by the time of creation', async () => {
    clock.advance(86_400_000)
    await server.user('late')
    expect(usernamesOf(await server.root.get('/users?created_after=2026-03-02T06:00:00Z'))).toEqual(['late'])
    expect(usernamesOf(await server.root.get('/users?created_before=2026-03-01'))).toEqual([])
    expect(usernamesOf(await bob.get('/users?created_before=2026-03-01'))).toContain('late')
    const wrong = await server.root.get('/users?created_after=yesterday')
    expect(wrong).toMatchObject({ status: 400, body: { error: 'created_after is invalid' } })
  })

  test('finds users by identity, for administrators only', async () => {
    await changeUser(server, alice.id, { provider: 'ldapmain', extern_uid: 'cn=alice' })
    expect(usernamesOf(await server.root.get('/users?provider=ldapmain&extern_uid=cn%3Dalice'))).toEqual(['alice'])
    expect(usernamesOf(await server.root.get('/users?provider=other&extern_uid=cn%3Dalice'))).toEqual([])
    expect(usernamesOf(await server.root.get('/users?skip_ldap=true&per_page=100'))).not.toContain('alice')
    const half = await server.root.get('/users?provider=ldapmain')
    expect(half).toMatchObject({
      status: 400,
      body: { error: 'extern_uid, provider provide all or none of parameters' },
    })
    const refused = await bob.get('/users?provider=ldapmain&extern_uid=x')
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 403, body: { message: '403 Forbidden' } })
  })

  test('can be sorted by administrators', async () => {
    const up = usernamesOf(await server.root.get('/users?order_by=username&sort=asc&per_page=100'))
    expect(up).toEqual([...up].sort())
    const others = (await bob.get('/users?order_by=username&sort=asc&per_page=100')).body.map(({ id }: Row) => id)
    expect(others).toEqual([...others].sort((a, b) => a - b))
    const wrong = await bob.get('/users?order_by=foo')
    expect(wrong.status).toBe(400)
    expect(wrong.body).toEqual({
      message: { order_by: ['does not have a valid value'] },
      error: 'order_by does not have a valid value',
    })
    expect((await bob.get('/users?sort=up')).body.error).toBe('sort does not have a valid value')
    expect((await bob.get('/users?active=perhaps')).body.error).toBe('active is invalid')
  })

  test.each([
    ['id', 'asc'],
    ['id', 'desc'],
    ['name', 'asc'],
    ['username', 'desc'],
    ['created_at', 'desc'],
    ['updated_at', 'asc'],
  ])('can be walked by keyset along %s %s', async (orderBy, sort) => {
    const query = `order_by=${orderBy}&sort=${sort}`
    const whole = (await server.root.get(`/users?${query}&per_page=100`)).body.map(({ id }: Row) => id)
    const walked: number[] = []
    let path: string | undefined = `/users?pagination=keyset&${query}&per_page=3`
    while (path !== undefined) {
      const answer = await server.root.get(path)
      expect(answer.headers.get('x-total')).toBeNull()
      walked.push(...answer.body.map(({ id }: Row) => id))
      path = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
      expect(walked.length).toBeLessThanOrEqual(whole.length)
    }
    expect(walked).toEqual(whole)
  })

  test('rejects invalid cursors', async () => {
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const wrong = [
      'nonsense',
      cursor(['a']),
      cursor([1.5]),
      cursor([1, 2]),
      cursor({ id: 1 }),
      cursor([2 ** 60]),
      cursor([]),
    ]
    for (const text of wrong) {
      const { status, body } = await server.root.get(`/users?pagination=keyset&order_by=id&cursor=${text}`)
      expect({ text, status, body }).toEqual({
        text,
        status: 400,
        body: { message: '400 Bad request - invalid cursor' },
      })
    }
    const bad = cursor(['yesterday', 1])
    expect((await server.root.get(`/users?pagination=keyset&order_by=created_at&cursor=${bad}`)).status).toBe(400)
    const zero = cursor(['a\u0000', 1])
    expect((await server.root.get(`/users?pagination=keyset&order_by=name&cursor=${zero}`)).status).toBe(400)
    const foreign = cursor([3])
    expect((await bob.get(`/users?pagination=keyset&order_by=name&cursor=${foreign}`)).status).toBe(200)
  })

  test('takes the same number of queries for two users and for twenty', async () => {
    for (let count = 0; count < 20; count += 1) await server.user(`many${count}`)
    const queries = (path: string) => queriesOf(server, () => server.root.get(path))
    const few = await queries('/users?search=many&per_page=2')
    expect(await queries('/users?search=many&per_page=20')).toBe(few)
  })
})
