/**
 * Runs programs for tests. A small process starts them: to fork takes time in proportion to the memory of the process, and the
 * process of the tests is the largest there is.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

type Program = {
  binary: string
  parameters: string[]
  cwd?: string | undefined
  /** The whole environment. */
  env: NodeJS.ProcessEnv
  /** What the program reads from its standard input. */
  input?: string | Uint8Array | undefined
}

export type Request = (Program & { kind: 'run'; id: number }) | { kind: 'kill'; id: number }

/** How a program ended; the code is -1 when a signal ended it, or when it could not be started. */
export type Ending = { id: number; code: number; stdout: string; stderr: string }

let launcher: ChildProcess | undefined
let nextId = 1
const pending = new Map<number, (ending: Omit<Ending, 'id'>) => void>()

function settle({ id, ...ending }: Ending): void {
  pending.get(id)?.(ending)
  pending.delete(id)
  // Nothing keeps the process of the tests alive.
  if (pending.size === 0) launcher?.channel?.unref()
}

function start(): ChildProcess {
  const started = fork(fileURLToPath(new URL('launcher-process.ts', import.meta.url)), [], {
    cwd: '/',
    execArgv: ['--max-semi-space-size=2'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  started.on('message', settle)
  started.once('exit', () => {
    launcher = undefined
    for (const id of pending.keys())
      settle({ id, code: -1, stdout: '', stderr: 'the process that starts programs ended' })
  })
  started.unref()
  return started
}

/**
 * Runs a program to its end; how it ended is for the test to judge.
 * @param signal ends the program and its helpers by force
 */
export function runProgram(program: Program, signal?: AbortSignal): Promise<Omit<Ending, 'id'>> {
  launcher ??= start()
  const { channel } = launcher
  const send = (request: Request) => void launcher?.send(request)
  const id = nextId++
  return new Promise((resolve) => {
    pending.set(id, resolve)
    channel?.ref()
    send({ kind: 'run', id, ...program })
    signal?.addEventListener('abort', () => send({ kind: 'kill', id }), { once: true })
  })
}
