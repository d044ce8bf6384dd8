import { execFile } from 'node:child_process'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  git,
  httpUrl,
  type Person,
  type SshKeyPair,
  ssh,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

/** The acceptance walk of the repository, step by step (contract 22); the numbers are the walk's. */
vi.setConfig({ testTimeout: 120_000 })

const run = promisify(execFile)
let server: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let maintainer: Person
let developer: Person
let key: SshKeyPair
let project: number
const P = '/projects/maintainer%2Fp'
const repository = `${P}/repository`

const address = (person: Person, path = 'maintainer/p') => httpUrl(server, person, path)

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  maintainer = await server.user('maintainer')
  developer = await server.user('developer')
  const row = await server.make.project('p', maintainer)
  project = row.id
  await server.make.member({ project: row }, developer, 30)
  key = await sshKeyPair(folder.path, 'key')
})
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]()
  await server?.stop()
})

async function commit(actions: object[], more: object = {}) {
  const body = { branch: 'main', commit_message: 'a commit', actions, ...more }
  return maintainer.post(`${repository}/commits`, body)
}

async function bytesOf(path: string): Promise<Buffer> {
  const response = await maintainer.open(path)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

test('1: an empty repository, and its first file', async () => {
  expect((await maintainer.get(`${repository}/commits`)).body).toEqual([])
  expect((await maintainer.get(`${repository}/tree`)).body.message).toBe('404 Tree Not Found')
  const body = { branch: 'main', content: 'hello\n', commit_message: 'first' }
  const made = await maintainer.post(`${repository}/files/README.md`, body)
  expect(made).toMatchObject({ status: 201, body: { file_path: 'README.md', branch: 'main' } })
  expect((await maintainer.get(P)).body.default_branch).toBe('main')
  expect((await maintainer.get(`${P}/protected_branches`)).body).toMatchObject([{ name: 'main' }])
})

test('2: the file is changed, read and removed', async () => {
  const path = `${repository}/files/README.md`
  const body = { branch: 'main', content: 'hello again\n', commit_message: 'second' }
  expect(await maintainer.post(path, body)).toMatchObject({
    status: 400,
    body: { message: 'A file with this name already exists' },
  })
  const { body: file } = await maintainer.get(`${path}?ref=main`)
  expect((await maintainer.put(path, body)).status).toBe(200)
  const stale = await maintainer.put(path, { ...body, content: 'x', last_commit_id: file.last_commit_id })
  expect(stale.body.message).toBe('You are attempting to update a file that has changed since you started editing it.')
  expect((await maintainer.head(`${path}?ref=main`)).headers.get('x-gitlab-file-path')).toBe('README.md')
  expect((await maintainer.get(path)).body.error).toBe('ref is missing, ref is empty')
  expect((await maintainer.get(`${path}/raw`)).body).toBe('hello again\n')
  expect((await maintainer.request('DELETE', path, { body: { branch: 'main', commit_message: 'gone' } })).status).toBe(
    204,
  )
})

test('3: many changes in one commit, or none', async () => {
  const made = await commit([
    { action: 'create', file_path: 'a', content: 'a\n' },
    { action: 'create', file_path: 'b', content: 'b\n' },
    { action: 'create', file_path: 'c', content: 'c\n' },
  ])
  expect(made.body.stats).toEqual({ additions: 3, deletions: 0, total: 3 })
  const changed = await commit([
    { action: 'create', file_path: 'd', content: 'd\n' },
    { action: 'move', file_path: 'a2', previous_path: 'a' },
    { action: 'chmod', file_path: 'b', execute_filemode: true },
    { action: 'delete', file_path: 'c' },
  ])
  expect(changed).toMatchObject({ status: 201, body: { stats: { additions: 1, deletions: 1, total: 2 } } })
  const { body: diffs } = await maintainer.get(`${repository}/commits/${changed.body.id}/diff`)
  expect(diffs.map(({ diff }: { diff: string }) => diff).join('')).toContain('@@')
  const wrong = await commit([
    { action: 'create', file_path: 'e', content: 'e\n' },
    { action: 'create', file_path: 'd', content: 'd\n' },
  ])
  expect(wrong).toMatchObject({ status: 400, body: { message: 'A file with this name already exists' } })
  expect((await maintainer.get(`${repository}/branches/main`)).body.commit.id).toBe(changed.body.id)
})

test('4: a commit on a new branch', async () => {
  const made = await commit([{ action: 'create', file_path: 'n', content: 'n\n' }], {
    branch: 'new',
    start_branch: 'main',
    commit_message: 'on new',
  })
  expect(made.status).toBe(201)
  const titles = async (query: string) =>
    (await maintainer.get(`${repository}/commits${query}`)).body.map(({ title }: { title: string }) => title)
  expect(await titles('')).not.toContain('on new')
  expect(await titles('?all=true')).toContain('on new')
})

test('5: cherry-pick and revert', async () => {
  const { body: picked } = await maintainer.get(`${repository}/branches/new`)
  await maintainer.post(`${repository}/branches`, { branch: 'test', ref: 'main' })
  const pick = () => maintainer.post(`${repository}/commits/${picked.commit.id}/cherry_pick`, { branch: 'test' })
  const done = await pick()
  expect(done.status).toBe(201)
  expect(done.body.message).toBe(`on new\n\n(cherry picked from commit ${picked.commit.id})`)
  expect(await pick()).toMatchObject({ status: 400, body: { error_code: expect.stringMatching(/empty|conflict/) } })
  const { body: head } = await maintainer.get(`${repository}/branches/main`)
  const revert = () => maintainer.post(`${repository}/commits/${head.commit.id}/revert`, { branch: 'main' })
  const reverted = await revert()
  expect(reverted.body.message).toBe(`Revert "a commit"\n\nThis reverts commit ${head.commit.id}`)
  expect((await revert()).status).toBe(400)
})

test('6: common ancestors and comparison', async () => {
  expect((await maintainer.get(`${repository}/merge_base?refs[]=main`)).body.message).toBe('Provide at least 2 refs')
  const { body: base } = await maintainer.get(`${repository}/merge_base?refs[]=main&refs[]=new`)
  const { body: comparison } = await maintainer.get(`${repository}/compare?from=main&to=new`)
  expect(comparison.commits).toHaveLength(1)
  expect(comparison.commits[0].parent_ids).toEqual([base.id])
})

test('7: archives of every format', async () => {
  const plain = await bytesOf(`${repository}/archive`)
  expect(plain.equals(await bytesOf(`${repository}/archive?sha=main`))).toBe(true)
  for (const format of ['tar.gz', 'tgz', 'gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2', 'tar', 'zip']) {
    const file = join(folder.path, `archive.${format}`)
    await writeFile(file, await bytesOf(`${repository}/archive.${format}`))
    const list = format === 'zip' ? ['python3', '-m', 'zipfile', '-l', file] : ['tar', '-tf', file]
    const { stdout } = await run(list[0] ?? '', list.slice(1))
    expect(stdout).toContain('/b')
  }
})

test('8: tags, and who may make and remove them', async () => {
  const make = (person: Person, tag_name: string) => person.post(`${repository}/tags`, { tag_name, ref: 'main' })
  expect((await make(maintainer, 'v1.0')).status).toBe(201)
  expect(await make(maintainer, 'v1.0')).toMatchObject({ status: 400, body: { message: 'Tag v1.0 already exists' } })
  const rule = { name: 'v*', create_access_level: 40 }
  expect((await maintainer.post(`${P}/protected_tags`, rule)).status).toBe(201)
  expect(await make(developer, 'v2')).toMatchObject({
    status: 400,
    body: { message: 'You are not allowed to create this tag as it is protected.' },
  })
  expect(await developer.delete(`${repository}/tags/v1.0`)).toMatchObject({
    status: 403,
    body: { message: "You don't have access to delete the tag" },
  })
})

test('9: releases and their links', async () => {
  const body = { tag_name: 'r1', ref: 'main', description: 'the first' }
  expect((await maintainer.post(`${P}/releases`, body)).status).toBe(201)
  expect((await maintainer.get(`${repository}/tags/r1`)).body.release).toEqual({
    tag_name: 'r1',
    description: 'the first',
  })
  expect(await maintainer.post(`${P}/releases`, body)).toMatchObject({
    status: 409,
    body: { message: 'Release already exists' },
  })
  const link = { name: 'binary', url: 'https://example.com/binary' }
  expect((await maintainer.post(`${P}/releases/r1/assets/links`, link)).status).toBe(201)
  expect((await maintainer.get(`${P}/releases/r1`)).body.assets.links).toMatchObject([link])
  expect((await maintainer.get(`${P}/releases/permalink/latest`)).status).toBe(302)
})

describe('10 and 11: git over HTTP', () => {
  const clone = (url: string, name: string) => git(folder.path, 'clone', '--quiet', url, name)

  test('asks who it is, and lets in whom it may', async () => {
    const plain = `${server.url}/maintainer/p.git`
    expect(await clone(plain, 'nobody')).toMatchObject({ code: 128 })
    const reading = await server.make.token(developer, ['read_repository'])
    const readOnly = address({ ...developer, token: reading })
    expect(await clone(readOnly, 'work')).toMatchObject({ code: 0 })
    const work = join(folder.path, 'work')
    await git(work, 'commit', '--quiet', '--allow-empty', '--message', 'pushed')
    const refused = await git(work, 'push', readOnly, 'main')
    expect(refused.stderr).toContain('You are not allowed to upload code.')
    expect((await git(work, 'push', address(developer), 'main')).stderr).toContain(
      'remote: GitLab: You are not allowed to push code to protected branches on this project.',
    )
    expect(await git(work, 'push', address(maintainer), 'main')).toMatchObject({ code: 0 })
    await maintainer.put(P, { visibility: 'public' })
    expect(await clone(plain, 'open')).toMatchObject({ code: 0 })
  })

  test('refuses what the rules forbid, and hands on the options', async () => {
    const work = join(folder.path, 'work')
    expect((await git(work, 'push', '-f', address(maintainer), 'main~1:main')).stderr).toContain(
      'You are not allowed to force push code to a protected branch on this project.',
    )
    expect((await git(work, 'push', address(maintainer), ':main')).stderr).toContain(
      'The default branch of a project cannot be deleted.',
    )
    expect(await git(work, 'push', '-o', 'ci.skip', address(maintainer), 'main:options')).toMatchObject({ code: 0 })
    const pushes = server.app.platform.database.read.selectFrom('pushes').select('push_options').orderBy('id', 'desc')
    expect((await pushes.limit(1).executeTakeFirst())?.push_options).toEqual(['ci.skip'])
  })
})

test('12: git over SSH', async () => {
  const made = await developer.post('/user/keys', { title: 'key', key: key.publicKey })
  expect(await ssh(server, key)).toMatchObject({ code: 0, stdout: 'Welcome to GitLab, @developer!\n' })
  const url = sshUrl(server, 'maintainer/p')
  expect(await sshGit(server, key, folder.path, 'clone', '--quiet', url, 'by-ssh')).toMatchObject({ code: 0 })
  const work = join(folder.path, 'by-ssh')
  expect(await sshGit(server, key, work, 'push', 'origin', 'main:by-ssh')).toMatchObject({ code: 0 })
  expect((await developer.delete(`/user/keys/${made.body.id}`)).status).toBe(204)
  expect(await ssh(server, key)).toMatchObject({ code: 255, stderr: expect.stringContaining('Permission denied') })
  const reading = { title: 'deploy', key: key.publicKey }
  expect((await maintainer.post(`${P}/deploy_keys`, reading)).status).toBe(201)
  expect(await ssh(server, key)).toMatchObject({ stdout: 'Welcome to GitLab, Anonymous!\n' })
  expect((await sshGit(server, key, work, 'push', 'origin', 'main:by-key')).stderr).toContain(
    'This deploy key does not have write access to this project.',
  )
})

test('13: a repository that is being moved, and one that is archived', async () => {
  const { database } = server.app.platform
  const setReadOnly = (read_only: boolean) =>
    database.write((tx) =>
      tx.updateTable('repositories').set({ read_only }).where('project_id', '=', project).execute(),
    )
  const readOnly = 'The repository is temporarily read-only. Please try again later.'
  const write = () =>
    maintainer.post(`${repository}/files/moved`, { branch: 'main', content: 'x', commit_message: 'moved' })
  const work = join(folder.path, 'work')
  await setReadOnly(true)
  expect(await write()).toMatchObject({ status: 400, body: { message: readOnly } })
  expect((await git(work, 'push', address(maintainer), 'main:moved')).stderr).toContain(readOnly)
  await setReadOnly(false)
  expect((await write()).status).toBe(201)
  expect((await maintainer.post(`${P}/archive`)).status).toBe(201)
  expect((await git(work, 'push', address(maintainer), 'main:moved')).stderr).toContain(
    "You can't push code to an archived project.",
  )
  expect((await maintainer.post(`${P}/unarchive`)).status).toBe(201)
})

test('14: the wiki is a repository', async () => {
  const made = await maintainer.post(`${P}/wikis`, { title: 'a/b', content: 'a page\n' })
  expect(made).toMatchObject({ status: 201, body: { slug: 'a/b' } })
  const wiki = address(maintainer, 'maintainer/p.wiki')
  expect(await git(folder.path, 'clone', '--quiet', wiki, 'wiki')).toMatchObject({ code: 0 })
  await access(join(folder.path, 'wiki', 'a', 'b.md'))
  const form = new FormData()
  form.append('file', new Blob(['bytes']), 'name.txt')
  const attached = await maintainer.post(`${P}/wikis/attachments`, form)
  expect(attached).toMatchObject({
    status: 201,
    body: { file_name: 'name.txt', file_path: expect.stringMatching(/^uploads\/[0-9a-f]{32}\/name\.txt$/) },
  })
  const group = await server.make.group('team', maintainer)
  const page = { title: 'Home', content: 'welcome\n' }
  expect(await maintainer.post(`/groups/${group.id}/wikis`, page)).toMatchObject({ status: 201 })
  expect(await git(folder.path, 'clone', '--quiet', address(maintainer, 'team.wiki'), 'group-wiki')).toMatchObject({
    code: 0,
  })
})

test('15: a status from outside', async () => {
  const { body: head } = await maintainer.get(`${repository}/branches/main`)
  const set = () => maintainer.post(`${P}/statuses/${head.commit.id}`, { state: 'success' })
  expect((await set()).status).toBe(201)
  expect((await set()).body.message).toContain('Cannot transition status via :success from :success')
  const { body: statuses } = await maintainer.get(`${repository}/commits/${head.commit.id}/statuses`)
  expect(statuses).toMatchObject([{ status: 'success', name: 'default' }])
})
