import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  git,
  type Person,
  type SshKeyPair,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import {
  type Files,
  makeSnippet,
  makeSnippetPeople,
  pathsOf,
  type ShownSnippet,
  type SnippetPeople,
} from '../testing.ts'

let server: TestServer
let people: SnippetPeople
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let count = 0
beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  people = await makeSnippetPeople(server)
  folder = await temporaryDirectory()
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await server.stop()
})

const notFound = 'The snippet you were looking for could not be found.'
const noUpdate = 'You are not allowed to update this snippet.'
const noBranches = 'GitLab: You can not create or delete branches.'

const addressOf = ({ http_url_to_repo: url }: ShownSnippet, who: Person | null): string =>
  who ? url.replace('://', `://any:${who.token}@`) : url

/** Clones a snippet. @returns the folder, or what git says */
async function clone(snippet: ShownSnippet, who: Person | null) {
  count += 1
  const path = `${folder.path}/${count}`
  await mkdir(path)
  const { code, stderr } = await git(path, 'clone', '--quiet', addressOf(snippet, who), 'copy')
  return { copy: `${path}/copy`, code, stderr }
}

/** Replaces files of a clone, and commits. A file with null is removed. */
async function commit(copy: string, files: Record<string, string | Buffer | null>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) await git(copy, 'rm', '--force', '--quiet', name)
    else {
      await mkdir(dirname(`${copy}/${name}`), { recursive: true })
      await writeFile(`${copy}/${name}`, content)
    }
  }
  await git(copy, 'add', '--all')
  await git(copy, 'commit', '--quiet', '--message', 'pushed')
}

/** A snippet of the owner with a clone. */
async function cloned(files: Files = { 'a.txt': 'A', 'b.txt': 'B' }, visibility = 'private') {
  const snippet = await makeSnippet(people.owner, files, { visibility })
  return { snippet, copy: (await clone(snippet, people.owner)).copy }
}

const push = (copy: string, ...refspecs: string[]) => git(copy, 'push', 'origin', ...refspecs)

const shown = async ({ id }: ShownSnippet) => (await people.owner.get(`/snippets/${id}`)).body

/** The first answer of git over HTTP. */
async function answerTo(who: Person | null, path: string, service: string) {
  const headers: Record<string, string> = who
    ? { Authorization: `Basic ${Buffer.from(`any:${who.token}`).toString('base64')}` }
    : {}
  const response = await fetch(`${server.url}/${path}.git/info/refs?service=${service}`, { headers })
  const text = await response.text()
  return [response.status, response.status === 200 ? '' : text]
}

const [fetches, pushes] = ['git-upload-pack', 'git-receive-pack']

