/**
 * Reads and lists of contents that somebody has made large on purpose. Four times the content takes at most five times the processor time,
 * and other requests wait for at most 100 ms of it.
 */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeArtifact } from '../src/modules/pipelines/artifacts/artifacts.ts'
import { jobWithToken } from '../src/modules/pipelines/testing.ts'
import {
  type ImportedCommit,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
  zipOf,
} from '../src/testing/index.ts'
import { longestTurnMs, type SentRequest, threadClient, totalMs } from './processor-time.ts'

const tries = 3
/** Each try sends two requests, none of which was sent before: what is kept of the first reading would hide its work. */
const requestsOf = (request: (index: number) => SentRequest) =>
  Array.from({ length: 2 * tries }, (_, index) => request(index))
const mostMsAtOnce = 100
/** What a measurement may be wrong by: caches are small, and garbage is collected. What is quadratic takes seconds more. */
const toleranceMs = 40

let server: TestServer
let owner: Person
let client: ReturnType<typeof threadClient>
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  client = threadClient(server.url, owner.token)
})
afterAll(async () => {
  await client.stop()
  await server.stop()
})

/** Texts of a quarter of the length and of the whole: descriptions and notes have at most a million characters. */
const lengths = [240_000, 960_000] as const
const textOf = (line: string, length: number) => line.repeat(Math.ceil(length / line.length)).slice(0, length)

let projects = 0
function newPath(): string {
  projects += 1
  return `hostile-${projects}`
}
const history = (commits: readonly ImportedCommit[], refs: readonly string[] = []) =>
  imported(server, owner, newPath(), importStream(commits), { refs })

async function commitsOf(message: (index: number) => string, query: string) {
  const commits = Array.from({ length: 8 * tries }, (_, index) => ({ message: message(index), files: [] }))
  const { id } = await history(commits)
  return requestsOf((index) => ({ path: `/projects/${id}/repository/commits?per_page=4&page=${index + 1}${query}` }))
}

async function project() {
  return (await server.make.project(newPath(), owner)).id
}

