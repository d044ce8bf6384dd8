/** Runs the process that owns all git processes, and runs it again when it dies. */
import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GitLog } from '../model/types.ts'
import type { FromSpawner, ToSpawner } from './spawner-protocol.ts'

/** A spawner that dies more often than this within a minute stays dead. */
const RESTARTS_A_MINUTE = 20
/** How long it may take to end its commands in order; it gives them two seconds itself. */
const CLOSE_GRACE_MS = 5_000
const HEAP_FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4']

/** What this process keeps of compiled files serves its child as well; Node adds a folder for its version by itself. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

export type SpawnerChild = {
  pid(): number | undefined
  send(message: ToSpawner): void
  close(): Promise<void>
}

type Events = {
  log: GitLog
  onMessage(message: FromSpawner): void
  onDeath(): void
  /** A command that could not be handed over. */
  onUnsent(id: number): void
}

/** Starts it in the background; messages wait until it listens. */
export function runSpawner(socketPath: string, { log, onMessage, onDeath, onUnsent }: Events): SpawnerChild {
  // Beside this file, in the sources as in the build.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const program = fileURLToPath(new URL(`./spawner-process${extension}`, import.meta.url))
  let closing = false
  const deaths: number[] = []
  let child = launch()

  function launch(): ChildProcess {
    const started = fork(program, [socketPath], {
      cwd: '/',
      env: compileCache(),
      execArgv: HEAP_FLAGS,
      serialization: 'advanced',
      // Not in the terminal's foreground group: Ctrl-C is for the server, which then ends this in order.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.on('message', onMessage)
    started.on('error', (cause) => log('error', 'the git spawner could not be reached', { cause }))
    started.once('exit', (exitCode, signal) => replace(exitCode, signal))
    return started
  }

  function replace(exitCode: number | null, signal: string | null): void {
    if (closing) return
    log('error', 'the git spawner died', { exitCode, signal })
    const now = performance.now()
    deaths.push(now)
    while ((deaths[0] ?? now) < now - 60_000) deaths.shift()
    if (deaths.length <= RESTARTS_A_MINUTE) child = launch()
    onDeath()
  }

  return {
    pid: () => child.pid,
    send(message) {
      const unsent = () => message.kind === 'run' && onUnsent(message.id)
      if (child.connected) child.send(message, (error) => error !== null && unsent())
      else unsent()
    },
    async close() {
      closing = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_GRACE_MS)
      await gone
      clearTimeout(timer)
    },
  }
}
