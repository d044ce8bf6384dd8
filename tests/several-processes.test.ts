/** Several servers on one PostgreSQL. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, clientOf } from '../src/testing/client.ts'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { git, temporaryDirectory } from '../src/testing/index.ts'
import { startVictim, type Victim } from './campaign/process.ts'

const token = 'glpat-token-of-root-of-three'
const jobs = 300
const patiently = { timeout: 25_000, interval: 100 }

type Member = { id: number; token: string; tokenId: number }

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

  /** A user with a token, as a developer of a private project. */
  async function member(name: string, project: { id: number }) {
    const account = { email: `${name}@example.com`, username: name, name, force_random_password: true }
    const { body: user } = await root(0).post('/users', account)
    const wanted = { name: 'own', scopes: ['api'] }
    const { body: made } = await root(0).post(`/users/${user.id}/personal_access_tokens`, wanted)
    await root(0).post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
    return { id: user.id as number, token: made.token as string, tokenId: made.id as number }
  }

  test.each([
    ['revoked tokens', (user: Member) => root(1).delete(`/personal_access_tokens/${user.tokenId}`), [401, false]],
    ['blocked users', (user: Member) => root(1).post(`/users/${user.id}/block`), [403, false]],
    [
      'removed members',
      (user: Member, id: number) => root(1).delete(`/projects/${id}/members/${user.id}`),
      [404, false],
    ],
  ] as const)('refuse %s on their next request, over REST and git', async (what, end, refused) => {
    const { body: project } = await root(0).post('/projects', {
      name: what.replace(' ', '-'),
      initialize_with_readme: true,
    })
    const user = await member(what.replace(' ', '.'), project)
    const access = async (index: number) => {
      const url = servers[index]?.url ?? ''
      const { status } = await clientOf(url, user.token).get(`/projects/${project.id}`)
      const remote = `${url.replace('//', `//x:${user.token}@`)}/${project.path_with_namespace}.git`
      return [status, (await git(folder.path, 'ls-remote', remote)).code === 0]
    }
    // All processes have seen the caller before.
    for (const index of [0, 1, 2]) expect(await access(index)).toEqual([200, true])
    expect((await end(user, project.id)).status).toBeLessThan(300)
    for (const index of [0, 1, 2]) expect(await access(index)).toEqual(refused)
  })

  test('record what a killed one has pushed, once, and show it before', async () => {
    const created = await root(0).post('/projects', { name: 'orphaned', initialize_with_readme: true })
    const path = `/projects/${created.body.id}`
    const file = { branch: 'main', commit_message: 'configure [skip ci]', content: 'job: {script: make}\n' }
    await root(0).post(`${path}/repository/files/.gitlab-ci.yml`, file)
    const work = `${folder.path}/orphaned`
    const remote = (index: number) =>
      `${(servers[index]?.url ?? '').replace('//', `//root:${token}@`)}/${created.body.path_with_namespace}.git`
    expect((await git(folder.path, 'clone', '--quiet', remote(0), work)).code).toBe(0)
    await git(work, 'commit', '--quiet', '--allow-empty', '--message', 'next')
    const head = (await git(work, 'rev-parse', 'HEAD')).stdout.trim()
    const headAt = async (index: number) => (await root(index).get(`${path}/repository/branches/main`)).body.commit.id
    for (const index of [0, 1]) expect(await headAt(index)).not.toBe(head)

    // The row can be read, and an intent stored, but the record waits for this lock.
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    await client.query(`begin; select id from repositories where project_id = ${created.body.id} for share`)
    const pushing = git(work, 'push', '--quiet', remote(2), 'HEAD:refs/heads/main')
    await expect.poll(async () => (await git(work, 'ls-remote', remote(0), 'main')).stdout, patiently).toContain(head)
    await servers[2]?.kill()
    expect((await pushing).code).not.toBe(0)
    for (const index of [0, 1]) expect(await headAt(index)).toBe(head)
    const pipelines = async () => (await root(1).get(`${path}/pipelines?sha=${head}`)).body.length
    expect(await pipelines()).toBe(0)

    await client.query('commit')
    await client.end()
    await expect.poll(pipelines, patiently).toBe(1)
    const pushed = async () => {
      const { body } = await root(0).get(`${path}/events?action=pushed`)
      return body.filter(({ push_data: data }: { push_data: { commit_to: string } }) => data.commit_to === head).length
    }
    await expect.poll(pushed, patiently).toBe(1)
    servers[2] = await startVictim({ data: folder.path, databaseUrl: database.url, token })
    expect([await pushed(), await pipelines()]).toEqual([1, 1])
  })
})
