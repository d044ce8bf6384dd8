import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { type App, startApp } from '../src/app.ts'
import { memoryConfig, readConfig } from '../src/config.ts'
import { caller } from './caller.ts'
import { startEngine } from './engines.ts'
import { openSeeding, type Seeding } from './seeding.ts'
import type { Result } from './table.ts'

const versions = 50_000
const budgetMs = 100
/** The longest of so many counts. */
const rounds = 2
const rootToken = 'glpat-bench-token-of-root'
/** Ids of the packages of a format begin after these. */
const formats = { npm: 100_000, pypi: 200_000, maven: 300_000 }
const nameOf = { npm: 'lib', pypi: 'lib', maven: 'com/example/lib' }
/** Of a manifest as npm sends it: a few dozen dependencies. */
const manifest = JSON.stringify({
  dependencies: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`dependency-${index}`, `^${index}.0.0`])),
})

/** Versions of one name in a format, each with a file and, of npm, a dist-tag. */
async function fillFormat({ run, numbers, hex }: Seeding, project: number, type: keyof typeof formats): Promise<void> {
  const [first, name, at] = [formats[type], nameOf[type], `'2026-01-01T00:00:00.000Z'`]
  const each = numbers(versions)
  await run(`insert into packages (id, project_id, package_type, name, name_key, version, size_bytes, created_at, updated_at)
      select ${first} + i, ${project}, '${type}', '${name}', '${name}', '1.0.' || i, 1, ${at}, ${at} from ${each};
    insert into package_files (package_id, blob_id, file_name, created_at)
      select ${first} + i, 1, 'lib-1.0.' || i || '.tgz', ${at} from ${each};
    insert into package_names (project_id, package_type, name_key, generation) values (${project}, '${type}', '${name}', 1)`)
  if (type !== 'npm') return
  await run(`insert into package_npm_manifests (package_id, manifest) select ${first} + i, '${manifest}' from ${each};
    insert into package_tags (project_id, package_id, package_name, name, created_at, updated_at)
      select ${project}, ${first} + i, '${name}', 'tag-' || ${hex('i', 8)}, ${at}, ${at} from ${each}`)
}

async function fill(databaseUrl: string, project: number): Promise<void> {
  const seeding = await openSeeding(databaseUrl)
  const digests = `'${'a'.repeat(64)}', '${'b'.repeat(40)}', '${'c'.repeat(32)}', '${'d'.repeat(128)}'`
  await seeding.run(`insert into package_blobs (id, sha256, sha1, md5, sha512, size_bytes, storage_key, created_at)
    values (1, ${digests}, 1, 'packages/none', '2026-01-01T00:00:00.000Z')`)
  for (const type of ['npm', 'pypi', 'maven'] as const) await fillFormat(seeding, project, type)
  await seeding.optimize()
  await seeding.close()
}

/** Clients of Python send a password only; the other routes know the header. */
const signedIn = {
  Authorization: `Basic ${Buffer.from(`bench:${rootToken}`).toString('base64')}`,
  'PRIVATE-TOKEN': rootToken,
}

type Asked = { name: string; path: string; method?: string; headers?: Record<string, string>; body?: string }

/** Asks in a thread of its own, so that what the client does is not measured. */
const client = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', async ({ path, method = 'GET', headers = {}, body }) => {
    const answer = await fetch(workerData.url + path, {
      method, body, headers: { ...workerData.headers, 'Accept-Encoding': 'identity', ...headers },
    })
    for await (const _ of answer.body ?? []);
    parentPort.postMessage({ status: answer.status })
  })`

function requestsOf(project: number): Asked[] {
  const at = `/api/v4/projects/${project}/packages`
  const deprecated = Object.fromEntries(
    Array.from({ length: versions }, (_, index) => [`1.0.${index + 1}`, { deprecated: `Use 2.0.${index}` }]),
  )
  const zipped = { 'Accept-Encoding': 'gzip' }
  const asJson = { Accept: 'application/vnd.pypi.simple.v1+json' }
  return [
    { name: 'packument', path: `${at}/npm/lib` },
    { name: 'packument, zipped', path: `${at}/npm/lib`, headers: zipped },
    { name: 'dist-tags', path: `${at}/npm/-/package/lib/dist-tags` },
    { name: 'dist-tags, zipped', path: `${at}/npm/-/package/lib/dist-tags`, headers: zipped },
    { name: 'a version is tagged', path: `${at}/npm/-/package/lib/dist-tags/next`, method: 'PUT', body: '"1.0.1"' },
    {
      ...{ name: 'all versions are deprecated', path: `${at}/npm/lib`, method: 'PUT' },
      headers: { 'Content-Type': 'application/json', 'Npm-Command': 'deprecate' },
      body: JSON.stringify({ name: 'lib', versions: deprecated }),
    },
    { name: 'simple page', path: `${at}/pypi/simple/lib` },
    { name: 'simple page, zipped', path: `${at}/pypi/simple/lib`, headers: zipped },
    { name: 'simple page as JSON', path: `${at}/pypi/simple/lib`, headers: asJson },
    { name: 'index of Python', path: `${at}/pypi/simple` },
    { name: 'package with its versions', path: `${at}/${formats.maven + 1}` },
    { name: 'list of packages', path: `${at}?per_page=100&order_by=version` },
    { name: 'digest of a file of Maven', path: `${at}/maven/com/example/lib/1.0.7/lib-1.0.7.tgz.sha1` },
  ]
}

/**
 * Watches how long the event loop works without a turn, in processor time: what else runs on the machine does not count.
 * @returns ends it; milliseconds of the longest turn
 */
function watchTurns(): () => number {
  let [last, longest, isOver] = [process.threadCpuUsage(), 0, false]
  const turned = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
    if (!isOver) setImmediate(turned)
  }
  setImmediate(turned)
  return () => {
    isOver = true
    return longest / 1000
  }
}

/** The longest turn of the event loop of the server while it answers. */
async function heldBy(worker: Worker, { name, ...asked }: Asked): Promise<number> {
  const end = watchTurns()
  const answered = new Promise<{ status: number }>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  worker.postMessage(asked)
  const { status } = await answered
  const heldMs = end()
  worker.removeAllListeners('error')
  if (status >= 400) throw new Error(`${name}: ${status}`)
  return heldMs
}

/** How long requests of names with many versions hold up all others. */
export async function measurePackages(folder: string): Promise<Result[]> {
  const engine = await startEngine(folder)
  const config = {
    ...memoryConfig(readConfig({}), join(folder, 'data')),
    ...{ databaseUrl: engine.databaseUrl, rootToken, listen: { host: '127.0.0.1', port: 0 } },
  }
  const app: App = await startApp({ config, log: pino({ level: 'silent' }), durable: false })
  const root = caller(app.url, rootToken)
  const made = await root.call({ method: 'POST', path: '/api/v4/projects', body: { name: 'many' } }, 201)
  root.close()
  const project: number = JSON.parse(made).id
  await fill(engine.databaseUrl, project)
  const worker = new Worker(client, { eval: true, workerData: { url: app.url, headers: signedIn } })
  const results: Result[] = []
  for (const asked of requestsOf(project)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await heldBy(worker, asked))
    const heldMs = Math.max(...times)
    const name = `${asked.name}, ${versions} versions, longest turn, ${engine.name}`
    results.push({ name, fennec: heldMs, unit: 'ms', budget: `<= ${budgetMs} ms`, met: heldMs <= budgetMs })
  }
  await worker.terminate()
  await app.stop()
  await engine.stop()
  return results
}
