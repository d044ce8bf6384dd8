/** Several servers on one PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, clientOf } from '../src/testing/client.ts'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { temporaryDirectory } from '../src/testing/index.ts'
import { startVictim, type Victim } from './campaign/process.ts'

const token = 'glpat-token-of-root-of-three'
const jobs = 300

describe.runIf(onPostgres)('three processes on one database', () => {
  let database: Awaited<ReturnType<typeof makeFreshDatabase>>
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  const servers: Victim[] = []
  const root = (index: number): Client => clientOf(servers[index]?.url ?? '', token)
  beforeAll(async () => {
    database = await makeFreshDatabase()
    folder = await temporaryDirectory()
    const installation = { data: folder.path, databaseUrl: database.url, token }
    servers.push(await startVictim(installation))
    servers.push(...(await Promise.all([startVictim(installation), startVictim(installation)])))
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await database.remove()
    await folder[Symbol.asyncDispose]()
  })

  async function makePipeline(): Promise<number> {
    const { body: project } = await root(0).post('/projects', { name: 'shared' })
    const content = Array.from({ length: jobs }, (_, index) => `job ${index}: {script: make}\n`).join('')
    const file = { branch: 'main', commit_message: 'configure [skip ci]', content }
    await root(0).post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
    const created = await root(1).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    expect(created.status).toBe(201)
    return project.id
  }

  /** Asks one process for jobs until there are none. */
  async function takeAll(index: number, runner: string, taken: number[]): Promise<void> {
    const client = clientOf(servers[index]?.url ?? '')
    for (;;) {
      const { status, body } = await client.post('/jobs/request', { token: runner, system_id: `s_${index}` })
      if (status === 204) return
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      taken.push(body.id)
    }
  }

  test('give each job to one runner', async () => {
    const projectId = await makePipeline()
    const tokens = await Promise.all(
      Array.from({ length: 4 }, async () => {
        return (await root(2).post('/user/runners', { runner_type: 'instance_type' })).body.token as string
      }),
    )
    const taken: number[] = []
    await Promise.all(servers.flatMap((_, index) => tokens.map((runner) => takeAll(index, runner, taken))))
    expect([taken.length, new Set(taken).size]).toEqual([jobs, jobs])
    const running = await root(1).get(`/projects/${projectId}/jobs?scope=running&per_page=1`)
    expect(running.headers.get('x-total')).toBe(String(jobs))
  })
})