describe('the repository of a snippet', () => {
  test('can be cloned and pushed to, and the API shows the change at once', async () => {
    const { snippet, copy } = await cloned()
    expect((await git(copy, 'ls-files')).stdout).toBe('a.txt\nb.txt\n')
    expect((await git(copy, 'fsck', '--strict')).code).toBe(0)
    await commit(copy, { '0.txt': 'first', 'b.txt': Buffer.from([0, 255, 10]), 'a.txt': null })
    expect(await push(copy, 'main')).toMatchObject({ code: 0 })
    const after = await shown(snippet)
    expect([pathsOf(after), after.file_name]).toEqual([['0.txt', 'b.txt'], '0.txt'])
    expect(after.updated_at > snippet.updated_at).toBe(true)
    expect((await people.owner.get(`/snippets/${snippet.id}/raw`)).body).toBe('first')
    const raw = await people.owner.open(`/snippets/${snippet.id}/files/main/b.txt/raw`)
    expect([...Buffer.from(await raw.arrayBuffer())]).toEqual([0, 255, 10])
    const head = (await git(copy, 'rev-parse', 'HEAD')).stdout.trim()
    for (const ref of [head, head.slice(0, 7)]) {
      expect((await people.owner.get(`/snippets/${snippet.id}/files/${ref}/0.txt/raw`)).body).toBe('first')
    }
    const old = (await git(copy, 'rev-parse', 'HEAD~1')).stdout.trim()
    expect((await people.owner.get(`/snippets/${snippet.id}/files/${old}/a.txt/raw`)).body).toBe('A')
  })

  test('has the changes of the API', async () => {
    const { snippet, copy } = await cloned()
    const files = [{ action: 'update', file_path: 'a.txt', content: 'A2' }]
    await people.owner.put(`/snippets/${snippet.id}`, { files })
    await git(copy, 'pull', '--quiet')
    expect((await git(copy, 'show', 'HEAD:a.txt')).stdout).toBe('A2')
    await commit(copy, { 'a.txt': 'A3' })
    await people.owner.put(`/snippets/${snippet.id}`, { files })
    expect((await push(copy, 'main')).code).toBe(0)
    expect((await people.owner.get(`/snippets/${snippet.id}/raw`)).body).toBe('A3')
  })

  test('accepts a forced push', async () => {
    const { snippet, copy } = await cloned()
    await git(copy, 'checkout', '--quiet', '--orphan', 'other')
    await commit(copy, { 'b.txt': null, 'a.txt': 'other' })
    expect((await push(copy, 'other:main')).stderr).toContain('non-fast-forward')
    expect((await push(copy, '--force', 'other:main')).code).toBe(0)
    expect(pathsOf(await shown(snippet))).toEqual(['a.txt'])
  })

  test('refuses to create and delete branches and tags', async () => {
    const { snippet, copy } = await cloned()
    await commit(copy, { 'a.txt': 'new' })
    for (const refspecs of [['HEAD:refs/heads/other'], ['HEAD:refs/tags/v1'], [':main'], ['main', 'HEAD:other']]) {
      const { code, stderr } = await push(copy, ...refspecs)
      expect([refspecs, code, stderr]).toEqual([refspecs, 1, expect.stringContaining(noBranches)])
    }
    expect(await shown(snippet)).toEqual(snippet)
    expect((await push(copy, 'main')).code).toBe(0)
  })

  test('refuses too many files and none', async () => {
    const { snippet, copy } = await cloned()
    const eleven = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`dir/${index}`, 'x']))
    await commit(copy, eleven)
    expect((await push(copy, 'main')).stderr).toContain('GitLab: The repository can contain at most 10 file(s).')
    await commit(copy, { 'dir/8': null })
    expect((await push(copy, 'main')).code).toBe(0)
    await git(copy, 'rm', '-r', '--quiet', '.')
    await git(copy, 'commit', '--quiet', '--message', 'empty')
    expect((await push(copy, 'main')).stderr).toContain('GitLab: The repository must contain at least 1 file.')
    expect(pathsOf(await shown(snippet))).toHaveLength(10)
  })

  test('refuses large files, in every pushed commit', async () => {
    const { snippet, copy } = await cloned()
    await server.root.put('/application/settings', { snippet_size_limit: 1024 * 1024 })
    await commit(copy, { 'large.bin': Buffer.alloc(1024 * 1024 + 1, 'x') })
    const sentence = 'GitLab: File size exceeds the limit of 1 MiB.'
    expect((await push(copy, 'main')).stderr).toContain(sentence)
    await commit(copy, { 'large.bin': null })
    expect((await push(copy, 'main')).stderr).toContain(sentence)
    await server.root.put('/application/settings', { snippet_size_limit: 52_428_800 })
    expect((await push(copy, 'main')).code).toBe(0)
    expect(pathsOf(await shown(snippet))).toEqual(['a.txt', 'b.txt'])
  })

  test('is refused while it is read-only, and when it is gone', async () => {
    const { snippet, copy } = await cloned()
    const { database, jobs } = server.app.platform
    const set = (value: boolean) =>
      database.write((tx) =>
        tx.updateTable('repositories').set({ read_only: value }).where('snippet_id', '=', snippet.id).execute(),
      )
    const path = `snippets/${snippet.id}`
    await set(true)
    expect(await answerTo(people.owner, path, pushes)).toEqual([
      403,
      'The repository is temporarily read-only. Please try again later.',
    ])
    expect(await answerTo(people.owner, path, fetches)).toEqual([200, ''])
    await set(false)
    await database.write((tx) => tx.deleteFrom('repositories').where('snippet_id', '=', snippet.id).execute())
    expect(await answerTo(people.owner, path, fetches)).toEqual([
      404,
      'The snippet repository you were looking for could not be found.',
    ])
    const raw = await people.owner.get(`/snippets/${snippet.id}/files/main/a.txt/raw`)
    expect([raw.status, raw.body]).toEqual([404, { message: '404 Snippet Not Found' }])
    expect((await people.owner.delete(`/snippets/${snippet.id}`)).status).toBe(204)
    await jobs.drain()
    expect(await answerTo(people.owner, path, fetches)).toEqual([404, notFound])
    expect((await push(copy, 'main')).stderr).toContain('not found')
  })
})

