import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  type Client,
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
} from '../../src/testing/index.ts'

/** The acceptance walk of branches and keys, step by step (contract 01); the numbers are the walk's. */
vi.setConfig({ testTimeout: 120_000 })

let server: TestServer
let root: Client
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
const people = {} as Record<'owner' | 'maintainer' | 'developer' | 'reporter' | 'outsider' | 'second', Person>
const P = '/projects/g%2Fp'
let q: number
let key: SshKeyPair
let keyId: number

const said = {
  push: 'GitLab: You are not allowed to push code to protected branches on this project.',
  force: 'GitLab: You are not allowed to force push code to a protected branch on this project.',
  readOnlyKey: 'This deploy key does not have write access to this project.',
}

const address = (person: Person, path = 'g/p') => httpUrl(server, person, path)
const push = (person: Person, ...parameters: string[]) => {
  const refspecs = parameters.filter((one) => !one.startsWith('-'))
  const options = parameters.filter((one) => one.startsWith('-'))
  return git(folder.path, 'push', ...options, address(person), ...refspecs)
}
const deployPush = (refspec: string) => sshGit(server, key, folder.path, 'push', sshUrl(server, 'g/p'), refspec)
const names = (list: { name: string }[]) => list.map(({ name }) => name)

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  root = server.root
  folder = await temporaryDirectory()
  for (const name of ['owner', 'maintainer', 'developer', 'reporter', 'outsider', 'second'] as const) {
    people[name] = await server.user(name)
  }
  const namespace = await server.make.group('g', people.owner)
  const project = await server.make.project('p', people.owner, { namespace })
  const other = await server.make.project('q', people.owner, { namespace })
  q = other.id
  await server.make.member({ project }, people.maintainer, 40)
  await server.make.member({ project }, people.developer, 30)
  await server.make.member({ project }, people.reporter, 20)
  await server.make.member({ project: other }, people.second, 40)
  await server.make.member({ project: other }, people.maintainer, 40)
  await makeHistory(folder.path, ['one', 'two'])
  key = await sshKeyPair(folder.path, 'deploy')
})
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]()
  await server?.stop()
})

test('1: the first push protects the default branch', async () => {
  expect(await push(people.maintainer, 'main')).toMatchObject({ code: 0 })
  const { body } = await people.maintainer.get(`${P}/protected_branches`)
  expect(body).toHaveLength(1)
  expect(body[0]).toMatchObject({
    name: 'main',
    push_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
    merge_access_levels: [{ access_level: 40 }],
    allow_force_push: false,
  })
  expect(body[0]).not.toHaveProperty('inherited')
})

test('2 and 3: branches are made and found', async () => {
  const { developer } = people
  const made = await developer.post(`${P}/repository/branches`, { branch: 'feature/a', ref: 'main' })
  expect(made).toMatchObject({ status: 201, body: { protected: false, can_push: true } })
  const refused = async (branch: string, ref: string) =>
    (await developer.post(`${P}/repository/branches`, { branch, ref })).body.message
  expect(await refused('feature/a', 'main')).toBe('Branch already exists')
  expect(await refused('other', 'nope')).toBe('Invalid reference name: nope')
  expect(await refused('a..b', 'main')).toBe('Branch name is invalid')
  expect((await developer.get(`${P}/repository/branches/feature%2Fa`)).status).toBe(200)
  const raw = await developer.get(`${P}/repository/branches/feature/a`)
  expect(raw).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  const found = async (query: string) => (await developer.get(`${P}/repository/branches?${query}`)).body
  expect(await found('search=^FEAT')).toHaveLength(1)
  expect(await found('search=/a$')).toHaveLength(1)
  expect(await found(`regex=${encodeURIComponent('^(main|feature/.*)$')}`)).toHaveLength(2)
  expect((await developer.get(`${P}/repository/branches?regex=(`)).status).toBe(400)
})

test('4: a developer does not push to the protected branch, nor anything beside it', async () => {
  await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'three')
  const before = (await root.get(`${P}/repository/branches/main`)).body.commit.id
  const refused = await push(people.developer, 'main')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(said.push) })
  expect(await push(people.developer, 'main', 'main:feature/b')).toMatchObject({ code: 1 })
  expect((await root.get(`${P}/repository/branches/main`)).body.commit.id).toBe(before)
  expect((await root.get(`${P}/repository/branches/feature%2Fb`)).status).toBe(404)
})

