import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskPath } from '../../../infra/git/index.ts'
import { repositoryOfSnippet } from '../../../platform/repositories/index.ts'
import { git, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeSnippet, makeSnippetPeople, pathsOf, type ShownSnippet, type SnippetPeople } from '../testing.ts'

let server: TestServer
let people: SnippetPeople
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  people = await makeSnippetPeople(server)
  owner = people.owner
})
afterAll(() => server.stop())

const put = ({ id }: ShownSnippet, body: unknown, who = owner) => who.put(`/snippets/${id}`, body)

/** Status and the text of the error of a refused change. */
async function refusal(snippet: ShownSnippet, body: unknown, who = owner) {
  const answer = await put(snippet, body, who)
  const { error, message } = answer.body
  return [answer.status, error ?? message?.error ?? message]
}

const read = async ({ id }: ShownSnippet, path: string) =>
  (await owner.get(`/snippets/${id}/files/main/${encodeURIComponent(path)}/raw`)).body

/** The messages of the commits, newest first, with the files after each. */
async function history({ id }: ShownSnippet): Promise<string[]> {
  const { database, git: storage } = server.app.platform
  const row = await repositoryOfSnippet(database.read, id)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  const { directory } = storage.repository({ storage: row.storage, diskPath: path })
  expect((await git(directory, 'fsck', '--strict')).code).toBe(0)
  return (await git(directory, 'log', '--format=%s|%an|%ae', 'main')).stdout.trim().split('\n')
}

const wrong = [422, 'Snippet actions have invalid data']

