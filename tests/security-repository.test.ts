/** Attacks through the content of repositories and the rules on it: each test is named by a class of vulnerabilities. */
import { access, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskPath, type RefName, refName } from '../src/infra/git/index.ts'
import { resolveOutbound } from '../src/infra/net/index.ts'
import { pinnedAddress } from '../src/modules/projects/index.ts'
import { ownershipOf, parseCodeOwners } from '../src/modules/protected-branches/code-owners/file.ts'
import { repositoryOfProject } from '../src/platform/repositories/index.ts'
import {
  bytesAt,
  git,
  httpUrl,
  makeHistory,
  type Person,
  type SshKeyPair,
  sshGit,
  sshKeyPair,
  sshUrl,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'

let server: TestServer
let owner: Person
let outsider: Person
let work: Awaited<ReturnType<typeof temporaryDirectory>>

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  owner = await server.user('owner')
  outsider = await server.user('outsider')
  work = await temporaryDirectory()
  await makeHistory(work.path, ['one', 'two'])
})
afterAll(async () => {
  await server.stop()
  await work[Symbol.asyncDispose]()
})

const address = (path: string) => httpUrl(server, owner, `owner/${path}`)

/** A project of the owner's with `main`. */
async function projectWith(path: string, visibility: 'private' | 'public' = 'private') {
  const project = await server.make.project(path, owner, { visibility })
  expect(await git(work.path, 'push', address(path), 'main')).toMatchObject({ code: 0 })
  return project
}

async function repositoryOf(projectId: number) {
  const { database, git: storages } = server.app.platform
  const row = await repositoryOfProject(database.read, projectId)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  return storages.repository({ storage: row.storage, diskPath: path })
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('a right that ends during a push', () => {
  let count = 0

  /** Pushes a new branch; git has been let in and has sent nothing yet when `between` happens. */
  async function pushAround(key: SshKeyPair, path: string, between: () => Promise<unknown>) {
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['new'])
    const [isIn, goOn] = [join(folder.path, 'is-in'), join(folder.path, 'go-on')]
    const hook = join(folder.path, '.git/hooks/pre-push')
    await mkdir(join(folder.path, '.git/hooks'), { recursive: true })
    await writeFile(
      hook,
      `#!/bin/sh\n: > '${isIn}'\nwhile [ -e '${isIn}' ] && [ ! -e '${goOn}' ]; do sleep 0.05; done\n`,
    )
    await chmod(hook, 0o755)
    count += 1
    const pushed = sshGit(server, key, folder.path, 'push', sshUrl(server, `owner/${path}`), `main:late-${count}`)
    await expect.poll(() => isThere(isIn)).toBe(true)
    await between()
    await writeFile(goOn, '')
    return await pushed
  }

  async function keyOf(person: Person): Promise<SshKeyPair> {
    count += 1
    const pair = await sshKeyPair(work.path, `key-${count}`)
    expect((await person.post('/user/keys', { title: 'key', key: pair.publicKey })).status).toBe(201)
    return pair
  }

  async function developer(name: string, project: Awaited<ReturnType<typeof projectWith>>) {
    const person = await server.user(name)
    await server.make.member({ project }, person, 30)
    return { person, key: await keyOf(person) }
  }

  test('of a member', async () => {
    const project = await projectWith('left')
    const { person, key } = await developer('leaver', project)
    expect(await pushAround(key, 'left', async () => {})).toMatchObject({ code: 0 })
    const late = await pushAround(key, 'left', () => owner.delete(`/projects/${project.id}/members/${person.id}`))
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be found') })
  })

  test('of a blocked user', async () => {
    const { person, key } = await developer('blocked', await projectWith('blocking'))
    const late = await pushAround(key, 'blocking', () => server.root.post(`/users/${person.id}/block`))
    expect(late.code).toBe(1)
  })

  test('of a deploy key', async () => {
    const project = await projectWith('keyed')
    const pair = await sshKeyPair(work.path, 'deploy')
    const made = await owner.post(`/projects/${project.id}/deploy_keys`, {
      title: 'd',
      key: pair.publicKey,
      can_push: true,
    })
    const late = await pushAround(pair, 'keyed', () =>
      owner.put(`/projects/${project.id}/deploy_keys/${made.body.id}`, { can_push: false }),
    )
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This deploy key does not have write access to this project.'),
    })
  })

  test('of all users, when the project is archived, moved or deleted', async () => {
    const project = await projectWith('closing')
    const key = await keyOf(owner)
    const archived = await pushAround(key, 'closing', () => owner.post(`/projects/${project.id}/archive`))
    expect(archived).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("You can't push code to an archived project."),
    })
    await owner.post(`/projects/${project.id}/unarchive`)
    const readOnly = (read_only: boolean) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('repositories').set({ read_only }).where('project_id', '=', project.id).execute(),
      )
    const moving = await pushAround(key, 'closing', () => readOnly(true))
    expect(moving).toMatchObject({ code: 1, stderr: expect.stringContaining('temporarily read-only') })
    await readOnly(false)
    const { body } = await owner.get(`/projects/${project.id}/repository/branches`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['main'])
    const renamed = await pushAround(key, 'closing', () => owner.put(`/projects/${project.id}`, { path: 'closed' }))
    expect(renamed).toMatchObject({ code: 0 })
  })
})

