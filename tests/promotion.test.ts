/** Two servers in processes of their own: the primary is killed, and its secondary takes its place (docs/guides/failover.md). */
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { visit } from '../src/modules/pages/testing.ts'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { bytesAt, type Client, clientOf, git, makeHistory, temporaryDirectory, zipOf } from '../src/testing/index.ts'
import { checkInstallation, type Installation, type Victim } from './campaign/process.ts'
import {
  branchesOf,
  command,
  commit,
  issuesOf,
  limits,
  patience,
  promoted,
  start,
  startPair,
  token,
  untilCopied,
} from './promoting.ts'

vi.setConfig(limits)

let pair: Awaited<ReturnType<typeof startPair>>
let primary: Installation
let secondary: Installation
let first: Victim
let second: Victim
let root: Client
let nodeId: number

async function emptyDatabase(): Promise<string> {
  const database = await makeFreshDatabase({ isEmpty: true })
  onTestFinished(() => database.remove())
  return database.url
}

const fileOf = (content: string): FormData => {
  const form = new FormData()
  form.set('file', new Blob([content]), 'file.txt')
  return form
}

const packageAt = (project: number, version: string) => `/projects/${project}/packages/generic/tool/${version}/tool.bin`

async function publish(project: number, version: string): Promise<void> {
  expect((await root.put(packageAt(project, version), `tool ${version}`)).status).toBe(201)
}

const published = async (client: Client, project: number, version: string) =>
  (await bytesAt(client, packageAt(project, version))).bytes.toString()

beforeEach(async () => {
  pair = await startPair({ first: emptyDatabase, second: emptyDatabase })
  ;({ primary, secondary, first, second, root, nodeId } = pair)
})
afterEach(() => pair[Symbol.asyncDispose]())

/** Publishes a site of a project by a job, as a runner does. @returns the address of its host */
async function publishSite(project: number, text: string): Promise<string> {
  const config = 'pages: {script: x, artifacts: {paths: [public]}}'
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }]
  await root.post(`/projects/${project}/repository/commits`, { branch: 'main', commit_message: 'site', actions })
  const { body: runner } = await root.post('/user/runners', { runner_type: 'project_type', project_id: project })
  const anonymous = clientOf(first.url)
  const taken: { id: number; token: string }[] = []
  const take = async () => {
    const { status, body } = await anonymous.post('/jobs/request', { token: runner.token })
    if (status === 201) taken.push(body)
    return taken.length
  }
  await expect.poll(take, patience).toBe(1)
  const [{ id, token: jobToken }] = taken as [{ id: number; token: string }]
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(zipOf({ 'public/index.html': text }))]), 'artifacts.zip')
  const path = `${first.url}/api/v4/jobs/${id}/artifacts?artifact_format=zip&artifact_type=archive`
  expect((await fetch(path, { method: 'POST', headers: { 'JOB-TOKEN': jobToken }, body: form })).status).toBe(201)
  expect((await anonymous.put(`/jobs/${id}`, { token: jobToken, state: 'success' })).status).toBe(200)
  const published = async () => (await root.get(`/projects/${project}/pages`)).body.deployments.length
  await expect.poll(published, patience).toBe(1)
  return (await root.get(`/projects/${project}/pages`)).body.url
}

/** What a server has at the address of a site, for its administrator. */
const siteAt = async ({ url }: Victim, address: string) =>
  (await visit({ url }, `${address}/`, { headers: { 'PRIVATE-TOKEN': token } })).body

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

