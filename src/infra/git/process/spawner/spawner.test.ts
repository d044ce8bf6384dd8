import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { access, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GitError } from '../../model/errors.ts'
import { until } from '../../testing.ts'
import { type Job, openSpawner, type RunningJob, type Spawner } from './spawner.ts'

const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const base = { environment, timeoutMs: 30_000, captureBytes: 1_000_000, stderrBytes: 1_000, gate: false }
const captured = { ...base, stdin: 'none', stdout: 'capture' } as const
const streamed = { ...base, stdin: 'socket', stdout: 'socket' } as const

let spawner: Spawner
beforeAll(async () => {
  spawner = await openSpawner({ runtimeDirectory: tmpdir(), log: () => {} })
})
afterAll(() => spawner.close())

/** Runs a line of shell: what git's own children would do, without git. */
function shell(script: string, options: Omit<Partial<Job>, 'binary' | 'arguments'> = {}): Promise<RunningJob> {
  return spawner.start({ ...captured, ...options, binary: 'sh', arguments: ['-c', script] })
}

async function textOf(job: RunningJob): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of job.stdout!) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function openDescriptors(pid: number | 'self'): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}

async function isAlive(pid: number): Promise<boolean> {
  const state = await readdir('/proc')
  return state.includes(String(pid))
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason) => reason,
  )
  return error instanceof GitError ? error.code : String(error)
}

