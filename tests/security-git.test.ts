/** Attacks through git: each test is named by a class of vulnerabilities that platforms of this kind have had. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../src/index.ts'
import {
  git,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../src/testing/index.ts'

const clock = manualClock({ start: '2026-05-05T12:00:00.000Z' })
let server: TestServer
let owner: Person
let outsider: Person
let work: Awaited<ReturnType<typeof temporaryDirectory>>
/** Commits of the work tree, oldest first; the last one is pushed to the hidden project alone. */
let commits: string[]

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  outsider = await server.user('outsider')
  work = await temporaryDirectory()
  await makeHistory(work.path, ['one', 'two', 'hidden'])
  commits = (await git(work.path, 'rev-list', '--reverse', 'HEAD')).stdout.trim().split('\n')
  for (const [path, tip] of [
    ['shown', commits[1]],
    ['hidden', commits[2]],
  ] as const) {
    await server.make.project(path, owner, { visibility: path === 'shown' ? 'public' : 'private' })
    expect(await git(work.path, 'push', address(path), `${tip}:refs/heads/main`)).toMatchObject({ code: 0 })
  }
})
afterAll(async () => {
  await server.stop()
  await work[Symbol.asyncDispose]()
})

function address(path: string, user = 'owner', password = owner.token): string {
  return `${server.url.replace('://', `://${user}:${password}@`)}/owner/${path}.git`
}

const branchesOf = (path: string) => `/projects/owner%2F${path}/repository/branches`
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

type Asked = { path?: string; authorization?: string; service?: string; headers?: Record<string, string> }

async function ask({ path = 'owner/hidden', authorization, service = 'git-upload-pack', headers = {} }: Asked) {
  const response = await fetch(`${server.url}/${path}.git/info/refs?service=${service}`, {
    redirect: 'manual',
    headers: { ...headers, ...(authorization === undefined ? {} : { Authorization: authorization }) },
  })
  return { status: response.status, body: await response.text(), headers: response.headers }
}

describe('refs', () => {
  test('tags do not replace branches of the same name', async () => {
    const push = ['refs/heads/twin', 'refs/tags/twin'].map((ref, index) => `${commits[index]}:${ref}`)
    expect(await git(work.path, 'push', address('shown'), ...push)).toMatchObject({ code: 0 })
    expect((await owner.get(`${branchesOf('shown')}/twin`)).body.commit.id).toBe(commits[0])
    const refs: [string, string | undefined][] = [
      ['twin', commits[0]],
      ['refs/heads/twin', commits[0]],
      ['refs/tags/twin', commits[1]],
    ]
    for (const [index, [ref, oid]] of refs.entries()) {
      const { body } = await owner.post(branchesOf('shown'), { branch: `from-${index}`, ref })
      expect([ref, body.commit.id]).toEqual([ref, oid])
    }
    await owner.delete(`${branchesOf('shown')}/twin`)
    const left = await git(work.path, 'ls-remote', address('shown'), 'refs/*/twin')
    expect(left.stdout).toBe(`${commits[1]}\trefs/tags/twin\n`)
  })

  test('branches cannot be named like commits', async () => {
    for (const name of [commits[0] ?? '', 'a'.repeat(40), 'b'.repeat(64)]) {
      expect(await git(work.path, 'push', address('shown'), `${commits[1]}:refs/heads/${name}`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('hexadecimal branch name'),
      })
      expect((await owner.post(branchesOf('shown'), { branch: name, ref: 'main' })).status).toBe(400)
      expect((await owner.get(`${branchesOf('shown')}/${name}`)).status).toBe(404)
    }
  })

  const options = ['-x', '--exec=id', '--upload-pack=id', '-', '--', '--all', '--output=/tmp/x', '-h', '--help']
  const syntax = [
    'main..twin',
    'main^{/x}',
    '@{-1}',
    ':/one',
    'main:file',
    '@',
    '^main',
    'main~1',
    'main@{0}',
    '*',
    '..',
  ]
  const control = [
    'a\nb',
    'a\u0000b',
    'a\r',
    ' ',
    'a b',
    '\u007f',
    'x'.repeat(5_000),
    '../../config',
    '.git/config',
    'HEAD',
  ]

  test.each([
    ['an option', options],
    ['a part of the grammar of revisions', syntax],
    ['more than one line, or a path', control],
  ])('names are not interpreted by git as %s', async (_, names) => {
    for (const name of names) {
      const made = await owner.post(branchesOf('shown'), { branch: name, ref: 'main' })
      expect([name, made.status]).toEqual([name, 400])
      if (name !== 'HEAD') {
        const { status } = await owner.post(branchesOf('shown'), { branch: 'new-one', ref: name })
        expect([name, status]).toEqual([name, 400])
      }
      const path = `${branchesOf('shown')}/${encodeURIComponent(name)}`
      for (const method of ['GET', 'DELETE']) {
        const { status } = await owner.request(method, path)
        expect([method, name, [400, 404].includes(status)]).toEqual([method, name, true])
      }
    }
    const names2 = (await owner.get(branchesOf('shown'))).body.map(({ name }: { name: string }) => name)
    expect(names2).not.toContain('new-one')
  })

  test('internal refs refuse pushes, and push options are not executed', async () => {
    for (const ref of [
      'refs/keep-around/x',
      'refs/merge-requests/1/head',
      'refs/pipelines/1',
      'refs/x/y',
      'refs/heads/-x',
    ]) {
      const refused = await git(work.path, 'push', address('shown'), `${commits[0]}:${ref}`)
      expect([ref, refused.code]).toEqual([ref, 1])
    }
    const hostile = ['$(touch /tmp/x)', '`id`', "';id;'", 'a\\000b', '%s%n', 'x'.repeat(10_000)]
    const given = hostile.flatMap((option) => ['-o', option])
    const pushed = await git(work.path, 'push', ...given, address('shown'), `${commits[0]}:refs/heads/with-options`)
    expect(pushed).toMatchObject({ code: 0 })
  })
})