test('5 and 6: a wildcard, force pushes, and refused rules', async () => {
  const { maintainer, developer } = people
  const rule = { name: 'release/*', push_access_level: 30 }
  expect((await maintainer.post(`${P}/protected_branches`, rule)).status).toBe(201)
  expect(await push(developer, 'main:release/1')).toMatchObject({ code: 0 })
  const forced = await push(developer, '--force', 'main~1:release/1')
  expect(forced).toMatchObject({ code: 1, stderr: expect.stringContaining(said.force) })
  const changed = await maintainer.patch(`${P}/protected_branches/release%2F*`, { allow_force_push: true })
  expect(changed).toMatchObject({ status: 200, body: { allow_force_push: true } })
  expect(await push(developer, '--force', 'main~1:release/1')).toMatchObject({ code: 0 })
  expect(await maintainer.post(`${P}/protected_branches`, rule)).toMatchObject({
    status: 409,
    body: { message: "Protected branch 'release/*' already exists" },
  })
  const nameless = await maintainer.post(`${P}/protected_branches`, {})
  expect(nameless).toMatchObject({ status: 400, body: { error: 'name is missing' } })
  expect(await maintainer.post(`${P}/protected_branches`, { name: 'x', push_access_level: 35 })).toMatchObject({
    status: 400,
    body: { error: 'push_access_level does not have a valid value' },
  })
})

test('7: one more person may push', async () => {
  const { maintainer, developer, outsider } = people
  const given = { allowed_to_push: [{ user_id: developer.id }] }
  const changed = await maintainer.patch(`${P}/protected_branches/main`, given)
  expect(changed.body.push_access_levels).toMatchObject([
    { access_level: 40 },
    { access_level: null, user_id: developer.id },
  ])
  expect(await push(developer, 'main')).toMatchObject({ code: 0 })
  const { id } = changed.body.push_access_levels[1]
  const taken = await maintainer.patch(`${P}/protected_branches/main`, { allowed_to_push: [{ id, _destroy: true }] })
  expect(taken.body.push_access_levels).toHaveLength(1)
  expect(
    await maintainer.patch(`${P}/protected_branches/main`, { allowed_to_push: [{ user_id: outsider.id }] }),
  ).toMatchObject({ status: 422, body: { message: ['Push access levels user is not a member of the project'] } })
})

test('8: a deploy key with its fingerprints', async () => {
  const { maintainer } = people
  const body = { title: 'build', key: key.publicKey, can_push: true }
  const made = await maintainer.post(`${P}/deploy_keys`, body)
  expect(made.status).toBe(201)
  keyId = made.body.id
  const printed = (hash: string) =>
    execFileSync('ssh-keygen', ['-l', '-E', hash, '-f', `${key.path}.pub`], { encoding: 'utf8' }).split(' ')[1]
  expect(made.body.fingerprint_sha256).toBe(printed('sha256'))
  expect(`MD5:${made.body.fingerprint}`).toBe(printed('md5'))
  expect(await maintainer.post(`${P}/deploy_keys`, body)).toMatchObject({ status: 201, body: { id: keyId } })
  const garbage = await maintainer.post(`${P}/deploy_keys`, { title: 'x', key: 'garbage' })
  expect(garbage.status).toBe(400)
  expect(Object.keys(garbage.body.message)).toEqual(['deploy_key.key', 'deploy_key.fingerprint_sha256'])
})

test('9: the key clones and pushes as far as the rules let it', async () => {
  const { maintainer } = people
  expect(await sshGit(server, key, folder.path, 'clone', '--quiet', sshUrl(server, 'g/p'), 'copy')).toMatchObject({
    code: 0,
  })
  expect(await deployPush('main:feature/k')).toMatchObject({ code: 0 })
  await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'four')
  expect(await deployPush('main')).toMatchObject({ code: 1, stderr: expect.stringContaining(said.push) })
  await maintainer.patch(`${P}/protected_branches/main`, { allowed_to_push: [{ deploy_key_id: keyId }] })
  expect(await deployPush('main')).toMatchObject({ code: 0 })
  await maintainer.put(`${P}/deploy_keys/${keyId}`, { can_push: false })
  expect(await deployPush('main:feature/l')).toMatchObject({
    code: 128,
    stderr: expect.stringContaining(said.readOnlyKey),
  })
})