describe('access to a personal snippet by git', () => {
  test.each(['private', 'internal', 'public'])('that is %s', async (visibility) => {
    const { owner, outsider, external } = people
    const { id } = await makeSnippet(owner, { a: '1' }, { visibility })
    const path = `snippets/${id}`
    const open = (isOpen: boolean) => (isOpen ? [200, ''] : [404, notFound])
    expect(await answerTo(owner, path, fetches)).toEqual([200, ''])
    expect(await answerTo(outsider, path, fetches)).toEqual(open(visibility !== 'private'))
    expect(await answerTo(external, path, fetches)).toEqual(open(visibility === 'public'))
    const [status, text] = await answerTo(null, path, fetches)
    if (visibility === 'public') expect(status).toBe(200)
    else expect([status, text]).toEqual([401, expect.stringMatching(/^HTTP Basic: Access denied\./)])
    expect((await answerTo(null, path, pushes))[0]).toBe(401)
    expect(await answerTo(outsider, path, pushes)).toEqual(visibility === 'private' ? [404, notFound] : [403, noUpdate])
    const root = { ...owner, token: server.root.token }
    for (const service of [fetches, pushes]) expect(await answerTo(root, path, service)).toEqual([200, ''])
  })

  test('needs a token with a scope', async () => {
    const { owner } = people
    const { id } = await makeSnippet(owner, { a: '1' }, { visibility: 'private' })
    const path = `snippets/${id}`
    const statuses = async (scope: string) => {
      const who = { ...owner, token: await server.make.token(owner, [scope]) }
      return [(await answerTo(who, path, fetches))[0], (await answerTo(who, path, pushes))[0]]
    }
    expect(await statuses('read_repository')).toEqual([200, 403])
    expect(await statuses('write_repository')).toEqual([200, 200])
    expect(await statuses('read_api')).toEqual([403, 403])
    const wrong = { ...owner, token: 'glpat-wrong' }
    expect((await answerTo(wrong, path, fetches))[0]).toBe(401)
    expect(await answerTo(owner, 'snippets/99999', fetches)).toEqual([404, notFound])
    expect((await answerTo(null, 'snippets/99999', fetches))[0]).toBe(401)
    expect((await answerTo(owner, 'snippets/x', fetches))[0]).toBe(404)
    expect(await answerTo(owner, path, 'git-nothing')).toEqual([403, expect.any(String)])
  })

  test('ends a push when the author is closed meanwhile', async () => {
    const leaving = await server.user('leaving')
    const snippet = await makeSnippet(leaving, { a: '1' })
    const { copy } = await clone(snippet, leaving)
    await commit(copy, { a: '2' })
    await server.root.post(`/users/${leaving.id}/block`)
    expect((await push(copy, 'main')).code).not.toBe(0)
    expect((await server.root.get(`/snippets/${snippet.id}/raw`)).body).toBe('1')
  })
})