describe('changing the files of a snippet', () => {
  test('makes one commit of all actions', async () => {
    const snippet = await makeSnippet(owner, { 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' })
    const files = [
      { action: 'move', previous_path: 'a.txt', file_path: 'dir/a.txt' },
      { action: 'update', file_path: 'b.txt', content: 'B2' },
      { action: 'create', content: 'new' },
      { action: 'create', content: 'newer' },
      { action: 'delete', file_path: 'c.txt' },
    ]
    const { status, body } = await put(snippet, { files })
    expect([status, pathsOf(body), body.file_name]).toEqual([
      200,
      ['b.txt', 'dir/a.txt', 'snippetfile1.txt', 'snippetfile2.txt'],
      'b.txt',
    ])
    expect([await read(snippet, 'dir/a.txt'), await read(snippet, 'b.txt')]).toEqual(['A', 'B2'])
    const who = 'owner person|owner@example.com'
    expect(await history(snippet)).toEqual([`Update snippet|${who}`, `Initial commit|${who}`])
    expect(body.updated_at > snippet.updated_at).toBe(true)
    const moved = [{ action: 'move', previous_path: 'b.txt', file_path: 'z.txt', content: 'Z' }]
    expect((await put(snippet, { files: moved, title: 'New', description: 'D' })).body).toMatchObject({
      title: 'New',
      description: 'D',
      file_name: 'dir/a.txt',
    })
    expect(await read(snippet, 'z.txt')).toBe('Z')
  })

  test('makes no commit when the files stay the same', async () => {
    const snippet = await makeSnippet(owner, { 'a.txt': 'A', 'b.txt': 'B' })
    const same = [
      { action: 'update', file_path: 'a.txt', content: 'A' },
      { action: 'move', previous_path: 'b.txt', file_path: 'c.txt' },
      { action: 'move', previous_path: 'c.txt', file_path: 'b.txt' },
    ]
    expect((await put(snippet, { files: same })).status).toBe(200)
    expect((await put(snippet, { title: 'Other', visibility: 'internal', description: null })).status).toBe(200)
    expect(await history(snippet)).toHaveLength(1)
  })

  test('gives new files the first free names', async () => {
    const snippet = await makeSnippet(owner, { 'snippetfile1.txt': '1', 'snippetfile3.txt': '3' })
    const create = { action: 'create', content: 'x' }
    const files = [create, create, { ...create, file_path: 'snippetfile4.txt' }, { ...create, file_path: '' }]
    expect(pathsOf((await put(snippet, { files })).body)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `snippetfile${n}.txt`))
  })

  test('changes nothing when one action fails', async () => {
    const snippet = await makeSnippet(owner, { 'a.txt': 'A', 'b.txt': 'B' })
    const first = { action: 'update', file_path: 'a.txt', content: 'changed' }
    const prefix = 'Repository Error updating the snippet - '
    const fails = async (action: object, text: string) => {
      expect(await refusal(snippet, { title: 'Changed', files: [first, action] })).toEqual([400, `${prefix}${text}`])
    }
    await fails({ action: 'update', file_path: 'nope', content: 'x' }, "A file with this name doesn't exist")
    await fails({ action: 'delete', file_path: 'nope' }, "A file with this name doesn't exist")
    await fails({ action: 'move', previous_path: 'nope', file_path: 'x' }, "A file with this name doesn't exist")
    await fails({ action: 'create', file_path: 'b.txt', content: 'x' }, 'A file with this name already exists')
    await fails({ action: 'move', previous_path: 'a.txt', file_path: 'b.txt' }, 'A file with this name already exists')
    await fails({ action: 'create', file_path: 'b.txt/c', content: 'x' }, 'Path cannot lead through a file: b.txt')
    await fails({ action: 'create', file_path: '.git/hooks', content: 'x' }, "Path cannot include '.git'")
    const many = Array.from({ length: 9 }, (_, index) => ({ action: 'create', file_path: `f${index}`, content: 'x' }))
    expect(await refusal(snippet, { files: many })).toEqual([
      400,
      `${prefix}The repository can contain at most 10 file(s).`,
    ])
    const all = ['a.txt', 'b.txt'].map((path) => ({ action: 'delete', file_path: path }))
    expect(await refusal(snippet, { files: all })).toEqual([
      400,
      `${prefix}The repository must contain at least 1 file.`,
    ])
    expect((await owner.get(`/snippets/${snippet.id}`)).body).toEqual(snippet)
    expect(await read(snippet, 'a.txt')).toBe('A')
  })

  test('refuses actions that do not fit together', async () => {
    const snippet = await makeSnippet(owner)
    const actions = [
      [{ action: 'create', file_path: 'b', content: ' ' }],
      [{ action: 'create', file_path: 'b' }],
      [{ action: 'update', file_path: 'a.txt' }],
      [{ action: 'update', content: 'x' }],
      [{ action: 'update', file_path: 'a.txt', previous_path: 'b', content: 'x' }],
      [{ action: 'delete' }],
      [{ action: 'delete', file_path: ' ' }],
      [{ action: 'move', file_path: 'b' }],
      [{ action: 'move', previous_path: 'a.txt' }],
      [{ action: 'move', previous_path: 'a.txt', file_path: 'a.txt' }],
      [
        { action: 'update', file_path: 'a.txt', content: 'x' },
        { action: 'delete', file_path: 'a.txt' },
      ],
    ]
    for (const files of actions) expect([files, ...(await refusal(snippet, { files }))]).toEqual([files, ...wrong])
    const fits = [{ action: 'update', file_path: 'a.txt', previous_path: 'a.txt', content: 'x' }]
    expect((await put(snippet, { files: fits })).status).toBe(200)
  })

  test('refuses wrong parameters', async () => {
    const snippet = await makeSnippet(owner)
    const error = async (body: unknown) => (await put(snippet, body)).body.error
    expect(await error({})).toBe(
      'content, description, files, file_name, title, visibility are missing, at least one parameter must be provided',
    )
    const files = [{ action: 'delete', file_path: 'x' }]
    expect(await error({ files, content: 'x' })).toBe('files, content are mutually exclusive')
    expect(await error({ files, file_name: 'x' })).toBe('files, file_name are mutually exclusive')
    expect(await error({ files: [{ file_path: 'x' }] })).toBe('files[0][action] is missing')
    expect(await error({ files: [{ action: 'chmod' }] })).toBe('files[0][action] does not have a valid value')
    expect(await error({ files: [{ action: 'delete', file_path: '../x' }] })).toBe(
      'files[0][file_path] should be a valid file path',
    )
    expect(await error({ files: [{ action: 'move', file_path: 'x', previous_path: '/x' }] })).toBe(
      'files[0][previous_path] should be a valid file path',
    )
    expect(await error({ title: '' })).toBe('title is empty')
    expect(await error({ content: ' ' })).toBe('content is empty')
    expect(await error({ visibility: 'x' })).toBe('visibility does not have a valid value')
    expect(await refusal(snippet, { title: 'x'.repeat(256) })).toEqual([
      400,
      'Title is too long (maximum is 255 characters)',
    ])
    const invalidId = await owner.put('/snippets/x', { title: 'x' })
    expect([invalidId.status, invalidId.body.error]).toEqual([400, 'id is invalid'])
  })

  test('takes the deprecated form for one file only', async () => {
    const snippet = await makeSnippet(owner)
    const renamed = await put(snippet, { file_name: 'b.txt' })
    expect([renamed.headers.get('deprecation'), pathsOf(renamed.body)]).toEqual(['true', ['b.txt']])
    expect(await read(snippet, 'b.txt')).toBe('A')
    expect(pathsOf((await put(snippet, { file_name: 'c.txt', content: 'C' })).body)).toEqual(['c.txt'])
    expect((await put(snippet, { content: 'D', file_name: 'c.txt' })).headers.get('deprecation')).toBe('true')
    expect(await read(snippet, 'c.txt')).toBe('D')
    expect((await put(snippet, { title: 'x' })).headers.get('deprecation')).toBeNull()
    const several = await makeSnippet(owner, { a: '1', b: '2' })
    for (const body of [{ content: 'x' }, { file_name: 'c' }]) {
      expect(await refusal(several, body)).toEqual([
        400,
        'To update Snippets with multiple files, you must use the `files` parameter',
      ])
    }
  })

  test('applies concurrent changes one after another', async () => {
    const snippet = await makeSnippet(owner)
    const contents = ['1', '2', '3', '4', '5', '6']
    const answers = await Promise.all(contents.map((content) => put(snippet, { content })))
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200))
    expect(await history(snippet)).toHaveLength(7)
    expect(contents).toContain(await read(snippet, 'a.txt'))
  })

  test('is refused while the repository is read-only', async () => {
    const snippet = await makeSnippet(owner)
    const set = (value: boolean) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('repositories').set({ read_only: value }).where('snippet_id', '=', snippet.id).execute(),
      )
    await set(true)
    expect(await refusal(snippet, { content: 'x' })).toEqual([
      403,
      '403 Forbidden - The repository is temporarily read-only. Please try again later.',
    ])
    expect((await put(snippet, { title: 'Still' })).status).toBe(200)
    await set(false)
    expect((await put(snippet, { content: 'x' })).status).toBe(200)
  })

  test('is for the author, in the allowed levels', async () => {
    const snippet = await makeSnippet(owner, { a: '1' }, { visibility: 'public' })
    const gone = [404, '404 Snippet Not Found']
    for (const who of [people.outsider, people.external])
      expect(await refusal(snippet, { title: 'x' }, who)).toEqual(gone)
    const root = await server.root.put(`/snippets/${snippet.id}`, { title: 'x' })
    expect([root.status, root.body]).toEqual([404, { message: '404 Snippet Not Found' }])
    const sudo = await server.root.put(`/snippets/${snippet.id}?sudo=owner`, { title: 'x' })
    expect([sudo.status, sudo.body.title]).toEqual([200, 'x'])
    await server.root.put('/application/settings', { restricted_visibility_levels: ['public', 'internal'] })
    expect(await refusal(snippet, { visibility: 'internal' })).toEqual([
      403,
      'Visibility level internal has been restricted by your GitLab administrator',
    ])
    expect((await put(snippet, { visibility: 'public', title: 'y' })).status).toBe(200)
    await server.root.put('/application/settings', { restricted_visibility_levels: [] })
  })
})