test('10 and 11: the key in another project, and its end', async () => {
  const { maintainer, second } = people
  const body = { title: 'build', key: key.publicKey }
  expect(await second.post(`/projects/${q}/deploy_keys`, body)).toMatchObject({
    status: 400,
    body: { message: { 'deploy_key.fingerprint_sha256': ['has already been taken'] } },
  })
  expect(await maintainer.post(`/projects/${q}/deploy_keys`, body)).toMatchObject({ status: 201, body: { id: keyId } })
  const shared = await maintainer.get(`/users/${second.id}/project_deploy_keys`)
  expect(shared.body.map(({ id }: { id: number }) => id)).toEqual([keyId])
  expect((await maintainer.delete(`${P}/deploy_keys/${keyId}`)).status).toBe(204)
  const { push_access_levels: levels } = (await maintainer.get(`${P}/protected_branches/main`)).body
  expect(levels.map(({ deploy_key_id: id }: { deploy_key_id?: number }) => id)).toEqual([undefined])
  expect((await maintainer.get(`/projects/${q}/deploy_keys/${keyId}`)).status).toBe(200)
  expect((await maintainer.delete(`/projects/${q}/deploy_keys/${keyId}`)).status).toBe(204)
  expect((await root.get('/deploy_keys')).body).toEqual([])
})

test('12: a public key for every project', async () => {
  const { maintainer } = people
  const made = await root.post('/deploy_keys', { title: 'public', key: key.publicKey })
  expect(made).toMatchObject({ status: 201, body: { usage_type: 'auth_and_signing' } })
  expect((await maintainer.post(`${P}/deploy_keys/${made.body.id}/enable`)).status).toBe(201)
  const [listed] = (await root.get('/deploy_keys?public=true')).body
  expect(listed.projects_with_readonly_access).toMatchObject([{ path_with_namespace: 'g/p' }])
  expect((await maintainer.get('/deploy_keys?public=true')).status).toBe(403)
})

test('13: merged branches go', async () => {
  const { maintainer, developer } = people
  await git(folder.path, 'push', '--quiet', address(developer), 'main:feature/a')
  const merged = await maintainer.get(`${P}/repository/branches/feature%2Fa`)
  expect(merged.body.merged).toBe(false)
  await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'five')
  expect(await push(maintainer, 'main')).toMatchObject({ code: 0 })
  expect((await maintainer.get(`${P}/repository/branches/feature%2Fa`)).body.merged).toBe(true)
  expect(await developer.delete(`${P}/repository/merged_branches`)).toMatchObject({
    status: 202,
    body: { message: '202 Accepted' },
  })
  await server.app.platform.jobs.drain()
  expect(names((await maintainer.get(`${P}/repository/branches`)).body)).toEqual(['main', 'release/1'])
})

test('14: who deletes what', async () => {
  const { maintainer, developer, reporter, outsider } = people
  const branches = `${P}/repository/branches`
  expect((await maintainer.delete(`${branches}/main`)).body.message).toBe(
    'The default branch of a project cannot be deleted.',
  )
  expect((await developer.delete(`${branches}/release%2F1`)).body.message).toBe(
    'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
  )
  expect((await reporter.delete(`${branches}/release%2F1`)).status).toBe(403)
  expect((await outsider.delete(`${branches}/release%2F1`)).body.message).toBe('404 Project Not Found')
  expect((await server.anonymous.delete(`${branches}/release%2F1`)).status).toBe(401)
  expect((await maintainer.delete(`${branches}/release%2F1`)).status).toBe(204)
})

test('15: what all members see, and what the group adds', async () => {
  const { owner, maintainer } = people
  await owner.put('/groups/g', { visibility: 'public' })
  expect((await owner.put(P, { visibility: 'public' })).status).toBe(200)
  expect((await server.anonymous.get(`${P}/repository/branches`)).status).toBe(200)
  expect((await server.anonymous.get(`${P}/protected_branches`)).status).toBe(401)
  expect((await owner.post('/groups/g/protected_branches', { name: 'hotfix/*' })).status).toBe(201)
  const inherited = (await maintainer.get(`${P}/protected_branches`)).body.find(
    ({ name }: { name: string }) => name === 'hotfix/*',
  )
  expect(inherited).toMatchObject({ inherited: true })
  expect((await maintainer.delete(`${P}/protected_branches/hotfix%2F*`)).status).toBe(403)
})