describe('requests that the server makes', () => {
  const hosts = ['pinned.invalid', 'pinned.invalid.', 'PINNED.invalid.', 'pinned.invalid..']

  test.each(hosts)('go to the checked addresses, in every notation of the host: %s', async (host) => {
    await projectWith(`pinned-${hosts.indexOf(host)}`, 'public')
    const { port } = new URL(server.url)
    const url = new URL(`http://${host}:${port}/owner/pinned-${hosts.indexOf(host)}.git`)
    const resolved = await resolveOutbound(url, { allowLocal: true }, async () => ['127.0.0.1'])
    const to = pinnedAddress(url, resolved)
    const settings = to.config.flatMap((setting) => ['-c', setting])
    expect(await git(work.path, ...settings, 'ls-remote', to.url)).toMatchObject({ code: 0 })
  })

  test.each(['http://+evil.example/', 'http://*/', "http://a'b.example/", 'git://%31%32%37.0.0.1/x', 'git://a,b/x'])(
    'go nowhere for a name that says more than a name: %s',
    async (text) => {
      const found = resolveOutbound(new URL(text), { allowLocal: true }, async () => ['93.184.216.34'])
      await expect(found).rejects.toThrow('Host cannot be resolved or invalid')
    },
  )
})

describe('patterns of users', () => {
  test('do not block other requests: versions in tags', async () => {
    const project = await projectWith('tagged', 'public')
    await git(work.path, 'push', address('tagged'), `main:refs/tags/${'a'.repeat(200)}`)
    const groups = '(?P<major>\\d+)(?P<minor>\\d+)(?P<patch>\\d+)'
    const config = async (pattern: string) =>
      owner.post(`/projects/${project.id}/repository/commits`, {
        branch: 'main',
        commit_message: 'configure',
        actions: [
          {
            action:
              (await owner.get(`/projects/${project.id}/repository/tree?path=.gitlab`)).status === 200
                ? 'update'
                : 'create',
            file_path: '.gitlab/changelog_config.yml',
            content: `tag_regex: '${pattern}'\n`,
          },
        ],
      })
    const ask = () => server.anonymous.get(`/projects/${project.id}/repository/changelog?version=1.0.0`)
    expect((await config(`${groups}|${'(?:a?){999}'.repeat(60)}c`)).status).toBe(201)
    expect(await ask()).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('tag_regex of the configuration is invalid') },
    })
    await config(groups)
    expect((await ask()).body.message).toContain('no previous tag')
  })

  test('yield to other requests: code owners', async () => {
    let turns = 0
    const spend = () => {}
    const pause = async () => {
      turns += 1
    }
    const text = Array.from({ length: 100 }, () => `*${'a'.repeat(50)}b @x`).join('\n')
    const sections = await parseCodeOwners(text, { spend, pause })
    turns = 0
    expect(await ownershipOf(sections, 'a'.repeat(60), { spend, pause })).toEqual([])
    expect(turns).toBe(100)
    expect(await ownershipOf(sections, `${'a'.repeat(50)}b`, { spend, pause })).toHaveLength(1)
  })
})

