import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type Caller, caller } from './caller.ts'
import { inTurn, median } from './measure.ts'
import { answering, startFennec } from './processes.ts'
import type { Result } from './table.ts'

const token = 'glpat-bench-token-of-root'
const password = 'korrekt-horse-9'
const rounds = 25

/** A page, and the calls of the API that answer what it shows. */
type PageAndCalls = { path: string; calls: readonly string[] }

const project = '/projects/root%2Fdemo'
const repository = `${project}/repository`
const pages: readonly PageAndCalls[] = [
  { path: '/', calls: ['/user', '/projects?membership=true&order_by=last_activity_at', '/events?per_page=8'] },
  {
    path: '/root/demo',
    calls: [
      project,
      `${repository}/tree?per_page=100`,
      `${repository}/commits?per_page=1`,
      `${repository}/branches?per_page=12`,
      `${project}/languages`,
      `${repository}/files/README.md?ref=main`,
    ],
  },
  { path: '/root/demo/-/tree/main', calls: [project, `${repository}/tree?ref=main&per_page=100`] },
  { path: '/root/demo/-/blob/main/code.ts', calls: [project, `${repository}/files/code.ts?ref=main`] },
  { path: '/root/demo/-/commits/main', calls: [project, `${repository}/commits?ref_name=main`] },
  { path: '/root/demo/-/branches', calls: [project, `${repository}/branches`] },
  { path: '/root/demo/-/variables', calls: [project, `${project}/variables`] },
]

async function fill(fennec: Caller): Promise<void> {
  const post = (path: string, body: unknown) => fennec.call({ method: 'POST', path: `/api/v4${path}`, body }, 201)
  await post('/projects', { name: 'demo' })
  const code = Array.from({ length: 300 }, (_, line) => `export const value${line}: number = ${line} // a line`).join(
    '\n',
  )
  const actions = [
    { action: 'create', file_path: 'README.md', content: `# Demo\n\n${'Some words of a paragraph. '.repeat(200)}` },
    { action: 'create', file_path: 'code.ts', content: code },
    ...Array.from({ length: 40 }, (_, index) => ({ action: 'create', file_path: `file-${index}.txt`, content: 'x' })),
  ]
  await post(`${repository}/commits`, { branch: 'main', commit_message: 'First', actions })
  for (let index = 0; index < 20; index += 1) await post(`${repository}/branches`, { branch: `b${index}`, ref: 'main' })
  for (let index = 0; index < 20; index += 1) await post(`${project}/variables`, { key: `K${index}`, value: 'value' })
}

async function sessionOf(url: string): Promise<string> {
  const body = new URLSearchParams({ username: 'root', password })
  const answer = await fetch(`${url}/users/sign_in`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { Origin: url },
  })
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** The compressed size of what an address answers, in KiB. */
async function sizeOf(address: string, cookie: string): Promise<number> {
  const request = get(address, { headers: { Cookie: cookie, 'Accept-Encoding': 'gzip' } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  return bytes / 1024
}

async function measurePage(fennec: Caller, cookie: string, { path, calls }: PageAndCalls): Promise<Result> {
  const headers = { Cookie: cookie }
  const pairs = await inTurn(rounds, async (side) => {
    const started = performance.now()
    if (side === 'fennec') await fennec.call({ path, headers })
    else for (const call of calls) await fennec.call({ path: `/api/v4${call}` })
    return performance.now() - started
  })
  const limits = { budget: '<= 2x', met: pairs.ratio <= 2 }
  return { name: `page ${path}`, ...pairs, unit: 'ms', floorName: `${calls.length} calls of the API`, ...limits }
}

/** Pages beside the calls that answer what they show, and what browsers load for them. */
export async function measurePages(folder: string): Promise<Result[]> {
  const server = await startFennec(join(folder, 'data'), token, 'source', { FENNEC_ROOT_PASSWORD: password })
  await answering(server, '/api/v4/user', token)
  const fennec = caller(server.url, token)
  try {
    await fill(fennec)
    const cookie = await sessionOf(server.url)
    const home = await fennec.call({ path: '/root/demo', headers: { Cookie: cookie } })
    const assets = [...home.matchAll(/"(\/-\/assets\/[^"]+)"/g)].map(([, path]) =>
      sizeOf(`${server.url}${path}`, cookie),
    )
    const assetKib = (await Promise.all(assets)).reduce((sum, size) => sum + size, 0)
    const sizes = await Promise.all(pages.map(({ path }) => sizeOf(`${server.url}${path}`, cookie)))
    const first = assetKib + (sizes[1] ?? 0)
    const results: Result[] = [
      { name: 'first page with all that it loads', fennec: first, unit: 'KiB', budget: '<= 60 KiB', met: first <= 60 },
      {
        name: 'further pages, median',
        fennec: median(sizes),
        unit: 'KiB',
        budget: '<= 15 KiB',
        met: median(sizes) <= 15,
      },
    ]
    for (const page of pages) results.push(await measurePage(fennec, cookie, page))
    return results
  } finally {
    fennec.close()
    await server.stop()
  }
}
