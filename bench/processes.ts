import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export type Running = { url: string; process: ChildProcess; startedAt: number; stop(): Promise<void> }
/** Fennec, with the address of its SSH. */
export type RunningFennec = Running & { sshUrl: string }

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
  built: [built],
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
export async function startFennecWithSsh(data: string, token: string): Promise<RunningFennec> {
  const [port, sshPort] = [await freePort(), await freePort()]
  const env = { ...environmentOf(data, token, port), FENNEC_SSH_LISTEN: `127.0.0.1:${sshPort}` }
  return { ...start(commands.source, env, port), sshUrl: `ssh://git@127.0.0.1:${sshPort}` }
}

/** Starts one of the floors that Fennec is measured against. */
export async function startFloor(
  name: 'bare-fastify' | 'git-per-request' | 'http-backend',
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
