/** For tests of a promotion: a primary and its secondary, as servers in processes of their own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { type Client, clientOf, freePort, temporaryDirectory } from '../src/testing/index.ts'
import { environmentOf, type Installation, startVictim, type Victim } from './campaign/process.ts'
import { program } from './program.ts'

/** Each server and command is a process of its own, and a loaded machine starts them slowly. */
export const limits = { testTimeout: 240_000, hookTimeout: 120_000 }
export const patience = { timeout: 60_000, interval: 100 }
export const token = 'a-token-of-the-administrator'

/** The two servers, and what asks the primary as its administrator. */
export type Pair = {
  folder: string
  primary: Installation
  secondary: Installation
  first: Victim
  second: Victim
  root: Client
  /** The id of the record of the secondary. */
  nodeId: number
}

/**
 * Starts a primary and its secondary.
 * @param databases makes the address of the database of each; undefined: SQLite in its data folder
 */
export async function startPair(
  databases: Readonly<Record<'first' | 'second', () => Promise<string | undefined>>>,
): Promise<Pair & AsyncDisposable> {
  const folder = await temporaryDirectory()
  // An address that nothing listens at: a server that starts again is found there.
  const place = async (name: 'first' | 'second'): Promise<Installation> => ({
    ...{ data: join(folder.path, name), databaseUrl: await databases[name](), token },
    settings: { FENNEC_GEO_NODE_NAME: name, FENNEC_LISTEN: `127.0.0.1:${await freePort()}` },
  })
  const primary = await place('first')
  const first = await start(primary)
  const root = clientOf(first.url, token)
  await root.post('/geo_sites', { name: 'first', url: first.url, primary: true })
  const { body: site } = await root.post('/geo_sites', { name: 'second', url: 'http://second.test' })
  const { body: issued } = await root.post(`/geo_nodes/${site.id}/credentials`)
  const own = await place('second')
  const secondary = {
    ...own,
    settings: {
      ...own.settings,
      FENNEC_GEO_ROLE: 'secondary',
      FENNEC_GEO_PRIMARY_URL: first.url,
      FENNEC_GEO_ACCESS_KEY: issued.access_key,
      FENNEC_GEO_SECRET_ACCESS_KEY: issued.secret_access_key,
      FENNEC_GEO_POLL_SECONDS: '0.2',
      FENNEC_GEO_STATUS_SECONDS: '0.3',
      FENNEC_GEO_RETRY_BASE_SECONDS: '0.3',
    },
  }
  const second = await start(secondary)
  return {
    ...{ folder: folder.path, primary, secondary, first, second, root, nodeId: site.id },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Starts a server that is killed when the test ends. */
export async function start(installation: Installation): Promise<Victim> {
  const server = await startVictim(installation)
  onTestFinished(async () => void (await server.kill()))
  return server
}

/** Runs a command with the settings of an installation. */
export async function command(installation: Installation, parameters: string[], killAfterMs?: number) {
  const child = spawn(process.execPath, [program, ...parameters], { env: environmentOf(installation) })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs)
    child.kill('SIGKILL')
  }
  const [stdout, stderr] = await output
  return { code: await ended, stdout, stderr }
}

/** The installation of the secondary as that of the primary. */
export const promoted = ({ secondary }: Pair, databaseUrl: string): Installation => ({
  ...{ data: secondary.data, token, databaseUrl },
  settings: { ...secondary.settings, FENNEC_GEO_ROLE: undefined, FENNEC_LISTEN: '127.0.0.1:0' },
})

/** Waits until the secondary has copied everything that the primary has. */
export async function untilCopied(
  { root, nodeId }: Pair,
  { repositories, uploads = 0, packages = 0 }: { repositories: number; uploads?: number; packages?: number },
): Promise<void> {
  const reported = async () => {
    const own = (await root.get('/geo_sites/current/status')).body
    const { body } = await root.get(`/geo_sites/${nodeId}/status`)
    return { ...body, isCaughtUp: body.cursor_last_event_id === own.last_event_id }
  }
  await expect.poll(reported, patience).toMatchObject({
    ...{ isCaughtUp: true, project_repositories_verified_count: repositories, uploads_verified_count: uploads },
    ...{ uploads_count: uploads, package_files_count: packages, package_files_verified_count: packages },
  })
}

/** Commits a file to a new branch of a project. */
export const commit = (client: Client, project: number, branch: string, from: string) =>
  client.post(`/projects/${project}/repository/commits`, {
    ...{ branch, start_branch: from, commit_message: branch },
    actions: [{ action: 'create', file_path: branch, content: branch }],
  })

/** The branches of a project, each with its commit. */
export const branchesOf = async (client: Client, project: number) =>
  (await client.get(`/projects/${project}/repository/branches`)).body.map(
    ({ name, commit: { id } }: { name: string; commit: { id: string } }) => `${name} ${id}`,
  )

/** The titles of the issues of a project, the newest first. */
export async function issuesOf(client: Client, project: number): Promise<string[]> {
  const titles: string[] = []
  for (let page = 1; ; page += 1) {
    const { body } = await client.get(`/projects/${project}/issues?per_page=100&page=${page}`)
    if (body.length === 0) return titles
    titles.push(...body.map(({ title }: { title: string }) => title))
  }
}
