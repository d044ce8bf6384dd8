import { describe, expect, test } from 'vitest'
import { type Client, httpUrl, projectWithTwoCommits } from '../../testing/index.ts'
import { people, server, serveTagsForTests, tags, work } from './testing.ts'

serveTagsForTests()

const create = (tag_name: unknown, ref: unknown = 'main', more: object = {}, client: Client = people.developer) =>
  client.post(tags, { tag_name, ref, ...more })
const tagAt = (name: string) => people.reporter.get(`${tags}/${encodeURIComponent(name)}`)
const remove = (name: string, client: Client = people.developer) => client.delete(`${tags}/${encodeURIComponent(name)}`)

describe('x.tags_create', () => {
  test('creates a tag at a branch, a tag, a full ref or a commit', async () => {
    const [main, before] = [await work.run('rev-parse', 'main'), await work.run('rev-parse', 'main~1')]
    expect(await create('light')).toMatchObject({
      status: 201,
      body: { name: 'light', message: '', target: main, commit: { id: main }, created_at: null, protected: false },
    })
    for (const [name, ref, id] of [
      ['from-tag', 'light', main],
      ['from-ref', 'refs/heads/main', main],
      ['from-oid', before, before],
      ['from-short', before.slice(0, 8), before],
      ['deep/ü', 'main', main],
    ] as const) {
      expect(await create(name, ref)).toMatchObject({ status: 201, body: { name, commit: { id } } })
      expect((await tagAt(name)).body.commit.id).toBe(id)
    }
  })

  test('creates an annotated tag with the caller as tagger', async () => {
    const main = await work.run('rev-parse', 'main')
    const made = await create('noted', 'main', { message: 'First\n\nLine' })
    expect(made).toMatchObject({ status: 201, body: { message: 'First\n\nLine', commit: { id: main } } })
    expect(made.body.target).not.toBe(main)
    expect(made.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    const address = httpUrl(server, people.reporter, work.project.full_path)
    await work.run('fetch', '--quiet', address, 'tag', 'noted')
    const object = await work.run('cat-file', 'tag', 'noted')
    expect(object).toContain('tagger developer person <developer@example.com> ')
    expect(await work.run('rev-parse', 'noted')).toBe(made.body.target)
    // A blank message makes no annotated tag. A tag of a tag is a tag of its commit.
    expect((await create('blank', 'noted', { message: ' \n' })).body).toMatchObject({ message: '', target: main })
  })

  test('reports invalid requests in the words of the contract', async () => {
    const refused = async (name: unknown, ref?: unknown) => {
      const { status, body } = await create(name, ref)
      expect([name, status]).toEqual([name, 400])
      return body
    }
    await create('v1.0')
    expect(await refused('v1.0')).toEqual({ message: 'Tag v1.0 already exists' })
    for (const name of [
      '',
      ' ',
      'a..b',
      '-x',
      'HEAD',
      '@',
      'a/',
      '/a',
      'a.lock',
      'a b',
      'a\nb',
      'a~1',
      'a:b',
      'x'.repeat(1_100),
    ]) {
      expect(await refused(name)).toEqual({ message: 'Tag name invalid' })
    }
    for (const ref of ['nope', '', '-x', 'main~1', 'main^{tree}', 'a..b', '@{-1}', ':README', 'f'.repeat(40)]) {
      expect(await refused('new', ref)).toEqual({ message: `Target ${ref} is invalid` })
    }
    expect(await refused('v1.0/sub')).toEqual({ message: "Tag name conflicts with existing tag 'v1.0'" })
    expect(await refused('a'.repeat(40))).toEqual({ message: 'You cannot create a tag with a prohibited pattern.' })
    expect(await refused('main')).toEqual({ message: 'You cannot use default branch name to create a tag' })
    expect((await people.developer.post(tags, {})).body).toMatchObject({ error: 'tag_name is missing, ref is missing' })
    expect(await refused('a\u0000b')).toMatchObject({ error: 'tag_name is invalid' })
    expect((await create('n', 'main', { message: 'a\u0000b' })).body.error).toBe('message is invalid')
    expect((await create({ a: 1 })).body.error).toBe('tag_name is invalid')
    expect((await tagAt('new')).status).toBe(404)
  })

  test('applies the rules that protect tags', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'guarded' })
    const path = `${own.base}/repository/tags`
    const rule = { name: 'v*', create_access_level: 40 }
    expect((await people.maintainer.post(`${own.base}/protected_tags`, rule)).status).toBe(201)
    const made = { tag_name: 'v2', ref: 'main' }
    expect(await people.developer.post(path, made)).toMatchObject({
      status: 400,
      body: { message: 'You are not allowed to create this tag as it is protected.' },
    })
    expect(await people.maintainer.post(path, made)).toMatchObject({ status: 201, body: { protected: true } })
    expect(await people.developer.delete(`${path}/v2`)).toMatchObject({
      status: 403,
      body: { message: "You don't have access to delete the tag" },
    })
    expect((await people.maintainer.delete(`${path}/v2`)).status).toBe(204)
  })

  test('creates one tag for concurrent requests', async () => {
    const answers = await Promise.all([create('twice'), create('twice', 'main', { message: 'x' }), create('twice')])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    for (const { status, body } of answers) {
      if (status === 400) expect(body).toEqual({ message: 'Tag twice already exists' })
    }
  })

  test('is refused while the repository is being moved, and in an empty one', async () => {
    const empty = await server.make.project('empty', people.owner)
    const made = { tag_name: 'v1', ref: 'main' }
    expect(await people.owner.post(`/projects/${empty.id}/repository/tags`, made)).toMatchObject({
      status: 400,
      body: { message: 'Target main is invalid' },
    })
    await using moved = await projectWithTwoCommits(server, { people, path: 'moved' })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('repositories').set({ read_only: true }).where('project_id', '=', moved.project.id).execute(),
    )
    expect(await people.developer.post(`${moved.base}/repository/tags`, made)).toMatchObject({
      status: 400,
      body: { message: 'The repository is temporarily read-only. Please try again later.' },
    })
  })
})

describe('x.tags_delete', () => {
  test('deletes a tag by its exact name', async () => {
    await create('gone/soon')
    expect(await remove('gone')).toMatchObject({ status: 404, body: { message: '404 Tag Not Found' } })
    expect(await remove('gone/soon')).toMatchObject({ status: 204, body: '' })
    expect(await remove('gone/soon')).toMatchObject({ status: 404, body: { message: '404 Tag Not Found' } })
    for (const name of ['main', '-x', '..', 'a b']) expect((await remove(name)).status).toBe(404)
  })

  test('does not delete a branch with the same name', async () => {
    await work.push(people.owner, 'main:refs/heads/same')
    await create('same')
    expect((await remove('same')).status).toBe(204)
    expect((await people.reporter.get(`${work.base}/repository/branches/same`)).status).toBe(200)
  })

  test('is refused when the tagged commit is newer than the caller allows', async () => {
    await create('kept')
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect(await people.developer.delete(`${tags}/kept`, { headers })).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect((await tagAt('kept')).status).toBe(200)
  })

  test('deletes once for concurrent requests', async () => {
    await create('racing')
    const answers = await Promise.all([remove('racing'), remove('racing'), remove('racing')])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    for (const status of statuses) expect([204, 400, 404]).toContain(status)
  })
})

describe('writing', () => {
  test('requires the scope api', async () => {
    const reader = server.as(await server.make.token(people.developer, ['read_api']))
    expect((await create('no', 'main', {}, reader)).body).toMatchObject({ error: 'insufficient_scope', scope: 'api' })
  })
})