describe('commands', () => {
  test('are captured with their exit code and standard error', async () => {
    const exit = await (await shell('printf out; printf err >&2; exit 3')).exit
    expect(exit).toMatchObject({ exitCode: 3, signal: null, stderr: 'err' })
    expect(exit.stdout.toString()).toBe('out')
  })

  test('get their input, and its end', async () => {
    const input = Buffer.from('a\0b\nc')
    const exit = await (await shell('cat', { stdin: 'given', input })).exit
    expect(exit.stdout).toEqual(input)
  })

  test('have only the given environment', async () => {
    const exit = await (await shell('env')).exit
    const names = exit.stdout
      .toString()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => !['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name ?? ''))).toEqual([])
  })

  test('have the end of a long standard error', async () => {
    const exit = await (await shell('yes error | head -c 100000 >&2; printf last >&2')).exit
    expect(exit.stderr).toHaveLength(1_000)
    expect(exit.stderr.endsWith('last')).toBe(true)
  })

  test('fail when they cannot be started', async () => {
    const job = spawner.start({ ...captured, binary: '/nonexistent/git', arguments: [] })
    expect(await codeOf(job)).toBe('command_failed')
  })

  test.skipIf(!existsSync('/usr/bin/prlimit'))('fail without file descriptors, and run again with them', async () => {
    const limit = (descriptors: number) =>
      execFileSync('prlimit', [`--pid=${spawner.pid()}`, `--nofile=${descriptors}:1024`])
    limit(1)
    const failed = await shell('true').catch((error) => error)
    limit(1024)
    expect(failed).toBeInstanceOf(GitError)
    expect(failed.stderr).toContain('EMFILE')
    expect((await (await shell('exit 3')).exit).exitCode).toBe(3)
  })
})

describe('streams', () => {
  test('transfer all data and the end in both directions', async () => {
    const job = await spawner.start({ ...streamed, binary: 'cat', arguments: [] })
    const block = Buffer.alloc(1_000_003, 'abc')
    const reading = textOf(job)
    for (let index = 0; index < 20; index += 1) job.stdin!.write(block)
    job.stdin!.end()
    const text = await reading
    expect(text.length).toBe(20 * block.length)
    expect(text).toBe(block.toString().repeat(20))
    expect((await job.exit).exitCode).toBe(0)
  })

  test('hundreds at once are separate', async () => {
    const one = async (index: number) => {
      const job = await spawner.start({ ...streamed, binary: 'cat', arguments: [] })
      job.stdin!.end(`number ${index}`)
      const text = await textOf(job)
      await job.exit
      return text === `number ${index}`
    }
    expect(await Promise.all(Array.from({ length: 300 }, (_, index) => one(index)))).not.toContain(false)
  })

  test('unread output blocks the command', async () => {
    const job = await shell('yes | head -c 50000000', { stdout: 'socket' })
    let ended = false
    job.exit.then(() => {
      ended = true
    })
    // Another command runs completely meanwhile.
    await (await shell('true')).exit
    expect(ended).toBe(false)
    let bytes = 0
    for await (const chunk of job.stdout!) bytes += (chunk as Buffer).length
    expect(bytes).toBe(50_000_000)
  })

  test('a command that does not read its input can write output', async () => {
    const job = await shell('printf answer', { stdin: 'socket', stdout: 'socket' })
    job.stdin!.write(Buffer.alloc(5_000_000))
    expect(await textOf(job)).toBe('answer')
    expect((await job.exit).exitCode).toBe(0)
  })

  test('descriptor 3 is bidirectional, also for grandchildren', async () => {
    const script = 'sh -c \'read -r go <&3; printf question >&3; read -r answer <&3; printf %s "$answer"\''
    const job = await shell(script, { gate: true })
    const asked = new Promise<string>((resolve) => {
      job.onGate = (data) => resolve(Buffer.from(data).toString())
    })
    // It sends its request after the listener is set.
    job.answerGate(Buffer.from('go\n'))
    expect(await asked).toBe('question')
    job.answerGate(Buffer.from('yes\n'))
    expect((await job.exit).stdout.toString()).toBe('yes')
  })
})

describe('ending', () => {
  test('killing a command ends all its descendants', async () => {
    const job = await shell('sleep 1000 & echo $!; wait', { stdout: 'socket' })
    const [line] = await job.stdout!.take(1).toArray()
    const grandchild = Number(String(line))
    expect(await isAlive(grandchild)).toBe(true)
    job.kill()
    expect(await codeOf(job.exit)).toBe('aborted')
    await until(async () => !(await isAlive(grandchild)))
  })

  test('a command that ignores SIGTERM is killed', async () => {
    const job = await shell('trap "" TERM; while :; do sleep 0.1; done')
    job.kill()
    expect(await codeOf(job.exit)).toBe('aborted')
    await until(async () => !(await isAlive(job.pid)))
  })

  test('an abort signal ends a command before and while it runs', async () => {
    const controller = new AbortController()
    const job = await shell('sleep 1000', { signal: controller.signal })
    controller.abort()
    expect(await codeOf(job.exit)).toBe('aborted')
    expect(await codeOf(shell('true', { signal: AbortSignal.abort() }))).toBe('aborted')
  })

  test('the time and the output are limited', async () => {
    expect(await codeOf((await shell('sleep 1000', { timeoutMs: 50 })).exit)).toBe('timeout')
    expect(await codeOf((await shell('yes', { captureBytes: 1_000 })).exit)).toBe('too_large')
  })

  test('hundreds of commands leak no descriptor', { timeout: 60_000 }, async () => {
    const round = async (count: number) => {
      for (let index = 0; index < count; index += 20) {
        const jobs = Array.from({ length: 20 }, async (_, position) => {
          const job = await shell('cat', { stdin: 'socket', stdout: 'socket', gate: position % 2 === 0 })
          job.stdin!.end('x')
          await textOf(job)
          await job.exit
        })
        await Promise.all(jobs)
      }
    }
    await round(40)
    const before = [await openDescriptors('self'), await openDescriptors(spawner.pid()!)] as const
    await round(500)
    await until(
      async () => (await openDescriptors('self')) <= before[0] && (await openDescriptors(spawner.pid()!)) <= before[1],
    )
  })
})

describe('the spawner', () => {
  test('is replaced when it dies, and its commands fail', async () => {
    const deaths: string[] = []
    const own = await openSpawner({ runtimeDirectory: tmpdir(), log: (_level, message) => deaths.push(message) })
    try {
      const job = await own.start({ ...streamed, binary: 'sleep', arguments: ['1000'] })
      process.kill(own.pid()!, 'SIGKILL')
      expect(await codeOf(job.exit)).toBe('interrupted')
      await until(async () => !(await isAlive(job.pid)))
      const exit = await (await own.start({ ...captured, binary: 'echo', arguments: ['back'] })).exit
      expect(exit.stdout.toString()).toBe('back\n')
      expect(deaths).toEqual(['the git spawner died'])
    } finally {
      await own.close()
    }
  })

  test('comes back after it died too often', async () => {
    const own = await openSpawner({ runtimeDirectory: tmpdir(), log: () => {}, restartsAMinute: 0 })
    const echo = async () => (await own.start({ ...captured, binary: 'echo', arguments: ['back'] })).exit
    try {
      expect([own.isThere(), (await echo()).exitCode]).toEqual([true, 0])
      process.kill(own.pid()!, 'SIGKILL')
      await until(async () => !own.isThere())
      expect(await codeOf(echo())).toBe('interrupted')
      await until(async () => own.isThere())
      expect((await echo()).stdout.toString()).toBe('back\n')
    } finally {
      await own.close()
    }
  })

  test('ends all commands when it is closed', async () => {
    const own = await openSpawner({ runtimeDirectory: tmpdir(), log: () => {} })
    const job = await own.start({ ...streamed, binary: 'sleep', arguments: ['1000'] })
    const pid = own.pid()!
    await own.close()
    expect(await codeOf(job.exit)).toBe('closed')
    expect(await isAlive(pid)).toBe(false)
    await until(async () => !(await isAlive(job.pid)))
    expect(await codeOf(own.start({ ...captured, binary: 'true', arguments: [] }))).toBe('closed')
  })

  test('ends with the server, even a killed one, and cleans up', async () => {
    const program = `
      const { openSpawner } = await import(${JSON.stringify(new URL('./spawner.ts', import.meta.url).href)})
      const { tmpdir } = await import('node:os')
      const spawner = await openSpawner({ runtimeDirectory: tmpdir(), log() {} })
      const environment = { PATH: '/usr/bin:/bin' }
      const limits = { timeoutMs: 60000, captureBytes: 10, stderrBytes: 10, gate: false }
      const job = { binary: 'sleep', arguments: ['1000'], environment, ...limits, stdin: 'none', stdout: 'capture' }
      const { pid } = await spawner.start(job)
      console.log(JSON.stringify([spawner.pid(), pid]))
    `
    const server = spawn(process.execPath, ['--input-type=module', '-e', program])
    const [line] = await once(server.stdout, 'data')
    const [spawnerPid, pid] = JSON.parse(String(line)) as [number, number]
    const socketPath = (await readFile(`/proc/${spawnerPid}/cmdline`, 'utf8'))
      .split('\0')
      .find((part) => part.endsWith('/data'))
    expect(await isAlive(pid)).toBe(true)
    server.kill('SIGKILL')
    await until(async () => !(await isAlive(spawnerPid)) && !(await isAlive(pid)))
    await expect(access(socketPath!)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('requires a short directory for its socket', async () => {
    const root = await mkdtemp(`${tmpdir()}/fennec-test-`)
    const long = `${root}/${'x'.repeat(100)}`
    await mkdir(long)
    expect(await codeOf(openSpawner({ runtimeDirectory: long, log: () => {} }))).toBe('invalid_input')
    expect(await readdir(long)).toEqual([])
    await rm(root, { recursive: true })
  })
})