describe('access to a snippet of a project by git', () => {
  test('follows the rules of the API', async () => {
    const { owner, maintainer, developer, reporter, guest, outsider } = people
    const project = await server.make.project('place', owner)
    for (const [person, level] of [
      [maintainer, 40],
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ] as const) {
      await server.make.member({ project }, person, level)
    }
    const snippet = await makeSnippet(reporter, { a: '1' }, { visibility: 'private', project: project.id })
    const path = `owner/place/snippets/${snippet.id}`
    for (const who of [owner, guest]) expect(await answerTo(who, path, fetches)).toEqual([200, ''])
    expect(await answerTo(outsider, path, fetches)).toEqual([404, notFound])
    expect((await answerTo(null, path, fetches))[0]).toBe(401)
    for (const who of [reporter, maintainer]) expect(await answerTo(who, path, pushes)).toEqual([200, ''])
    for (const who of [guest, developer]) expect(await answerTo(who, path, pushes)).toEqual([403, noUpdate])
    expect(await answerTo(owner, `snippets/${snippet.id}`, fetches)).toEqual([404, notFound])
    const personal = await makeSnippet(owner, { a: '1' })
    expect(await answerTo(owner, `owner/place/snippets/${personal.id}`, fetches)).toEqual([404, notFound])
    const { copy } = await clone(snippet, maintainer)
    await commit(copy, { a: '2' })
    expect((await push(copy, 'main')).code).toBe(0)
    expect((await guest.get(`/projects/${project.id}/snippets/${snippet.id}/raw`)).body).toBe('2')
    await owner.put(`/projects/${project.id}`, { snippets_access_level: 'disabled' })
    expect(await answerTo(owner, path, fetches)).toEqual([404, notFound])
    await owner.put(`/projects/${project.id}`, { snippets_access_level: 'enabled' })
    await owner.post(`/projects/${project.id}/archive`)
    expect(await answerTo(reporter, path, fetches)).toEqual([200, ''])
    expect((await answerTo(reporter, path, pushes))[0]).toBe(403)
  })

  test('is not for deploy tokens', async () => {
    const { owner } = people
    const project = await server.make.project('deployed', owner, { visibility: 'public' })
    const snippet = await makeSnippet(owner, { a: '1' }, { visibility: 'public', project: project.id })
    const made = await owner.post(`/projects/${project.id}/deploy_tokens`, { name: 'd', scopes: ['read_repository'] })
    const credentials = Buffer.from(`${made.body.username}:${made.body.token}`).toString('base64')
    const statusAt = async (path: string) => {
      const address = `${server.url}/${path}.git/info/refs?service=${fetches}`
      return (await fetch(address, { headers: { Authorization: `Basic ${credentials}` } })).status
    }
    expect(await statusAt('owner/deployed')).toBe(200)
    expect(await statusAt(`owner/deployed/snippets/${snippet.id}`)).toBe(404)
  })
})

describe('git over SSH', () => {
  let key: SshKeyPair
  beforeAll(async () => {
    key = await sshKeyPair(folder.path, 'key')
    const { status } = await people.owner.post('/user/keys', { title: 'key', key: key.publicKey })
    expect(status).toBe(201)
  })

  test('clones and pushes', async () => {
    const project = await server.make.project('by-ssh', people.owner)
    const personal = await makeSnippet(people.owner)
    const ofProject = await makeSnippet(people.owner, { 'a.txt': 'A' }, { project: project.id })
    for (const [snippet, path] of [
      [personal, `snippets/${personal.id}`],
      [ofProject, `owner/by-ssh/snippets/${ofProject.id}`],
    ] as const) {
      count += 1
      const parent = `${folder.path}/${count}`
      await mkdir(parent)
      expect(snippet.ssh_url_to_repo).toContain(path)
      expect(await sshGit(server, key, parent, 'clone', '--quiet', sshUrl(server, path), 'copy')).toMatchObject({
        code: 0,
      })
      await commit(`${parent}/copy`, { 'a.txt': 'by SSH' })
      const pushed = await sshGit(server, key, `${parent}/copy`, 'push', sshUrl(server, path), 'main')
      expect(pushed).toMatchObject({ code: 0 })
      expect((await people.owner.get(`/snippets/${snippet.id}/raw`)).body).toBe('by SSH')
      const refused = await sshGit(server, key, `${parent}/copy`, 'push', sshUrl(server, path), 'HEAD:other')
      expect(refused.stderr).toContain(noBranches)
    }
  })

  test('has the sentences of snippets', async () => {
    const open = await makeSnippet(people.outsider, { a: '1' }, { visibility: 'public' })
    const closed = await makeSnippet(people.outsider, { a: '1' })
    const read = (id: number) => sshGit(server, key, folder.path, 'ls-remote', sshUrl(server, `snippets/${id}`))
    expect((await read(open.id)).code).toBe(0)
    expect((await read(closed.id)).stderr).toContain(`ERROR: ${notFound}`)
    const { copy } = await clone(open, people.owner)
    const refused = await sshGit(server, key, copy, 'push', sshUrl(server, `snippets/${open.id}`), 'main')
    expect(refused.stderr).toContain(`ERROR: ${noUpdate}`)
  })
})