describe('with a backup of the primary', () => {
  test('what was replicated is there, the rest is of the backup, and the loss is named', async () => {
    const backup = join(pair.folder, 'backup')
    const { body: group } = await root.post('/groups', { name: 'selected', path: 'selected' })
    const selected = { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] }
    await root.put(`/geo_sites/${nodeId}`, selected)
    const make = async (name: string, more = {}) =>
      (await root.post('/projects', { name, initialize_with_readme: true, ...more })).body.id as number
    const inGroup = { namespace_id: group.id }
    const [kept, unselected] = [await make('kept', inGroup), await make('unselected')]
    const { body: outside } = await root.post(`/projects/${unselected}/uploads`, fileOf('outside'))
    const { body: before } = await root.post(`/projects/${kept}/uploads`, fileOf('before the backup'))
    await publish(kept, '1.0')
    await root.post(`/projects/${kept}/issues`, { title: 'before the backup' })
    await untilCopied(pair, { repositories: 1, uploads: 1, packages: 1 })
    expect((await command(primary, ['backup', backup])).code).toBe(0)
    await commit(root, kept, 'after', 'main')
    await root.post(`/projects/${kept}/issues`, { title: 'after the backup' })
    await root.post(`/projects/${kept}/uploads`, fileOf('after the backup'))
    await publish(kept, '2.0')
    const late = await make('late', inGroup)
    await untilCopied(pair, { repositories: 2, uploads: 2, packages: 2 })
    const branches = await branchesOf(root, kept)
    expect(branches).toHaveLength(2)
    await first.kill()

    const database = await emptyDatabase()
    const parameters = ['promote', '--database', database, '--backup', backup]
    expect(await command(secondary, parameters)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'fennec: this secondary is running: stop it first\n',
    })
    await second.stop()
    const trial = await command(secondary, [...parameters, '--dry-run', '--quiet'])
    expect(trial, trial.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(trial.stdout).toContain('Nothing was changed.')
    expect(trial.stdout).toContain(
      'Repositories: 1 from the copies, with refs newer than the database; 1 from the backup.',
    )
    expect(trial.stdout).toContain('0 in place, 2 from the copies, 1 from the backup, 0 missing.')
    const done = await command(secondary, [...parameters, '--quiet'])
    expect(done, done.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain('This server is the primary now.')
    expect(done.stdout).toMatch(/Lost of the database: \d+ s\./)
    expect(done.stdout).toMatch(/Lost of repositories and files: 0 s/)
    expect(done.stdout).toMatch(new RegExp(`Made after the database.*of project ${late}; its copy stays in default:`))
    expect(done.stdout).toContain('2 uploads, LFS objects, package files, secure files and sites')
    expect((await command(secondary, parameters)).stdout).toBe(
      'This server is the primary already; nothing was done.\n',
    )
    const refused = await command(secondary, ['serve'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('this secondary was promoted at ') })

    const installation = promoted(pair, database)
    const strays = (await checkInstallation(installation)).output
      .split('\n')
      .filter((line) => line.includes('default:'))
    expect(strays).toEqual([expect.stringContaining('holds a repository that no row of the database names')])
    const third = await start(installation)
    const now = clientOf(third.url, token)
    expect(await branchesOf(now, kept)).toEqual(branches)
    expect(await branchesOf(now, unselected)).toHaveLength(1)
    expect(await issuesOf(now, kept)).toEqual(['before the backup'])
    expect((await now.get(`root:/-/project/${kept}${before.url}`)).body).toBe('before the backup')
    expect((await now.get(`root:/-/project/${unselected}${outside.url}`)).body).toBe('outside')
    expect(await published(now, kept, '1.0')).toBe('tool 1.0')
    expect((await now.get(packageAt(kept, '2.0'))).status).toBe(404)
    expect((await now.get(`/projects/${late}`)).status).toBe(404)
    const sites = (await now.get('/geo_sites')).body.map(
      ({ name, primary: isPrimary, enabled, current }: Record<string, unknown>) => [name, isPrimary, enabled, current],
    )
    expect(sites).toEqual([
      ['first', false, false, false],
      ['second', true, true, true],
    ])
    await using tree = await temporaryDirectory()
    await makeHistory(tree.path, ['pushed'])
    const address = `${third.url.replace('://', `://root:${token}@`)}/selected/kept.git`
    expect(await git(tree.path, 'push', address, 'HEAD:pushed')).toMatchObject({ code: 0 })
    expect(await branchesOf(now, kept)).toHaveLength(3)

    // The former primary comes back, and learns that it is superseded.
    const returned = await start(primary)
    const old = clientOf(returned.url, token)
    const refusedCommit = async () => (await commit(old, kept, `late-${performance.now()}`, 'main')).status
    await expect.poll(refusedCommit, patience).toBe(503)
    expect((await old.get(`/projects/${late}`)).status).toBe(200)
    const { body } = await old.post('/projects', { name: 'more' })
    expect(body.message).toContain(`Another server was promoted in place of this one`)
    expect((await old.get('root:/-/readiness')).status).toBe(503)
    await returned.kill()
    expect((await command(primary, ['instance', 'reclaim'])).stdout).toContain('accepts changes')
    const again = await start(primary)
    expect((await commit(clientOf(again.url, token), kept, 'reclaimed', 'main')).status).toBe(201)
  })
})

