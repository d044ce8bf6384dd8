/** Runs programs for `programs.ts`, one for each message, and answers how they ended. It ends with its parent. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Ending, Request } from './programs.ts'

const running = new Map<number, ChildProcess>()

function run({ id, binary, parameters, cwd, env, input = '' }: Exclude<Request, { kind: 'kill' }>): void {
  // A process group, so that the helpers of a program are ended with it.
  const child = spawn(binary, parameters, { cwd, env, detached: true })
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  const answer = (code: number, stderr: string) => {
    running.delete(id)
    const ending: Ending = { id, code, stdout: Buffer.concat(output.stdout).toString(), stderr }
    process.send?.(ending)
  }
  running.set(id, child)
  child.stdout.on('data', (chunk: Buffer) => output.stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  child.once('error', (error) => child.pid === undefined && answer(-1, error.message))
  child.once('close', (code) => {
    if (child.pid !== undefined) answer(code ?? -1, Buffer.concat(output.stderr).toString())
  })
}

process.on('message', (request: Request) => {
  if (request.kind === 'run') return run(request)
  const pid = running.get(request.id)?.pid
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})
process.once('disconnect', () => process.exit())