describe('internal refs', () => {
  const hidden = 'refs/keep-around/1'
  let projectId: number

  beforeAll(async () => {
    projectId = (await projectWith('kept', 'public')).id
    const { body } = await owner.post(`/projects/${projectId}/repository/commits`, {
      branch: 'main',
      commit_message: 'substitutes',
      actions: [
        { action: 'create', file_path: '.gitattributes', content: 'f export-subst\n' },
        { action: 'create', file_path: 'f', content: '$Format:%D|%d|%H|By$\n' },
      ],
    })
    const repository = await repositoryOf(projectId)
    await repository.updateRefs([{ ref: refName(hidden) as RefName, old: null, new: body.id }])
  })

  test('are not advertised', async () => {
    const listed = await git(work.path, 'ls-remote', address('kept'))
    expect(listed.stdout).toContain('refs/heads/main')
    expect(listed.stdout).not.toContain(hidden)
  })

  test('are not in archives, which contain the commit alone', async () => {
    const { body } = await owner.get(`/projects/${projectId}/repository/branches/main`)
    const fetched = async () => {
      const address = `/projects/${projectId}/repository/archive.tar.gz?sha=${body.commit.id}`
      return gunzipSync((await bytesAt(server.anonymous, address)).bytes)
    }
    const tar = await fetched()
    expect(tar.includes(hidden)).toBe(false)
    expect(tar.includes(`|${body.commit.id}|By`)).toBe(true)
    await owner.post(`/projects/${projectId}/repository/branches?branch=another-name&ref=main`)
    expect((await fetched()).equals(tar)).toBe(true)
  })

  test('cannot be named in requests', async () => {
    const at = `/projects/${projectId}/repository`
    const name = encodeURIComponent(hidden)
    for (const path of [`commits/${name}`, `archive?sha=${name}`, `tree?ref=${name}`, `files/f?ref=${name}`]) {
      expect([path, (await owner.get(`${at}/${path}`)).status]).toEqual([path, 404])
    }
    expect((await owner.get(`${at}/compare?from=${name}&to=main`)).status).toBe(404)
    expect((await owner.post(`${at}/branches?branch=from-hidden&ref=${name}`)).status).toBe(400)
  })
})

describe('private resources', () => {
  test('are not disclosed through the fork network', async () => {
    const project = await projectWith('root', 'public')
    const forked = await owner.post(`/projects/${project.id}/fork`, {
      path: 'secret',
      name: 'secret',
      visibility: 'private',
    })
    expect(forked.status).toBe(201)
    await server.app.platform.jobs.drain()
    const fork = forked.body.id
    const made = await owner.post(`/projects/${fork}/repository/files/s.txt`, {
      branch: 'hidden',
      start_branch: 'main',
      content: 'secret words',
      commit_message: 'secret',
    })
    expect(made.status).toBe(201)
    const { id: secret } = (await owner.get(`/projects/${fork}/repository/branches/hidden`)).body.commit
    const own = await outsider.post(`/projects/${project.id}/fork`, {})
    await server.app.platform.jobs.drain()
    const mine = own.body.id
    for (const place of [project.id, mine]) {
      const at = `/projects/${place}/repository`
      // The owner requests it first, to fill the caches.
      await owner.get(`${at}/compare?from=${secret}&to=main&from_project_id=${fork}`)
      for (const path of [
        `commits/${secret}`,
        `commits/${secret}/diff`,
        `compare?from=${secret}&to=main`,
        `compare?from=${secret}&to=main&from_project_id=${fork}`,
        `archive?sha=${secret}`,
        `tree?ref=${secret}`,
        `files/s.txt?ref=${secret}`,
      ]) {
        const { status, body } = await outsider.get(`${at}/${path}`)
        expect([path, status >= 400, JSON.stringify(body).includes('secret words')]).toEqual([path, true, false])
      }
    }
    const actions = [{ action: 'create', file_path: 'x', content: 'x' }]
    const start = { branch: 'b', commit_message: 'm', actions, start_sha: secret, start_project: fork }
    expect((await outsider.post(`/projects/${mine}/repository/commits`, start)).status).toBe(404)
    const { start_project: _, ...without } = start
    expect((await outsider.post(`/projects/${mine}/repository/commits`, without)).status).toBe(400)
    const pick = await outsider.post(`/projects/${mine}/repository/commits/${secret}/cherry_pick`, { branch: 'main' })
    expect(pick.status).toBe(404)
    expect((await outsider.post(`/projects/${mine}/statuses/${secret}`, { state: 'success' })).status).toBe(404)
    const comment = await outsider.post(`/projects/${mine}/repository/commits/${secret}/comments`, { note: 'x' })
    expect(comment.status).toBe(404)
  })
})