describe('with a database that follows the primary', () => {
  test('everything that was replicated is there, and the secret key is asked for', async () => {
    const project = (await root.post('/projects', { name: 'p', initialize_with_readme: true })).body.id as number
    const { body: upload } = await root.post(`/projects/${project}/uploads`, fileOf('an upload'))
    await root.post(`/projects/${project}/variables`, { key: 'SECRET', value: 'a sealed value' })
    await publish(project, '1.0')
    const secret = fileOf('a secure file')
    secret.set('name', 'key.p12')
    const { body: secure } = await root.post(`/projects/${project}/secure_files`, secret)
    const site = await publishSite(project, 'a site')
    await untilCopied(pair, { repositories: 1, uploads: 1, packages: 1 })
    const copies = async () => (await root.get(`/geo_sites/${nodeId}/status`)).body
    const verified = { ci_secure_files_verified_count: 1, pages_deployments_verified_count: 1 }
    await expect.poll(copies, patience).toMatchObject(verified)
    const branches = await branchesOf(root, project)
    const forgotten = (await root.post('/projects', { name: 'forgotten', initialize_with_readme: true })).body
      .id as number
    await untilCopied(pair, { repositories: 2, uploads: 1, packages: 1 })
    await second.kill()
    // Only the database has this.
    await commit(root, forgotten, 'lost', 'main')
    const { body: lost } = await root.post('/projects', { name: 'lost', initialize_with_readme: true })
    await first.kill()

    const database = primary.databaseUrl ?? ''
    const parameters = ['promote', '--database', database]
    const withoutKey = await command(secondary, parameters)
    expect(withoutKey).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the secret key of the primary is not here'),
    })
    await copyFile(join(primary.data, 'secret-key'), join(secondary.data, 'secret-key'))
    const done = await command(secondary, parameters)
    expect(done, done.stderr).toMatchObject({ code: 0 })
    expect(done.stdout).toContain(
      'Repositories: 1 from the copies; 1 from the copies, with refs older than the database, or damaged; 1 missing.',
    )
    expect(done.stdout).toMatch(
      new RegExp(`Older than the database, or damaged: repository \\d+ .project ${forgotten}., in`),
    )
    expect(done.stdout).toMatch(new RegExp(`Missing: repository \\d+ .project ${lost.id}.`))
    expect(done.stdout).toContain('parts of images: 0 in place, 4 from the copies, 0 from the backup, 0 missing.')
    expect(done.stdout).toContain('Lost of the database: 0 s.')
    expect(done.stdout).toMatch(/Lost of repositories and files: [1-9]\d* s/)
    const installation = promoted(pair, database)
    const problems = (await checkInstallation(installation)).output
    expect(problems).toContain('is missing on disk')
    expect(problems).toContain('1 problems found.')
    const third = await start(installation)
    const now = clientOf(third.url, token)
    expect(await branchesOf(now, project)).toEqual(branches)
    expect((await now.get(`root:/-/project/${project}${upload.url}`)).body).toBe('an upload')
    expect((await now.get(`/projects/${project}/variables/SECRET`)).body.value).toBe('a sealed value')
    expect(await published(now, project, '1.0')).toBe('tool 1.0')
    expect((await bytesAt(now, `/projects/${project}/secure_files/${secure.id}/download`)).bytes.toString()).toBe(
      'a secure file',
    )
    expect(await siteAt(third, site)).toBe('a site')
    expect(await exists(join(secondary.data, 'objects', 'replicas', 'package_files'))).toBe(false)
    expect(await exists(join(secondary.data, 'objects', 'replicas', 'uploads'))).toBe(false)
  })
})

// On PostgreSQL, `crash-campaign` kills a server.
test.skipIf(onPostgres)('a promotion that is killed at any moment goes on when it is run again', async () => {
  const backup = join(pair.folder, 'backup')
  const project = (await root.post('/projects', { name: 'p', initialize_with_readme: true })).body.id as number
  const { body: upload } = await root.post(`/projects/${project}/uploads`, fileOf('an upload'))
  await untilCopied(pair, { repositories: 1, uploads: 1 })
  expect((await command(primary, ['backup', backup])).code).toBe(0)
  await commit(root, project, 'after', 'main')
  await untilCopied(pair, { repositories: 1, uploads: 1 })
  const branches = await branchesOf(root, project)
  await first.kill()
  await second.stop()
  const database = await emptyDatabase()
  const parameters = ['promote', '--database', database, '--backup', backup, '--quiet']
  let kills = 0
  // By a share of the time, so that the sum grows no faster than the time of one run, however slow the machine is.
  for (let afterMs = 200; ; afterMs *= 1.15) {
    const { code, stderr } = await command(secondary, parameters, afterMs)
    if (code !== null) {
      expect([code, stderr]).toEqual([0, ''])
      break
    }
    kills += 1
  }
  expect(kills).toBeGreaterThan(0)
  const installation = promoted(pair, database)
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
  const now = clientOf((await start(installation)).url, token)
  expect(await branchesOf(now, project)).toEqual(branches)
  expect((await now.get(`root:/-/project/${project}${upload.url}`)).body).toBe('an upload')
})