describe('deleting a snippet', () => {
  test('deletes all that belongs to it', async () => {
    const snippet = await makeSnippet(owner, { a: '1' }, { visibility: 'public' })
    const { database, git: storage, jobs } = server.app.platform
    const row = await repositoryOfSnippet(database.read, snippet.id)
    const repository = storage.repository({ storage: row?.storage ?? '', diskPath: row?.disk_path as never })
    expect(await repository.exists()).toBe(true)
    const path = `/snippets/${snippet.id}`
    const notFound = [404, { message: '404 Snippet Not Found' }]
    for (const client of [people.outsider, server.root]) {
      const { status, body } = await client.delete(path)
      expect([status, body]).toEqual(notFound)
    }
    expect((await server.anonymous.delete(path)).status).toBe(401)
    const old = await owner.delete(path, { headers: { 'If-Unmodified-Since': 'Sun, 01 Jan 2023 00:00:00 GMT' } })
    expect([old.status, old.body]).toEqual([412, { message: '412 Precondition Failed' }])
    const deleted = await owner.delete(path)
    expect([deleted.status, deleted.body]).toEqual([204, ''])
    const again = await owner.delete(path)
    expect([again.status, again.body]).toEqual(notFound)
    await jobs.drain()
    expect(await repository.exists()).toBe(false)
    const { read } = database
    expect(
      await read.selectFrom('user_agent_details').selectAll().where('subject_id', '=', snippet.id).execute(),
    ).toEqual([])
    expect(await read.selectFrom('removed_repositories').selectAll().execute()).toEqual([])
  })

  test('during a change answers the change with 404', async () => {
    const snippet = await makeSnippet(owner)
    const { rules } = server.app.platform.gate
    rules.push(async (_, { row }) => {
      if (row.snippet_id === snippet.id) expect((await owner.delete(`/snippets/${snippet.id}`)).status).toBe(204)
      return null
    })
    const { status, body } = await put(snippet, { content: 'x' })
    rules.pop()
    expect([status, body]).toEqual([404, { message: '404 Snippet Not Found' }])
  })

  test('follows the removal of a user and of a project', async () => {
    const leaving = await server.user('leaving')
    const project = await server.make.project('shared', owner, { visibility: 'public' })
    await server.make.member({ project }, leaving, 30)
    const personal = await makeSnippet(leaving, { a: '1' }, { visibility: 'public' })
    const shared = await makeSnippet(leaving, { a: '1' }, { visibility: 'public', project: project.id })
    await server.root.delete(`/users/${leaving.id}`)
    const { jobs, database } = server.app.platform
    await jobs.drain()
    expect((await owner.get(`/snippets/${personal.id}`)).status).toBe(404)
    const left = (await owner.get(`/snippets/${shared.id}`)).body
    expect([left.author.username, left.files]).toEqual(['ghost', shared.files])
    const hard = await server.user('hard')
    await server.make.member({ project }, hard, 30)
    const deleted = await makeSnippet(hard, { a: '1' }, { visibility: 'public', project: project.id })
    await server.root.delete(`/users/${hard.id}?hard_delete=true`)
    await jobs.drain()
    expect((await owner.get(`/snippets/${deleted.id}`)).status).toBe(404)
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    expect((await owner.delete(`/projects/${project.id}`)).status).toBe(202)
    await database.write((tx) => jobs.enqueue(tx, 'projects.remove_due', null))
    await jobs.drain()
    expect((await owner.get(`/snippets/${shared.id}`)).status).toBe(404)
    const { read } = database
    const left2 = await read.selectFrom('repositories').select('id').where('snippet_id', '=', shared.id).execute()
    expect([left2, await read.selectFrom('removed_repositories').selectAll().execute()]).toEqual([[], []])
  })

  test('removes what an interrupted creation has left', async () => {
    const { database, jobs, clock } = server.app.platform
    const insert = (created_at: string) =>
      database.write(async (tx) => {
        const row = {
          author_id: owner.id,
          title: 'T',
          visibility: 'public' as const,
          created_at,
          updated_at: created_at,
        }
        return (await tx.insertInto('snippets').values(row).returning('id').executeTakeFirstOrThrow()).id
      })
    const old = await insert('2020-01-01T00:00:00.000Z')
    const fresh = await insert(clock.now().toISOString())
    for (const id of [old, fresh]) expect((await owner.get(`/snippets/${id}`)).status).toBe(404)
    await database.write((tx) => jobs.enqueue(tx, 'snippets.remove_unfinished', null))
    await jobs.drain()
    const rows = await database.read.selectFrom('snippets').select('id').where('file_name', 'is', null).execute()
    expect(rows).toEqual([{ id: fresh }])
    expect((await owner.get('/snippets')).body.map(({ id }: { id: number }) => id)).not.toContain(fresh)
  })
})
