import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMembers, type Client, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { makeSnippet, makeSnippetPeople, type SnippetPeople } from '../testing.ts'

let server: TestServer
let people: SnippetPeople
beforeAll(async () => {
  server = await startTestServer()
  people = await makeSnippetPeople(server)
})
afterAll(() => server.stop())

const levels = ['private', 'internal', 'public'] as const
const notFound = { message: '404 Snippet Not Found' }

/** The paths by which a snippet can be read. */
const readsOf = (path: string) => [path, `${path}/raw`, `${path}/files/main/a.txt/raw`]

/** Checks that all reads of a snippet answer alike. */
async function reads(client: Client, path: string): Promise<number> {
  const answers = await Promise.all(readsOf(path).map((one) => client.get(one)))
  const [status = 0] = answers.map((answer) => answer.status)
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status))
  if (status === 404) expect(answers.map(({ body }) => body)).toEqual(answers.map(() => notFound))
  return status
}

/** The status for each caller. */
async function statuses(callers: Record<string, Client>, path: string) {
  const entries = await Promise.all(
    Object.entries(callers).map(async ([name, client]) => [name, await reads(client, path)] as const),
  )
  return Object.fromEntries(entries)
}

describe('a personal snippet', () => {
  test.each(levels)('that is %s is readable for some', async (visibility) => {
    const { owner, outsider, external } = people
    const { id } = await makeSnippet(owner, { 'a.txt': 'A' }, { visibility })
    const callers = { anonymous: server.anonymous, external, other: outsider, author: owner, root: server.root }
    const [all, users] = [visibility === 'public', visibility !== 'private']
    const status = (isReadable: boolean) => (isReadable ? 200 : 404)
    expect(await statuses(callers, `/snippets/${id}`)).toEqual({
      anonymous: status(all),
      external: status(all),
      other: status(users),
      author: 200,
      root: 200,
    })
  })

  test('of an external user is readable for them', async () => {
    const { id } = await makeSnippet(people.owner, { 'a.txt': 'A' }, { visibility: 'internal' })
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('snippets').set({ author_id: people.external.id }).where('id', '=', id).execute(),
    )
    expect(await reads(people.external, `/snippets/${id}`)).toBe(200)
    expect(await reads(people.owner, `/snippets/${id}`)).toBe(200)
  })

  test('of a blocked author stays readable', async () => {
    const author = await server.user('blocked')
    const { id } = await makeSnippet(author, { 'a.txt': 'A' }, { visibility: 'public' })
    await server.root.post(`/users/${author.id}/block`)
    expect(await reads(server.anonymous, `/snippets/${id}`)).toBe(200)
  })

  test('has an id that is a number', async () => {
    for (const path of ['/snippets/x', '/snippets/1x/raw', '/snippets/x/files/main/a/raw']) {
      const { status, body } = await people.owner.get(path)
      expect([status, body.error]).toEqual([400, 'id is invalid'])
    }
    expect((await people.owner.get('/snippets/99999999')).body).toEqual(notFound)
  })

  test('is not in a project', async () => {
    const { owner } = people
    const project = await server.make.project('other', owner)
    const { id } = await makeSnippet(owner, { 'a.txt': 'A' }, { visibility: 'public' })
    expect((await owner.get(`/projects/${project.id}/snippets/${id}`)).body).toEqual(notFound)
    expect((await owner.put(`/projects/${project.id}/snippets/${id}`, { title: 'x' })).status).toBe(404)
    expect((await owner.delete(`/projects/${project.id}/snippets/${id}`)).status).toBe(404)
  })
})

