import { describe, expect, test } from 'vitest'
import { type Person, queriesOf } from '../../../testing/index.ts'
import {
  developer,
  help,
  lfs,
  maintainer,
  mediaType,
  outsider,
  owner,
  projectOfOwner,
  reporter,
  serveForTests,
  server,
} from '../testing.ts'

serveForTests()

const forbidden = (message = 'Access forbidden. Check your access level.') => ({
  status: 403,
  body: { message, ...help() },
})

const list = (person: Person | undefined, path: string, query = '') =>
  lfs.ask(person, `owner/${path}.git/info/lfs/locks${query}`)
const lock = (person: Person | undefined, path: string, body: unknown) =>
  lfs.ask(person, `owner/${path}.git/info/lfs/locks`, { body })
const verify = (person: Person | undefined, path: string, body: unknown = {}) =>
  lfs.ask(person, `owner/${path}.git/info/lfs/locks/verify`, { body })
const unlock = (person: Person | undefined, path: string, id: string, body: unknown = {}) =>
  lfs.ask(person, `owner/${path}.git/info/lfs/locks/${id}/unlock`, { body })

describe('a lock', () => {
  test('is created, listed and removed by its owner', async () => {
    await projectOfOwner('locked')
    const made = await lock(developer, 'locked', { path: 'dir/größe.bin', ref: { name: 'refs/heads/main' } })
    const expected = {
      id: expect.stringMatching(/^\d+$/),
      path: 'dir/größe.bin',
      locked_at: expect.stringMatching(/^\d{4}-.*Z$/),
      owner: { name: 'developer person' },
    }
    expect(made).toMatchObject({ status: 201 })
    expect(made.headers.get('content-type')).toBe(mediaType)
    expect(made.body).toEqual({ lock: expected })
    expect((await list(reporter, 'locked')).body).toEqual({ locks: [made.body.lock] })
    expect((await list(reporter, 'locked', `?path=${encodeURIComponent('dir/größe.bin')}`)).body.locks).toHaveLength(1)
    expect((await list(reporter, 'locked', '?path=dir')).body).toEqual({ locks: [] })
    expect((await list(reporter, 'locked', `?id=${made.body.lock.id}`)).body.locks).toHaveLength(1)
    for (const id of ['0', 'x', '-1', '9'.repeat(40)]) {
      expect((await list(reporter, 'locked', `?id=${id}`)).body).toEqual({ locks: [] })
    }
    const ended = await unlock(developer, 'locked', made.body.lock.id)
    expect(ended).toMatchObject({ status: 200, body: made.body })
    expect((await list(reporter, 'locked')).body).toEqual({ locks: [] })
    const gone = { status: 404, body: { message: 'Lock not found', ...help() } }
    expect(await unlock(developer, 'locked', made.body.lock.id)).toMatchObject(gone)
    for (const id of ['x', '0', '9'.repeat(30)]) expect(await unlock(developer, 'locked', id)).toMatchObject(gone)
  })

  test('can be created once', async () => {
    await projectOfOwner('contested')
    const people = [owner, maintainer, developer, owner, maintainer, developer]
    const answers = await Promise.all(people.map((person) => lock(person, 'contested', { path: 'one' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    const { lock: held } = answers.find(({ status }) => status === 201)?.body ?? {}
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toEqual({ lock: held, message: 'already locked', ...help() })
    }
  })

  test('belongs to the caller or to another user', async () => {
    await projectOfOwner('split')
    for (const [person, path] of [
      [developer, 'a'],
      [maintainer, 'b'],
      [developer, 'c'],
    ] as const) {
      await lock(person, 'split', { path })
    }
    const paths = ({ body }: { body: Record<string, { path: string }[]> }) =>
      [body.ours, body.theirs].map((locks) => locks?.map(({ path }) => path))
    expect(paths(await verify(developer, 'split'))).toEqual([['a', 'c'], ['b']])
    expect(paths(await verify(owner, 'split'))).toEqual([[], ['a', 'b', 'c']])
  })

  test('of another user can be removed only by maintainers, with force', async () => {
    await projectOfOwner('forced')
    const { id } = (await lock(developer, 'forced', { path: 'a/b' })).body.lock
    const held = `a/b is locked by GitLab User ${developer.id}`
    expect(await unlock(maintainer, 'forced', id)).toMatchObject(forbidden(held))
    expect(await unlock(maintainer, 'forced', id, { force: false })).toMatchObject(forbidden(held))
    const other = (await lock(maintainer, 'forced', { path: 'c' })).body.lock.id
    const needsMore = forbidden('You must have maintainer access to force delete a lock')
    expect(await unlock(developer, 'forced', other, { force: true })).toMatchObject(needsMore)
    expect((await unlock(maintainer, 'forced', id, { force: true })).status).toBe(200)
    expect((await list(developer, 'forced')).body.locks).toHaveLength(1)
  })

  test('belongs to one project', async () => {
    await projectOfOwner('here')
    await projectOfOwner('there')
    const { id } = (await lock(developer, 'here', { path: 'a' })).body.lock
    expect((await unlock(developer, 'there', id)).status).toBe(404)
    expect((await lock(developer, 'there', { path: 'a' })).status).toBe(201)
    expect((await list(developer, 'there', `?id=${id}`)).body).toEqual({ locks: [] })
  })

  test('is deleted with its owner', async () => {
    const made = await projectOfOwner('leaving')
    const leaver = await server.user('leaver')
    await server.make.member({ project: made }, leaver, 30)
    await lock(leaver, 'leaving', { path: 'a' })
    await server.root.delete(`/users/${leaver.id}`)
    await server.app.platform.jobs.drain()
    expect((await list(developer, 'leaving')).body).toEqual({ locks: [] })
  })
})

describe('access rights', () => {
  test('readers list locks, users with push access create and verify them', async () => {
    await projectOfOwner('roles')
    const { id } = (await lock(developer, 'roles', { path: 'a' })).body.lock
    expect((await list(reporter, 'roles')).status).toBe(200)
    expect((await list(outsider, 'roles')).status).toBe(404)
    expect((await list(undefined, 'roles')).status).toBe(401)
    for (const attempt of [
      (person?: Person) => lock(person, 'roles', { path: 'b' }),
      (person?: Person) => verify(person, 'roles'),
      (person?: Person) => unlock(person, 'roles', id, { force: true }),
    ]) {
      expect(await attempt(reporter)).toMatchObject(forbidden())
      expect((await attempt(outsider)).status).toBe(404)
      expect((await attempt()).status).toBe(401)
    }
    await projectOfOwner('public', 'public')
    expect((await list(undefined, 'public')).body).toEqual({ locks: [] })
    expect((await lock(undefined, 'public', { path: 'b' })).status).toBe(401)
    expect((await lock(outsider, 'public', { path: 'b' })).status).toBe(403)
  })
})

describe('a list of locks', () => {
  test('is paginated, in a constant number of queries', async () => {
    await projectOfOwner('pages')
    for (let number = 0; number < 20; number += 1) await lock(developer, 'pages', { path: `file ${number}` })
    const found: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await list(reporter, 'pages', `?limit=7${cursor ? `&cursor=${cursor}` : ''}`)
      expect(body.locks.length).toBeLessThanOrEqual(7)
      found.push(...body.locks.map(({ path }: { path: string }) => path))
      cursor = body.next_cursor
    } while (cursor !== undefined)
    expect(found).toEqual(Array.from({ length: 20 }, (_, number) => `file ${number}`))
    const first = (await verify(developer, 'pages', { limit: 5 })).body
    expect([first.ours.length, first.theirs.length]).toEqual([5, 0])
    const rest = (await verify(developer, 'pages', { cursor: first.next_cursor })).body
    expect([rest.ours.length, rest.next_cursor]).toEqual([15, undefined])
    const cost = (limit: number) => queriesOf(server, () => list(reporter, 'pages', `?limit=${limit}`))
    expect(await cost(20)).toBe(await cost(2))
  })

  test('ignores invalid parameters', async () => {
    await projectOfOwner('nonsense')
    await lock(developer, 'nonsense', { path: 'a' })
    for (const query of ['?limit=0', '?limit=-1', '?limit=x', '?limit=99999999', '?cursor=x', '?path=', '?id=']) {
      expect((await list(reporter, 'nonsense', query)).body.locks, query).toHaveLength(1)
    }
    const bad = [{}, { path: '' }, { path: ' ' }, { path: 7 }, { path: ['a'] }, { path: 'a\0b' }, { path: '\ud800' }]
    for (const body of [...bad, { path: 'x'.repeat(4097) }, []]) {
      expect((await lock(developer, 'nonsense', body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await lock(developer, 'nonsense', {})).body).toEqual({ message: 'path is missing', ...help() })
    expect((await lock(developer, 'nonsense', { path: 'x'.repeat(4096) })).status).toBe(201)
  })
})