describe('objects', () => {
  test('objects of other repositories are not reachable by id', async () => {
    const hidden = commits[2] ?? ''
    for (const ref of [hidden, hidden.slice(0, 12), hidden.toUpperCase()]) {
      expect((await owner.post(branchesOf('shown'), { branch: 'stolen', ref })).status).toBe(400)
    }
    await using clone = await temporaryDirectory()
    await git(clone.path, 'init', '--quiet')
    const fetched = await git(clone.path, 'fetch', `${server.url}/owner/shown.git`, hidden)
    expect(fetched.code).not.toBe(0)
    const own = await server.make.project('own', outsider)
    const there = server.url.replace('://', `://outsider:${outsider.token}@`)
    // A push that claims a commit without bringing it.
    const change = `${'0'.repeat(40)} ${hidden} refs/heads/stolen\0report-status`
    const request = `${(change.length + 4).toString(16).padStart(4, '0')}${change}0000`
    const pack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')
    const response = await fetch(`${server.url}/outsider/own.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        Authorization: basic('outsider', outsider.token),
        'Content-Type': 'application/x-git-receive-pack-request',
      },
      body: new Uint8Array(Buffer.concat([Buffer.from(request), pack])),
    })
    expect(await response.text()).not.toContain('ok refs/heads/stolen')
    expect((await git(clone.path, 'ls-remote', `${there}/outsider/own.git`)).stdout).toBe('')
    expect((await outsider.get(`/projects/${own.id}/repository/branches`)).body).toEqual([])
  })
})

describe('access rights', () => {
  test('every scheme and verb is limited by the scopes', async () => {
    const scopes = ['api', 'read_api', 'read_user', 'read_repository', 'write_repository', 'sudo', 'read_registry']
    for (const scope of scopes) {
      const token = await server.make.token(owner, [scope])
      const reads = ['api', 'read_repository', 'write_repository'].includes(scope) ? 200 : 403
      const writes = ['api', 'write_repository'].includes(scope) ? 200 : 403
      const by = async (authorization: string, service: string) => (await ask({ authorization, service })).status
      expect([scope, await by(basic('any', token), 'git-upload-pack')]).toEqual([scope, reads])
      expect([scope, await by(basic('any', token), 'git-receive-pack')]).toEqual([scope, writes])
      for (const other of [
        `Bearer ${token}`,
        `bearer ${token}`,
        `Token ${token}`,
        token,
        `Basic ${token}`,
        'Basic =',
      ]) {
        expect([other, await by(other, 'git-upload-pack')]).toEqual([other, 401])
        expect([other, await by(other, 'git-receive-pack')]).toEqual([other, 401])
      }
      const elsewhere = { 'PRIVATE-TOKEN': token, 'JOB-TOKEN': token, 'Deploy-Token': token }
      expect((await ask({ headers: elsewhere })).status).toBe(401)
      expect((await ask({ path: 'owner/hidden', service: `git-upload-pack&private_token=${token}` })).status).toBe(401)
    }
  })

  test('a revoked right is denied from the next request on', async () => {
    const person = await server.user('leaving')
    const project = await server.make.project('left', owner)
    const push = async (user: string, password: string) =>
      (
        await git(
          work.path,
          'push',
          address('left', user, password),
          `${commits[0]}:refs/heads/${randomBytes(4).toString('hex')}`,
        )
      ).code
    expect(await push('owner', owner.token)).toBe(0)
    await server.make.member({ project }, person, 30)
    expect(await push('leaving', person.token)).toBe(0)
    await owner.delete(`/projects/${project.id}/members/${person.id}`)
    expect(await push('leaving', person.token)).not.toBe(0)
    await server.make.member({ project }, person, 30)
    expect(await push('leaving', person.token)).toBe(0)
    await server.root.post(`/users/${person.id}/block`)
    expect(await push('leaving', person.token)).not.toBe(0)
    const made = { name: 'd', username: 'deployer', scopes: ['read_repository'], expires_at: '2026-05-07' }
    const { body: token } = await owner.post(`/projects/${project.id}/deploy_tokens`, made)
    const reads = async () => (await ask({ path: 'owner/left', authorization: basic('deployer', token.token) })).status
    expect(await reads()).toBe(200)
    clock.advance(36 * 3_600_000)
    expect(await reads()).toBe(401)
    const { body: revoked } = await owner.post(`/projects/${project.id}/deploy_tokens`, {
      ...made,
      expires_at: '2027-01-01',
    })
    const readsStill = async () =>
      (await ask({ path: 'owner/left', authorization: basic('deployer', revoked.token) })).status
    expect(await readsStill()).toBe(200)
    await owner.delete(`/projects/${project.id}/deploy_tokens/${revoked.id}`)
    expect(await readsStill()).toBe(401)
  })

  test('private resources are answered like missing ones', async () => {
    for (const authorization of [undefined, basic('outsider', outsider.token)]) {
      for (const service of ['git-upload-pack', 'git-receive-pack']) {
        const [hidden, missing] = [
          await ask({ path: 'owner/hidden', service, authorization }),
          await ask({ path: 'owner/missing', service, authorization }),
        ]
        expect({ status: hidden.status, body: hidden.body }).toEqual({ status: missing.status, body: missing.body })
      }
    }
  })
})

describe('the transport', () => {
  test('paths do not lead out of their directory', async () => {
    const authorization = basic('root', server.rootToken)
    const tricks = [
      '..%2f..%2fetc',
      'owner%2f..%2fowner%2fhidden%00',
      'owner/hidden%00',
      '%2fetc',
      '@hashed/ab/cd/x',
      'owner/hidden.git/objects',
      '-/owner/hidden',
      '%ff%fe',
      'owner%5chidden',
      `owner/${'x'.repeat(5_000)}`,
    ]
    for (const path of tricks) {
      const { status } = await ask({ path, authorization })
      expect([path, status]).toEqual([path, 404])
    }
    for (const file of ['HEAD', 'config', 'objects/info/packs', 'hooks/pre-receive', 'info/refs']) {
      const response = await fetch(`${server.url}/owner/shown.git/${file}`)
      expect([file, response.status >= 400]).toEqual([file, true])
    }
  })

  test('redirects do not lead to another host', async () => {
    for (const path of [
      'owner/shown',
      '/evil.example/x',
      '//evil.example',
      '\\evil.example',
      '@evil.example',
      '%2f%2fevil',
    ]) {
      const response = await fetch(`${server.url}/${path}/info/refs?service=git-upload-pack`, {
        redirect: 'manual',
        headers: { 'X-Forwarded-Host': 'evil.example' },
      })
      const location = response.headers.get('location')
      if (location !== null) expect([path, new URL(location).origin]).toEqual([path, server.url])
    }
  })

  test('headers and services do not become arguments or variables of git', async () => {
    const authorization = basic('owner', owner.token)
    for (const protocol of ['version=2:--upload-pack=id', 'version=9', '--help', 'x=$(id)', 'version=2'.repeat(500)]) {
      const { status, headers } = await ask({ authorization, headers: { 'Git-Protocol': protocol } })
      expect([protocol.slice(0, 30), status]).toEqual([protocol.slice(0, 30), 200])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    for (const service of ['git-upload-archive', 'git-shell', '../git-upload-pack', 'git-upload-pack%00', '-x', 'sh']) {
      expect([service, (await ask({ authorization, service })).status]).toEqual([service, 403])
    }
  })

  test('malformed packets do not stop the server', async () => {
    const bodies = [
      'ffff',
      `fff0${'x'.repeat(70_000)}`,
      '0001',
      '-001',
      '0004'.repeat(100_000),
      `0032want ${'f'.repeat(40)}\n0000`,
      '\0',
    ]
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      for (const body of bodies) {
        const response = await fetch(`${server.url}/owner/shown.git/${service}`, {
          method: 'POST',
          headers: {
            Authorization: basic('owner', owner.token),
            'Content-Type': `application/x-${service}-request`,
            'Git-Protocol': 'version=2',
          },
          body,
        }).then(
          (answer) => answer.text(),
          () => 'cut off',
        )
        expect(response).not.toContain('unpack ok')
      }
    }
    expect((await git(work.path, 'ls-remote', address('shown'))).code).toBe(0)
  })
})
