import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { type Client, clientOf, git, makeHistory, temporaryDirectory } from '../src/testing/index.ts'
import { checkInstallation, type Installation, startVictim, type Victim } from './campaign/process.ts'

vi.setConfig({ testTimeout: 240_000 })

const projects = ['one', 'two', 'three']
const requestsEach = 6
/** When the server is killed: when a merge is seen under way, or so many milliseconds after the first one. */
const deaths = ['locked', 40, 'locked'] as const
const token = 'a-token-for-the-merges'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let database: Awaited<ReturnType<typeof makeFreshDatabase>>
let installation: Installation
let server: Victim
beforeAll(async () => {
  folder = await temporaryDirectory()
  database = await makeFreshDatabase()
  installation = { data: `${folder.path}/data`, databaseUrl: database.url, token }
})
afterAll(async () => {
  await server.kill()
  await database.remove()
  await folder[Symbol.asyncDispose]()
})

const work = () => `${folder.path}/work`
const addressOf = ({ url }: Victim, project: string) => `${url.replace('://', `://root:${token}@`)}/root/${project}.git`

async function run(...parameters: string[]): Promise<string> {
  const { code, stdout, stderr } = await git(work(), ...parameters)
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** Makes the projects with their open merge requests, of branches `b0`, `b1` …. */
async function prepare(server: Victim): Promise<void> {
  const client = clientOf(server.url, token)
  await git(folder.path, 'init', '--quiet', 'work')
  await makeHistory(work(), ['one'])
  const base = await run('rev-parse', 'HEAD')
  const tree = await run('rev-parse', 'HEAD^{tree}')
  const branches = Array.from({ length: requestsEach }, (_, index) => `b${index}`)
  for (const branch of branches) await run('branch', branch, await run('commit-tree', tree, '-p', base, '-m', branch))
  for (const project of projects) {
    await client.post('/projects', { name: project })
    await run('push', '--quiet', addressOf(server, project), `${base}:refs/heads/main`)
    await run('push', '--quiet', addressOf(server, project), ...branches)
    for (const source_branch of branches) {
      const wishes = { squash: source_branch.endsWith('1'), remove_source_branch: true }
      const params = { source_branch, target_branch: 'main', title: source_branch, ...wishes }
      const { status } = await client.post(`/projects/root%2F${project}/merge_requests`, params)
      expect(status).toBe(201)
    }
  }
}

type Request = { iid: number; state: string; merge_commit_sha: string; source_branch: string }

const requestsOf = async (client: Client, project: string): Promise<Request[]> =>
  (await client.get(`/projects/root%2F${project}/merge_requests?per_page=100&sort=asc`)).body

/** Waits until a merge is under way. */
async function seenLocked(client: Client): Promise<void> {
  for (;;) {
    for (const project of projects) {
      const { body } = await client.get(`/projects/root%2F${project}/merge_requests?state=locked&view=simple`)
      if (body.length > 0) return
    }
  }
}

/** Merges the open requests of all projects, one after another in each. @returns those that were answered by 200 */
async function mergeAll(client: Client, onFirst: () => void): Promise<Set<string>> {
  const merged = new Set<string>()
  await Promise.all(
    projects.map(async (project) => {
      const open = (await requestsOf(client, project)).filter(({ state }) => state === 'opened')
      for (const { iid } of open) {
        const answer = await client.put(`/projects/root%2F${project}/merge_requests/${iid}/merge`).catch(() => null)
        if (!answer) return
        expect([project, iid, answer.status, answer.body.state]).toEqual([project, iid, 200, 'merged'])
        merged.add(`${project} ${iid}`)
        onFirst()
      }
    }),
  )
  return merged
}

/** Each request is merged, with its commit once on the target and without its branch, or open, with nothing on the target. */
async function compare(server: Victim, acknowledged: ReadonlySet<string>): Promise<number> {
  const client = clientOf(server.url, token)
  let merged = 0
  for (const project of projects) {
    // On PostgreSQL a merge is settled when the database has noticed that its process has ended.
    await expect
      .poll(async () => (await requestsOf(client, project)).filter(({ state }) => state === 'locked'))
      .toEqual([])
    await run('fetch', '--quiet', addressOf(server, project), `+main:refs/heads/main-${project}`)
    const first = (await run('rev-list', '--first-parent', '--merges', `main-${project}`)).split('\n').filter(Boolean)
    const requests = await requestsOf(client, project)
    expect(requests).toHaveLength(requestsEach)
    const done = requests.filter(({ state }) => state === 'merged')
    expect(requests.filter(({ state }) => state !== 'merged' && state !== 'opened')).toEqual([])
    expect(done.map(({ merge_commit_sha: sha }) => sha).sort()).toEqual(first.sort())
    const names = new Set(done.map(({ iid }) => `${project} ${iid}`))
    expect([...acknowledged].filter((name) => name.startsWith(`${project} `) && !names.has(name))).toEqual([])
    const heads = await run('ls-remote', '--heads', addressOf(server, project))
    const present = heads.split('\n').map((line) => line.replace(/.*refs.heads./, ''))
    const open = requests.flatMap(({ state, source_branch: branch }) => (state === 'opened' ? [branch] : []))
    expect(present.sort()).toEqual(['main', ...open].sort())
    merged += done.length
  }
  return merged
}

test('a server that is killed while it merges leaves each request merged or open', async () => {
  server = await startVictim(installation)
  await prepare(server)
  const acknowledged = new Set<string>()
  for (const death of deaths) {
    const victim = server
    const client = clientOf(victim.url, token)
    const begun = Promise.withResolvers<void>()
    const merging = mergeAll(client, begun.resolve)
    const moment = death === 'locked' ? seenLocked(client) : begun.promise.then(() => sleep(death))
    moment.catch(() => {})
    await Promise.race([moment, merging])
    await victim.kill()
    for (const name of await merging) acknowledged.add(name)
    server = await startVictim(installation)
    const merged = await compare(server, acknowledged)
    expect(merged).toBeGreaterThanOrEqual(acknowledged.size)
    expect(merged).toBeLessThan(projects.length * requestsEach)
  }
  for (const name of await mergeAll(clientOf(server.url, token), () => {})) acknowledged.add(name)
  expect(await compare(server, acknowledged)).toBe(projects.length * requestsEach)
  await server.stop()
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
})
