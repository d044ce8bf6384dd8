import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A server in a process of its own. */
export type Running = { url: string; process: ChildProcess; startedAt: number; stop(): Promise<void> }
/** A forge, with the address of its SSH. */
export type RunningForge = Running & { sshUrl: string }

const answersWithinMs = 60_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

function start(
  script: readonly string[],
  env: Record<string, string>,
  port: number,
  { command = process.execPath, errors = 'inherit' as 'inherit' | 'ignore' } = {},
): Running {
  const startedAt = performance.now()
  const child = spawn(command, script, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', errors],
  })
  // Nothing is left behind, however the bench ends.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const stop = async () => {
    process.off('exit', end)
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: `http://127.0.0.1:${port}`, process: child, startedAt, stop }
}

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const built = pathOf('dist/bundle/main.js')

/** What runs: the sources as `npm start` runs them, or what `npm run build` made of them, as the package runs it. */
const commands = {
  // As `npm start` does it.
  source: ['--max-semi-space-size=8', pathOf('scripts/run.mjs'), pathOf('src/main.ts')],
  // As the image and the unit of systemd do it.
  built: ['--max-semi-space-size=8', built],
} as const

export type Form = keyof typeof commands

/** The forms that are there. */
export const forms: readonly Form[] = existsSync(built) ? ['source', 'built'] : ['source']

function environmentOf(data: string, token: string, port: number): Record<string, string> {
  return {
    FENNEC_DATA: data,
    FENNEC_LISTEN: `127.0.0.1:${port}`,
    FENNEC_ROOT_TOKEN: token,
    FENNEC_LOG_LEVEL: 'silent',
  }
}

/** Starts Fennec on a folder. @param settings further settings, by the names of their variables */
export async function startFennec(
  data: string,
  token: string,
  form: Form = 'source',
  settings: Record<string, string> = {},
): Promise<Running> {
  const port = await freePort()
  return start(commands[form], { ...environmentOf(data, token, port), ...settings }, port)
}

/** Starts Fennec on a folder, with SSH. */
export async function startFennecWithSsh(data: string, token: string, form: Form = 'source'): Promise<RunningForge> {
  const [port, sshPort] = [await freePort(), await freePort()]
  const env = { ...environmentOf(data, token, port), FENNEC_SSH_LISTEN: `127.0.0.1:${sshPort}` }
  return { ...start(commands[form], env, port), sshUrl: `ssh://git@127.0.0.1:${sshPort}` }
}

/** Starts one of the floors that Fennec is measured against. */
export async function startFloor(
  name: 'bare-fastify' | 'git-per-request' | 'http-backend' | 'replayed',
  parameters: string[],
): Promise<Running> {
  const port = await freePort()
  const running = start([pathOf(`bench/floors/${name}.ts`), String(port), ...parameters], {}, port)
  await answering(running, '/')
  return running
}

/**
 * Starts CNCF distribution as it comes, without TLS and tokens. Its log, which has a line for each 404, is dropped.
 * @param binary path of its program `registry`
 * @param folder for its configuration and its files
 */
export async function startDistribution(binary: string, folder: string): Promise<Running> {
  const port = await freePort()
  const config = join(folder, 'config.yml')
  const settings = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'files') }, delete: { enabled: true } },
    http: { addr: `127.0.0.1:${port}`, secret: 'bench' },
  }
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings))
  const running = start(['serve', config], { OTEL_TRACES_EXPORTER: 'none' }, port, {
    command: binary,
    errors: 'ignore',
  })
  await answering(running, '/v2/')
  return running
}

/** Gitea, and what makes the administrator `root` with a token for everything. */
export type RunningGitea = RunningForge & { makeRoot(): Promise<string> }

/** Its own defaults, but for where it listens and what it would ask or write; and its database with a log, as Fennec has it. */
function giteaSettings(folder: string, url: string, port: number, sshPort: number, isSshServed: boolean): string {
  return `RUN_USER = ${userInfo().username}
WORK_PATH = ${folder}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}/
OFFLINE_MODE = true
START_SSH_SERVER = ${isSshServed}
DISABLE_SSH = ${!isSshServed}
SSH_LISTEN_HOST = 127.0.0.1
SSH_LISTEN_PORT = ${sshPort}
[database]
DB_TYPE = sqlite3
SQLITE_JOURNAL_MODE = WAL
[security]
INSTALL_LOCK = true
SECRET_KEY = bench
[log]
LEVEL = Error
`
}

/**
 * Starts Gitea on a folder.
 * @param binary path of its program
 */
export async function startGitea(binary: string, folder: string, { isSshServed = false } = {}): Promise<RunningGitea> {
  const [port, sshPort] = [await freePort(), await freePort()]
  const config = join(folder, 'app.ini')
  await writeFile(config, giteaSettings(folder, `http://127.0.0.1:${port}`, port, sshPort, isSshServed))
  const running = start(['web', '--config', config], {}, port, { command: binary, errors: 'ignore' })
  const makeRoot = async () => {
    const parameters = ['admin', 'user', 'create', '--config', config, '--username', 'root', '--random-password']
    const token = ['--access-token', '--access-token-name', 'bench', '--access-token-scopes', 'all']
    const email = ['--email', 'root@example.com', '--admin', '--must-change-password=false']
    const { stdout } = await promisify(execFile)(binary, [...parameters, ...email, ...token])
    const made = /\b[0-9a-f]{40}\b/.exec(stdout)?.[0]
    if (made === undefined) throw new Error(`gitea made no token: ${stdout}`)
    return made
  }
  return { ...running, makeRoot, sshUrl: `ssh://${userInfo().username}@127.0.0.1:${sshPort}` }
}

/**
 * Waits until a server answers with 200.
 * @param token sent along, where there is one
 * @returns how long it took from the start of its process, in milliseconds
 */
export async function answering(running: Running, path: string, token?: string): Promise<number> {
  let last = 'nothing'
  while (performance.now() - running.startedAt < answersWithinMs) {
    const { exitCode, signalCode } = running.process
    if (exitCode !== null || signalCode !== null) throw new Error(`the server ended with ${signalCode ?? exitCode}`)
    try {
      const response = await fetch(`${running.url}${path}`, { headers: token ? { 'PRIVATE-TOKEN': token } : {} })
      last = `${response.status} ${(await response.text()).slice(0, 200)}`
      if (response.status === 200) return performance.now() - running.startedAt
    } catch {
      // not there yet
    }
    await sleep(2)
  }
  throw new Error(`${running.url}${path} did not answer in time; last: ${last}`)
}
