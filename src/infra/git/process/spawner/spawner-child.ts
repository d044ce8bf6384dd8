/** Runs the process that owns all git processes, and restarts it when it dies. */
import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { restartDelays } from '../../../restarts/index.ts'
import type { GitLog } from '../../model/types.ts'
import type { FromSpawner, ToSpawner } from './spawner-protocol.ts'

/** A spawner that dies more often within a minute is restarted after a delay. */
const RESTARTS_A_MINUTE = 20
/** How long it may take to end its commands. It gives them two seconds itself. */
const CLOSE_GRACE_MS = 5_000
const HEAP_FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4']

/** Sets the limit of allocated memory, which all git processes inherit, then becomes Node. Where there is no such limit, none is set. */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"'

/** The program that is forked, and the arguments before those of Node. */
function nodeWithin(memoryBytes: number): { execPath: string; before: string[] } {
  if (memoryBytes === 0) return { execPath: process.execPath, before: [] }
  return { execPath: '/bin/sh', before: ['-c', LIMITED, String(Math.ceil(memoryBytes / 1024)), process.execPath] }
}

/** The child uses the same compile cache. Node adds a folder for its version. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

type SpawnerChild = {
  pid(): number | undefined
  /** Whether the process is there, so that commands can be sent to it. */
  isThere(): boolean
  send(message: ToSpawner): void
  close(): Promise<void>
}

type Events = {
  log: GitLog
  onMessage(message: FromSpawner): void
  onDeath(): void
  /** Called for a command that could not be sent. */
  onUnsent(id: number): void
  /** Default 20. */
  restartsAMinute?: number | undefined
  /** How much memory a command may allocate; 0: no limit. */
  memoryBytes: number
}

/** Starts the process in the background. Messages wait until it listens. */
export function runSpawner(socketPath: string, events: Events): SpawnerChild {
  const { log, onMessage, onDeath, onUnsent, restartsAMinute = RESTARTS_A_MINUTE, memoryBytes } = events
  const { execPath, before } = nodeWithin(memoryBytes)
  // Beside this file, in the sources and in the build.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  const program = fileURLToPath(new URL(`./spawner-process${extension}`, import.meta.url))
  let closing = false
  const delayAfter = restartDelays({ atOnce: restartsAMinute })
  let restart: NodeJS.Timeout | undefined
  let child = launch()

  function launch(): ChildProcess {
    const started = fork(program, [socketPath], {
      cwd: '/',
      env: compileCache(),
      execPath,
      execArgv: [...before, ...HEAP_FLAGS],
      serialization: 'advanced',
      // Not in the terminal's foreground group: Ctrl-C goes to the server, which then ends this process.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    started.on('message', onMessage)
    started.on('error', (cause) => {
      log('error', 'the git spawner could not be reached', { cause })
      // A process that could not be started has no exit.
      if (started.pid === undefined) replace(null, null)
    })
    started.once('exit', (exitCode, signal) => replace(exitCode, signal))
    return started
  }

  function replace(exitCode: number | null, signal: string | null): void {
    if (closing) return
    log('error', 'the git spawner died', { exitCode, signal })
    const delayMs = delayAfter(performance.now())
    if (delayMs === 0) child = launch()
    else {
      log('error', 'the git spawner dies too often, and is restarted later', { delayMs })
      restart = setTimeout(() => {
        child = launch()
      }, delayMs)
    }
    onDeath()
  }

  return {
    pid: () => child.pid,
    isThere: () => child.connected,
    send(message) {
      const unsent = () => message.kind === 'run' && onUnsent(message.id)
      if (child.connected) child.send(message, (error) => error !== null && unsent())
      else unsent()
    },
    async close() {
      closing = true
      clearTimeout(restart)
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_GRACE_MS)
      await gone
      clearTimeout(timer)
    },
  }
}