async function filled(path: string, count: number, body: (index: number) => object) {
  for (let index = 0; index < count; index += 1) {
    const answer = await owner.post(path, body(index))
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status}`)
  }
  await server.app.platform.jobs.drain()
}

/** Copies the newest variable by rows, for as many other scopes. */
async function copyVariables(count: number) {
  const { database } = server.app.platform
  const newest = database.read.selectFrom('ci_variables').selectAll().orderBy('id', 'desc')
  const { id: _id, ...row } = await newest.limit(1).executeTakeFirstOrThrow()
  for (let index = 0; index < count; index += 1) {
    const copy = { ...row, environment_scope: `e${index}` }
    await database.write((tx) => tx.insertInto('ci_variables').values(copy).execute())
  }
}

/** Lists that are not kept in memory: the same request is sent each time, with another query. */
const repeated = (path: string) =>
  requestsOf((index) => ({ path: `${path}${path.includes('?') ? '&' : '?'}per_page=${100 - index}` }))

/** What is read or sent, in a small and in a large form. `status`: of the answers. */
type Case = { make: (size: number) => Promise<SentRequest[]>; sizes: readonly [number, number]; status?: number }

const cases: Record<string, Case> = {
  'commits with trailers': {
    sizes: lengths,
    make: (size) =>
      commitsOf((index) => `Title ${index}\n\n${textOf('Signed-off-by: A <a@x>\n', size)}`, '&trailers=true'),
  },
  'commits with the longest trailers': {
    sizes: [16_000, 64_000],
    make: (size) => commitsOf((index) => `Title ${index}\n\nKey: x\n${textOf(' y\n', size)}`, '&trailers=true'),
  },
  'messages of commits': {
    sizes: lengths,
    make: (size) => commitsOf((index) => `${index} ${textOf('text "quoted"\n', size)}`, ''),
  },
  'descriptions of issues': {
    sizes: lengths,
    async make(size) {
      const base = `/projects/${await project()}/issues`
      await filled(base, 10, (index) => ({ title: `${index}`, description: textOf('- [x] a\n', size) }))
      return repeated(base)
    },
  },
  'notes of an issue': {
    sizes: lengths,
    async make(size) {
      const base = `/projects/${await project()}/issues`
      await filled(base, 1, () => ({ title: 'x' }))
      await filled(`${base}/1/notes`, 8, () => ({ body: textOf('text @owner #1\n', size) }))
      return repeated(`${base}/1/notes`)
    },
  },
  'discussions of an issue': {
    sizes: lengths,
    async make(size) {
      const base = `/projects/${await project()}/issues`
      await filled(base, 1, () => ({ title: 'x' }))
      const { id } = (await owner.post(`${base}/1/discussions`, { body: 'x' })).body
      await filled(`${base}/1/discussions/${id}/notes`, 6, () => ({ body: textOf('text\n', size) }))
      return repeated(`${base}/1/discussions`)
    },
  },
  variables: {
    sizes: [60_000, 240_000],
    async make(size) {
      const base = `/projects/${await project()}/variables`
      await filled(base, 1, () => ({ key: 'K', value: textOf('value $K1 ', size) }))
      await copyVariables(29)
      return repeated(base)
    },
  },
  'references and mentions of a new issue': {
    sizes: lengths,
    status: 201,
    async make(size) {
      const path = `/projects/${await project()}/issues`
      const address = `${server.app.platform.externalUrl}/a/b/-/issues/1`
      const description = textOf(`#1 #1 @a !2 ${address} group/project#3 \`x\` closes #1\n`, size)
      return requestsOf((index) => ({ path, method: 'POST', body: { title: `${index}`, description } }))
    },
  },
  'parameters that are wrong': {
    sizes: [4_000, 16_000],
    status: 400,
    async make(size) {
      const path = `/projects/${await project()}/repository/commits`
      const body = {
        branch: 'main',
        commit_message: 'x',
        actions: Array.from({ length: size }, () => ({ action: 'x' })),
      }
      return requestsOf(() => ({ path, method: 'POST', body }))
    },
  },
  'a key': {
    sizes: lengths,
    status: 400,
    async make(size) {
      const body = { title: 'x', key: `ssh-rsa ${textOf('AAAA', size)}` }
      return requestsOf(() => ({ path: '/user/keys', method: 'POST', body }))
    },
  },
  'a file of many lines, and who wrote them': {
    sizes: [10_000, 40_000],
    async make(size) {
      const { id } = await history([{ message: 'x', files: [['100644', 'lines', textOf('a\n', size * 2)]] }])
      const file = `/projects/${id}/repository/files/lines`
      return requestsOf((index) => ({ path: `${file}${index % 2 === 0 ? '/blame' : ''}?ref=main&i=${index}` }))
    },
  },
  'a tree of many entries': {
    sizes: [5_000, 20_000],
    async make(size) {
      const files = Array.from({ length: size }, (_, index) => ['100644', `f${index}`, ''] as [string, string, string])
      const { id } = await history([{ message: 'x', files }])
      return repeated(`/projects/${id}/repository/tree?recursive=true`)
    },
  },
  branches: {
    sizes: [500, 2_000],
    async make(size) {
      const commits = Array.from({ length: size }, (_, index) => ({ message: 'x', files: [], branch: `b${index}` }))
      const { id } = await history(commits)
      return repeated(`/projects/${id}/repository/branches?search=b`)
    },
  },
  tags: {
    sizes: [500, 2_000],
    async make(size) {
      const commits = Array.from({ length: size }, (_, index) => ({ message: 'x', files: [], branch: `b${index}` }))
      const { id } = await history(commits, ['refs/heads/b*:refs/tags/t*'])
      return repeated(`/projects/${id}/repository/tags?search=t`)
    },
  },
  'a file of an archive with many files': {
    sizes: [10_000, 40_000],
    status: 404,
    async make(size) {
      const projectId = await project()
      const { platform } = server.app
      const { id } = await jobWithToken(server, { projectId, userId: owner.id })
      const file = {
        fileType: 'archive',
        fileFormat: 'zip',
        fileName: 'a.zip',
        accessLevel: 'all',
        maxBytes: 1e9,
      } as const
      const bytes = zipOf(Object.fromEntries(Array.from({ length: size }, (_, index) => [`folder/${index}`, ''])), true)
      const content = Readable.from([bytes])
      await storeArtifact(platform, { id, project_id: projectId }, { ...file, content, expireAt: null })
      return requestsOf((index) => ({ path: `/projects/${projectId}/jobs/${id}/artifacts/missing${index}` }))
    },
  },
}

/** The least of what several tries took: the others were held up by something else, such as the collection of garbage. */
async function measure({ make, status = 200 }: Case, size: number) {
  const sends = (await make(size)).map((request) => client.prepare(request))
  const checked = (send: (typeof sends)[number]) => async () => expect((await send()).status).toBe(status)
  const totals: number[] = []
  const turns: number[] = []
  for (const [index, send] of sends.entries()) {
    if (index % 2 === 0) totals.push(await totalMs(checked(send)))
    else turns.push(await longestTurnMs(checked(send)))
  }
  return { totalMs: Math.min(...totals), longestTurnMs: Math.min(...turns) }
}

describe('four times of', () => {
  test.each(Object.entries(cases))(
    '%s takes four times the work, in small pieces',
    { timeout: 300_000 },
    async (name, one) => {
      const [small, large] = [await measure(one, one.sizes[0]), await measure(one, one.sizes[1])]
      console.info(name, JSON.stringify({ small, large }))
      expect(large.totalMs).toBeLessThan(5 * small.totalMs + toleranceMs)
      expect(Math.max(small.longestTurnMs, large.longestTurnMs)).toBeLessThan(mostMsAtOnce)
    },
  )
})
