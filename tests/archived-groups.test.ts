/** That whatever refuses an archived project refuses one in an archived group, and takes it again at once. */
import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRunner, type TestRunner } from '../src/modules/runners/testing.ts'
import {
  type Answer,
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
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let owner: Person
let key: SshKeyPair
let runner: TestRunner
let top: { id: number }
let project: { id: number }
const path = 'top/sub/thing'

beforeAll(async () => {
  server = await startTestServer({ sshPort: 0 })
  folder = await temporaryDirectory()
  owner = await server.user('owner')
  key = await sshKeyPair(folder.path, 'key')
  await owner.post('/user/keys', { title: 'k', key: key.publicKey })
  const group = await server.make.group('top', owner)
  const sub = await server.make.group('sub', owner, { parent: group })
  top = group
  project = await server.make.project('thing', owner, { namespace: sub })
  await mkdir(work())
  await makeHistory(work(), ['one', 'two'])
  await push('main~1:refs/heads/main')
  const ci = { branch: 'main', content: 'job:\n  script: echo\n', commit_message: 'ci' }
  expect((await owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, ci)).status).toBe(201)
  runner = await makeRunner(server)
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const work = () => `${folder.path}/work`
const push = (refspec: string) => git(work(), 'push', '--force', httpUrl(server, owner, path), refspec)
const pushOverSsh = (refspec: string) => sshGit(server, key, work(), 'push', '--force', sshUrl(server, path), refspec)

/** The actions on the images of the project that a token grants. */
async function grantedActions(): Promise<string[]> {
  const login = { Authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` }
  const scope = `scope=repository:${path}:pull,push`
  const { body } = await server.anonymous.get(`root:/jwt/auth?service=container_registry&${scope}`, { headers: login })
  const payload = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
  return payload.access.flatMap(({ actions }: { actions: string[] }) => actions)
}

let turn = 0
/** What each way to write answers: whether it was taken. */
async function taken(): Promise<Record<string, boolean>> {
  turn += 1
  const at = `/projects/${project.id}`
  const isTaken = ({ status }: Answer) => status < 300
  const oid = turn.toString(16).padStart(64, '0')
  const upload = { operation: 'upload', objects: [{ oid, size: 1 }], transfers: ['basic'] }
  const login = { Authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` }
  const lfsType = { ...login, 'Content-Type': 'application/vnd.git-lfs+json' }
  const overHttp = await push(`main:refs/heads/http${turn}`)
  const overSsh = await pushOverSsh(`main:refs/heads/ssh${turn}`)
  const lfs = await server.anonymous.post(`root:/${path}.git/info/lfs/objects/batch`, upload, { headers: lfsType })
  const form = new FormData()
  form.set('file', new File(['x'], 'x.txt'))
  return {
    'git over HTTP': overHttp.code === 0,
    'git over SSH': overSsh.code === 0,
    lfs: isTaken(lfs),
    images: (await grantedActions()).includes('push'),
    packages: isTaken(await owner.put(`${at}/packages/generic/tool/1.0.${turn}/f`, 'x')),
    commits: isTaken(await owner.post(`${at}/repository/branches`, { branch: `api${turn}`, ref: 'main' })),
    pipelines: isTaken(await owner.post(`${at}/pipeline`, { ref: 'main' })),
    issues: isTaken(await owner.post(`${at}/issues`, { title: 'x' })),
    uploads: isTaken(await owner.post(`${at}/uploads`, form)),
    'group uploads': isTaken(await owner.post(`/groups/${top.id}/uploads`, form)),
    'group wiki': isTaken(await owner.post(`/groups/${top.id}/wikis`, { title: `t${turn}`, content: 'x' })),
    hooks: isTaken(await owner.post(`${at}/hooks`, { url: 'https://example.com' })),
    mirrors: isTaken(await owner.post(`${at}/remote_mirrors`, { url: 'https://example.com/x.git' })),
  }
}

const each = (writes: Record<string, boolean>, value: boolean) =>
  Object.fromEntries(Object.keys(writes).map((name) => [name, value]))

test('all that writes is refused while a group above is archived, and taken again at once', async () => {
  const before = await taken()
  expect(before).toEqual(each(before, true))
  expect((await owner.post(`/groups/${top.id}/archive`)).status).toBe(201)
  expect(await taken()).toEqual(each(before, false))
  // The jobs that wait.
  expect((await runner.ask()).status).toBe(204)
  expect(await grantedActions()).toEqual(['pull'])
  expect((await push('main:refs/heads/x')).stderr).toContain("You can't push code to an archived project.")
  expect((await git(work(), 'ls-remote', httpUrl(server, owner, path))).stdout).toContain('refs/heads/main')
  expect((await owner.post(`/groups/${top.id}/unarchive`)).status).toBe(201)
  expect(await taken()).toEqual(each(before, true))
  expect((await runner.ask()).status).toBe(201)
})

test('schedules do not run while a group above is archived', async () => {
  const made = await owner.post(`/projects/${project.id}/pipeline_schedules`, {
    ...{ description: 'nightly', ref: 'refs/heads/main', cron: '0 1 * * *' },
  })
  expect(made.status).toBe(201)
  const { database, jobs } = server.app.platform
  const ran = async () => {
    await database.write(async (tx) => {
      await tx.updateTable('pipeline_schedules').set({ next_run_at: '2020-01-01T00:00:00.000Z' }).execute()
      await jobs.enqueue(tx, 'pipeline_schedules.tick', null)
    })
    await jobs.drain()
    return (await owner.get(`/projects/${project.id}/pipelines?source=schedule`)).body.length
  }
  await owner.post(`/groups/${top.id}/archive`)
  expect(await ran()).toBe(0)
  await owner.post(`/groups/${top.id}/unarchive`)
  expect(await ran()).toBe(1)
})
