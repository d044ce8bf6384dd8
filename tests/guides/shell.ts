import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

type Where = { cwd: string; env: NodeJS.ProcessEnv; minutes?: number }

/**
 * Runs a script of bash to its end, and ends all that it has started.
 * @returns its status (-1 when a signal ended it, as after `minutes`), and what it wrote on both outputs
 */
export async function sh(script: string, { cwd, env, minutes = 10 }: Where): Promise<{ code: number; output: string }> {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const closed = once(child, 'close')
  const timer = setTimeout(() => endGroup(child.pid, 'SIGKILL'), minutes * 60_000)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  endGroup(child.pid, 'SIGKILL')
  // What it wrote last arrives after it has ended; a program that left the group may keep the pipes open.
  await Promise.race([closed, sleep(1000)])
  return { code: code ?? -1, output }
}

/** Signals a process and those that it has started. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // They have ended.
  }
}
