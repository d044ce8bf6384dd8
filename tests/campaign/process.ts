import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { program, programEnvironment } from '../program.ts'

/** Where the server that is killed over and over keeps everything. */
export type Installation = {
  data: string
  databaseUrl?: string | undefined
  token: string
  settings?: Record<string, string | undefined>
}

/** How a process ended: with its status, or null when a signal ended it. */
type Status = number | null

/** A server in a process of its own. */
export type Victim = { url: string; pid: number; kill(): Promise<Status>; stop(): Promise<Status> }

/** The environment of the server and of commands. */
export function environmentOf({
  data,
  databaseUrl,
  token,
  settings,
}: Installation): Record<string, string | undefined> {
  return {
    ...programEnvironment,
    FENNEC_DATA: data,
    FENNEC_DATABASE_URL: databaseUrl,
    FENNEC_LISTEN: '127.0.0.1:0',
    FENNEC_ROOT_TOKEN: token,
    FENNEC_LOG_LEVEL: process.env.FENNEC_LOG_LEVEL ?? 'silent',
    ...settings,
  }
}

function launch(installation: Installation): { child: ChildProcess; end(signal: NodeJS.Signals): Promise<Status> } {
  const child = spawn(process.execPath, [program], {
    env: environmentOf(installation),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A campaign that fails leaves no server behind.
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
  return { child, end }
}

/** Starts a server and waits until it is ready. @throws Error when it ends before that */
export async function startVictim(installation: Installation): Promise<Victim> {
  const { child, end } = launch(installation)
  const url = await addressOf(child)
  return { url, pid: child.pid as number, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

/** Starts a server, and kills it at a moment of its start. */
export async function killWhileStarting(installation: Installation, afterMs: number): Promise<void> {
  const { child, end } = launch(installation)
  child.stdout?.resume()
  await sleep(afterMs)
  await end('SIGKILL')
}

async function addressOf(child: ChildProcess): Promise<string> {
  const output = child.stdout as Readable
  output.setEncoding('utf8')
  const signal = ended(child)
  let greeting = ''
  while (!greeting.includes('Reference:')) {
    const [chunk] = await once(output, 'data', { signal })
    greeting += chunk
  }
  if (process.env.FENNEC_LOG_LEVEL) output.pipe(process.stderr)
  else output.resume()
  return /ready at (\S+)/.exec(greeting)?.[1] ?? ''
}

/** Aborted when the process has ended: a wait for its output would never end. */
function ended(child: ChildProcess): AbortSignal {
  const controller = new AbortController()
  child.once('exit', () => controller.abort(new Error('the server ended before it was ready')))
  return controller.signal
}

/** What `fennec check` says of an installation, and how it ends. */
export async function checkInstallation(installation: Installation): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [program, 'check'], { env: environmentOf(installation) })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

/** Compares an installation with itself by `fennec check`. @returns what is wrong */
export async function checkProblems(installation: Installation): Promise<string[]> {
  const { code, output } = await checkInstallation(installation)
  return code === 0 ? [] : [`check: ${output}`]
}
