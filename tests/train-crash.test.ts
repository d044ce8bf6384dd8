import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { type Client, clientOf, temporaryDirectory } from '../src/testing/index.ts'
import { checkInstallation, type Installation, startVictim, type Victim } from './campaign/process.ts'

// Generous because a loaded machine is slow.
vi.setConfig({ testTimeout: 600_000 })

const token = 'a-token-for-the-trains'
const requests = 5
/** How long after the end of a test a server is killed, in milliseconds; the first one while the tests are begun. */
const deaths = [20, 5, 40]

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let database: Awaited<ReturnType<typeof makeFreshDatabase>>
let installation: Installation
const servers: Victim[] = []
beforeAll(async () => {
  folder = await temporaryDirectory()
  database = await makeFreshDatabase()
  installation = { data: `${folder.path}/data`, databaseUrl: database.url, token }
  servers.push(await startVictim(installation))
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await database.remove()
  await folder[Symbol.asyncDispose]()
})

const at = '/projects/root%2Ftrained'
const config = `test: {script: make, rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"'}]}\n`
const client = (index = 0): Client => clientOf(servers[index]?.url ?? '', token)

async function made(path: string, body: object) {
  const answer = await client().post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Makes a project with open merge requests, and adds all of them to the train. @returns the token of a runner */
async function prepare(): Promise<string> {
  await made('/projects', { name: 'trained' })
  const commit = (branch: string, file_path: string, content: string, start: object) =>
    made(`${at}/repository/commits`, {
      ...{ branch, commit_message: branch, actions: [{ action: 'create', file_path, content }], ...start },
    })
  await commit('main', '.gitlab-ci.yml', config, {})
  await client().put(at, { merge_trains_enabled: true, merge_pipelines_enabled: true })
  for (let index = 1; index <= requests; index += 1) {
    const branch = `b${index}`
    await commit(branch, `${branch}.txt`, branch, { start_branch: 'main' })
    await made(`${at}/merge_requests`, { source_branch: branch, target_branch: 'main', title: branch })
  }
  const runner = await made('/user/runners', { runner_type: 'instance_type' })
  for (let iid = 1; iid <= requests; iid += 1) await made(`${at}/merge_trains/merge_requests/${iid}`, {})
  return runner.token
}

/** Runs a job as a runner does, at one of the servers. @returns whether there was one */
async function runJob(runner: string, index: number): Promise<boolean> {
  const { status, body } = await client(index).post('/jobs/request', { token: runner, system_id: 's_train' })
  if (status !== 201) return false
  expect(body.git_info.ref).toMatch(/^refs\/merge-requests\/\d+\/train$/)
  const ended = await client(index).put(`/jobs/${body.id}`, { token: body.token, state: 'success' })
  expect(ended.status).toBe(200)
  return true
}

/** Kills a server, and starts it again. */
async function restart(index: number): Promise<void> {
  await servers[index]?.kill()
  servers[index] = await startVictim(installation)
}

type Car = { status: string; merge_request: { iid: number } }

const cars = async (): Promise<Car[]> => (await client().get(`${at}/merge_trains?sort=asc&per_page=100`)).body

// On PostgreSQL the lease of a killed job ends by the clock, which takes longer than a test may.
test.skipIf(onPostgres)(
  'a merge train goes on after its server was killed, and tests and merges each request once',
  async () => {
    const runner = await prepare()
    for (const [round, afterMs] of deaths.entries()) {
      const index = round % servers.length
      const other = servers.length - 1 - index
      if (round > 0) await expect.poll(() => runJob(runner, other)).toBe(true)
      await sleep(afterMs)
      await restart(index)
      expect(await cars()).toHaveLength(requests)
    }
    await expect
      .poll(
        async () => {
          await runJob(runner, 0)
          return (await cars()).filter(({ status }) => status !== 'merged')
        },
        { timeout: 300_000 },
      )
      .toEqual([])

    const ran = (await client().get(`${at}/pipelines?source=merge_request_event&per_page=100`)).body
    const perRef = Map.groupBy(ran, ({ ref }: { ref: string }) => ref)
    expect(perRef.size).toBe(requests)
    expect(ran.map(({ status }: { status: string }) => status)).toEqual(Array(requests).fill('success'))

    const merged = (await client().get(`${at}/merge_requests?state=merged&order_by=created_at&sort=asc`)).body
    const { body } = await client().get(`${at}/repository/commits?ref_name=main&first_parent=true&per_page=100`)
    const onMain = body.map(({ id }: { id: string }) => id).slice(0, requests)
    expect(onMain.toReversed()).toEqual(merged.map(({ merge_commit_sha: sha }: { merge_commit_sha: string }) => sha))
    expect(merged.map(({ iid }: { iid: number }) => iid)).toEqual(
      Array.from({ length: requests }, (_, index) => index + 1),
    )

    await Promise.all(servers.splice(0).map((server) => server.stop()))
    expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
  },
)
