/** One server of two processes, on PostgreSQL. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Caller, caller } from '../bench/caller.ts'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { git, temporaryDirectory } from '../src/testing/index.ts'
import { startVictim, type Victim } from './campaign/process.ts'
import { childrenOf } from './setup/cluster.ts'

// A loaded machine starts three processes slowly, and twice.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const token = 'glpat-token-of-root-of-two'

describe.runIf(onPostgres)('two workers', () => {
  let database: Awaited<ReturnType<typeof makeFreshDatabase>>
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  let start: () => Promise<Victim>
  let server: Victim
  /** Connections are given to the workers in turn, so each caller talks to one, and the two to both. */
  let callers: [Caller, Caller]
  beforeAll(async () => {
    database = await makeFreshDatabase()
    folder = await temporaryDirectory()
    const listen = '127.0.0.1:0'
    const settings = { FENNEC_WORKERS: '2', FENNEC_SSH_LISTEN: listen, FENNEC_REGISTRY_LISTEN: listen }
    start = () => startVictim({ data: folder.path, databaseUrl: database.url, token, settings })
    server = await start()
    callers = [caller(server.url, token), caller(server.url, token)]
  })
  afterAll(async () => {
    for (const one of callers ?? []) one.close()
    await server?.kill()
    await database.remove()
    await folder[Symbol.asyncDispose]()
  })

  const ask = async (one: Caller, path: string) => JSON.parse(await one.call({ path: `/api/v4${path}` }))
  const post = async (path: string, body: object) =>
    JSON.parse(await callers[0].call({ method: 'POST', path: `/api/v4${path}`, body }, 201))
  const metrics = (one: Caller) => one.call({ path: '/-/metrics' })
  const answered = (text: string, operation: string) =>
    [1, 2].map((worker) => {
      const sample = new RegExp(
        `^fennec_request_seconds_count{worker="${worker}",operation="${operation}".* (\\d+)$`,
        'm',
      )
      return Number(sample.exec(text)?.[1] ?? 0)
    })

  test('serve the same ports, and either answers for both', async () => {
    for (const one of callers) expect(await ask(one, '/user')).toMatchObject({ id: 1 })
    for (const one of callers) {
      expect(answered(await metrics(one), 'user.get')).toEqual([1, 1])
      expect(JSON.parse(await one.call({ path: '/-/readiness' }))).toMatchObject({ status: 'ok' })
      expect(JSON.parse(await one.call({ path: '/-/liveness' }))).toEqual({ status: 'ok' })
    }
  })

  test('serve SSH and the registry at their ports', async () => {
    const project = await post('/projects', { name: 'ports' })
    const ssh = new URL(project.ssh_url_to_repo)
    const greetings = Array.from({ length: 2 }, async () => {
      const socket = connect(Number(ssh.port), ssh.hostname)
      const [text] = await once(socket, 'data')
      socket.destroy()
      return String(text).slice(0, 8)
    })
    expect(await Promise.all(greetings)).toEqual(['SSH-2.0-', 'SSH-2.0-'])
    const registry = project.container_registry_image_prefix.split('/')[0]
    for (const _ of callers) expect((await fetch(`http://${registry}/v2/`)).status).toBe(401)
  })

  test('refuse a token on the next request when the other has revoked it', async () => {
    const made = await post('/users/1/personal_access_tokens', { name: 'short', scopes: ['api'] })
    const own = callers.map(() => caller(server.url, made.token))
    for (const one of own) expect(await ask(one, '/user')).toMatchObject({ id: 1 })
    await callers[1].call({ method: 'DELETE', path: `/api/v4/personal_access_tokens/${made.id}` }, 204)
    for (const one of own) await one.call({ path: '/api/v4/user' }, 401)
    for (const one of own) one.close()
  })

  test('show a push to the one as well as to the other', async () => {
    const { id, path_with_namespace: path } = await post('/projects', { name: 'pushed', initialize_with_readme: true })
    const heads = () =>
      Promise.all(callers.map(async (one) => (await ask(one, `/projects/${id}/repository/branches/main`)).commit.id))
    expect(new Set(await heads()).size).toBe(1)
    const work = `${folder.path}/work`
    const remote = `${server.url.replace('//', `//root:${token}@`)}/${path}.git`
    expect(await git(folder.path, 'clone', '--quiet', remote, work)).toMatchObject({ code: 0 })
    for (let round = 0; round < 2; round += 1) {
      await git(work, 'commit', '--quiet', '--allow-empty', '--message', `round ${round}`)
      expect(await git(work, 'push', '--quiet', 'origin', 'main')).toMatchObject({ code: 0 })
      const head = (await git(work, 'rev-parse', 'HEAD')).stdout.trim()
      expect(await heads()).toEqual([head, head])
    }
  })

  /** Over a connection of its own. */
  async function statusOf(url: string): Promise<number | undefined> {
    const [answer] = await once(request(url, { agent: false, headers: { 'PRIVATE-TOKEN': token } }).end(), 'response')
    answer.resume()
    return answer.statusCode
  }

  test('start a killed one again, while the other serves', async () => {
    const [killed, other] = childrenOf(server.pid) as [number, number]
    process.kill(killed, 'SIGKILL')
    const answers = await Promise.allSettled(callers.map((one) => ask(one, '/user')))
    expect(answers.map(({ status }) => status)).toContain('fulfilled')
    await expect.poll(() => childrenOf(server.pid)).not.toContain(killed)
    const samples = async () => (await metrics(callers[0])).match(/^process_resident_memory_bytes{.*}/gm)
    const statuses = new Set<number | undefined>()
    // One that starts is given no connections before it is ready, else some of these would be answered 503.
    const ends = async () => {
      statuses.add(await statusOf(`${server.url}/api/v4/version`))
      return (await samples())?.length
    }
    await expect.poll(ends).toBe(2)
    expect([...statuses]).toEqual([200])
    expect(childrenOf(server.pid)).toHaveLength(2)
    expect(childrenOf(server.pid)).toContain(other)
    expect((await fetch(`${server.url}/-/readiness`)).status).toBe(200)
  })

  /** Begins to make a group. @returns ends it, and gives the status */
  async function beginGroup(name: string): Promise<() => Promise<number>> {
    const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json', Expect: '100-continue' }
    const sent = request(`${server.url}/api/v4/groups`, { method: 'POST', headers, agent: false })
    sent.flushHeaders()
    await once(sent, 'continue')
    return async () => {
      sent.end(JSON.stringify({ name, path: name }))
      const [answer] = await once(sent, 'response')
      answer.resume()
      return answer.statusCode
    }
  }

  test('finish what is under way when they are stopped, and leave nothing behind', async () => {
    const workers = childrenOf(server.pid)
    const begun = [await beginGroup('last'), await beginGroup('very-last')]
    const stopped = server.stop()
    const isOpen = () =>
      fetch(server.url).then(
        () => true,
        () => false,
      )
    await expect.poll(isOpen).toBe(false)
    expect(await Promise.all(begun.map((end) => end()))).toEqual([201, 201])
    expect(await stopped).toBe(0)
    for (const pid of workers) expect(hasEnded(pid)).toBe(true)
  })

  test('finish what is under way when their parent is killed, and end', async () => {
    server = await start()
    const workers = childrenOf(server.pid)
    expect(workers).toHaveLength(2)
    const end = await beginGroup('abandoned')
    await server.kill()
    expect(await end()).toBe(201)
    await expect.poll(() => workers.every(hasEnded)).toBe(true)
  })
})

function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}