describe('a snippet of a project', () => {
  async function projectWith(visibility: 'private' | 'internal' | 'public', name: string): Promise<ProjectRow> {
    const project = await server.make.project(name, people.owner, { visibility })
    await addMembers(server, project, people)
    return project
  }

  test.each(levels)('that is %s is readable for some', async (visibility) => {
    const { reporter, guest, outsider, external } = people
    const project = await projectWith('public', `public-${visibility}`)
    const { id, web_url, http_url_to_repo } = await makeSnippet(
      reporter,
      { 'a.txt': 'A' },
      { visibility, project: project.id },
    )
    expect(web_url).toBe(`${server.url}/${project.full_path}/-/snippets/${id}`)
    expect(http_url_to_repo).toBe(`${server.url}/${project.full_path}/snippets/${id}.git`)
    const callers = {
      anonymous: server.anonymous,
      external,
      other: outsider,
      guest,
      author: reporter,
      root: server.root,
    }
    const [all, users] = [visibility === 'public', visibility !== 'private']
    const status = (isReadable: boolean) => (isReadable ? 200 : 404)
    for (const path of [`/snippets/${id}`, `/projects/${project.id}/snippets/${id}`]) {
      expect(await statuses(callers, path)).toEqual({
        anonymous: status(all),
        external: status(all),
        other: status(users),
        guest: 200,
        author: 200,
        root: 200,
      })
    }
  })

  test('is for those who can read the project', async () => {
    const { reporter, guest, outsider } = people
    const project = await projectWith('private', 'closed')
    const { id } = await makeSnippet(reporter, { 'a.txt': 'A' }, { visibility: 'public', project: project.id })
    for (const client of [outsider, server.anonymous]) {
      expect(await reads(client, `/snippets/${id}`)).toBe(404)
      expect((await client.get(`/projects/${project.id}/snippets/${id}`)).body).toEqual({
        message: '404 Project Not Found',
      })
    }
    expect(await reads(guest, `/snippets/${id}`)).toBe(200)
  })

  test('is not readable while the feature is off', async () => {
    const { owner, reporter } = people
    const project = await projectWith('public', 'switched')
    const { id } = await makeSnippet(reporter, { 'a.txt': 'A' }, { visibility: 'public', project: project.id })
    await owner.put(`/projects/${project.id}`, { snippets_access_level: 'disabled' })
    const inProject = await owner.get(`/projects/${project.id}/snippets/${id}`)
    expect([inProject.status, inProject.body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await owner.get(`/projects/${project.id}/snippets`)).status).toBe(403)
    for (const client of [owner, reporter, server.anonymous]) expect(await reads(client, `/snippets/${id}`)).toBe(404)
    await owner.put(`/projects/${project.id}`, { snippets_access_level: 'private' })
    expect(await reads(reporter, `/snippets/${id}`)).toBe(200)
    expect(await reads(people.outsider, `/snippets/${id}`)).toBe(404)
  })

  test('is created from Reporter on, with a visibility', async () => {
    const { guest, reporter, outsider, external } = people
    const project = await projectWith('public', 'creating')
    const path = `/projects/${project.id}/snippets`
    const body = { title: 'T', visibility: 'private', files: [{ file_path: 'a', content: '1' }] }
    for (const who of [guest, outsider, external]) {
      const { status, body: said } = await who.post(path, body)
      expect([status, said]).toEqual([403, { message: '403 Forbidden' }])
    }
    const { visibility: _, ...without } = body
    expect((await reporter.post(path, without)).body.error).toBe('visibility is missing')
    expect((await reporter.post(path, body)).body.project_id).toBe(project.id)
    await server.make.member({ project }, external, 20)
    expect((await external.post(path, body)).status).toBe(201)
  })

  test('is changed and deleted by its author and maintainers', async () => {
    const { owner, maintainer, developer, reporter, guest } = people
    const project = await projectWith('public', 'changing')
    const { id } = await makeSnippet(reporter, { 'a.txt': 'A' }, { visibility: 'public', project: project.id })
    const path = `/projects/${project.id}/snippets/${id}`
    const statusOf = async (who: Client) => [
      (await who.put(path, { title: 'x', content: 'x' })).status,
      (await who.put(`/snippets/${id}`, { title: 'x' })).status,
    ]
    expect(await statusOf(guest)).toEqual([403, 404])
    expect(await statusOf(developer)).toEqual([403, 404])
    expect(await statusOf(maintainer)).toEqual([200, 404])
    expect(await statusOf(server.root)).toEqual([200, 404])
    expect(await statusOf(reporter)).toEqual([200, 200])
    for (const who of [guest, developer]) expect((await who.delete(path)).status).toBe(403)
    await owner.put(`/projects/${project.id}/members/${reporter.id}`, { access_level: 10 })
    expect(await statusOf(reporter)).toEqual([403, 403])
    expect((await reporter.delete(`/snippets/${id}`)).status).toBe(403)
    await owner.post(`/projects/${project.id}/archive`)
    expect(await statusOf(maintainer)).toEqual([403, 404])
    await owner.post(`/projects/${project.id}/unarchive`)
    expect((await maintainer.delete(path)).status).toBe(204)
    expect((await maintainer.delete(path)).body).toEqual(notFound)
  })

  test('shows administrators who created it', async () => {
    const project = await projectWith('private', 'detailed')
    const { id } = await makeSnippet(people.reporter, { a: '1' }, { project: project.id })
    const path = `/projects/${project.id}/snippets/${id}/user_agent_detail`
    expect((await server.root.get(path)).body).toMatchObject({ akismet_submitted: false })
    expect((await people.reporter.get(path)).status).toBe(403)
    expect((await server.root.get(`/projects/${project.id}/snippets/99999/user_agent_detail`)).body).toEqual({
      message: '404 Not found',
    })
    const invalid = await server.root.get(`/projects/${project.id}/snippets/x`)
    expect([invalid.status, invalid.body.error]).toEqual([400, 'snippet_id is invalid'])
  })

  test('counts into the size of its project', async () => {
    const project = await projectWith('private', 'sized')
    const { id } = await makeSnippet(people.reporter, { a: '1' }, { project: project.id })
    const { database, jobs } = server.app.platform
    await jobs.drain()
    const row = await database.read
      .selectFrom('repositories')
      .select('size_bytes')
      .where('snippet_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.size_bytes).toBeGreaterThan(0)
    const { statistics } = (await people.owner.get(`/projects/${project.id}?statistics=true`)).body
    expect([statistics.snippets_size, statistics.storage_size]).toEqual([row.size_bytes, row.size_bytes])
  })
})
