/** `fennec runner`, as a process beside the server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { closedUrl, pipelineOf } from '../src/runner/testing.ts'
import { type Person, runProgram, startTestServer, type TestServer, temporaryDirectory } from '../src/testing/index.ts'
import { program, programEnvironment } from './program.ts'

// Each command is a process of its own, and a loaded machine starts them slowly.
vi.setConfig({ testTimeout: 120_000 })

let server: TestServer
let owner: Person
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
const running: ChildProcess[] = []
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  folder = await temporaryDirectory()
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await folder[Symbol.asyncDispose]()
  await server.stop()
})

/** Starts the runner. `ended` has its exit code and output. */
function start(parameters: string[], settings: Record<string, string> = {}) {
  const env = {
    ...{ ...programEnvironment, HOME: folder.path, FENNEC_DATA: join(folder.path, 'data') },
    ...{ FENNEC_ROOT_TOKEN: server.rootToken, ...settings },
  }
  const child = spawn(process.execPath, [program, 'runner', ...parameters], { env })
  running.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code, output }))
  return { child, ended, output: () => output }
}

/** Whether a process runs, whose id a script has written. */
async function isAlive(name: string): Promise<boolean> {
  const pid = (await readFile(join(folder.path, name), 'utf8')).trim()
  const { stdout } = await runProgram({
    ...{ binary: 'ps', parameters: ['-o', 'stat=', '-p', pid] },
    env: { PATH: process.env.PATH },
  })
  return /^[^Z\s]/.test(stdout.trim())
}

const waiting = (name: string) => `'sleep 600 & echo $! > "$HOME/${name}"; echo "is waiting"; wait'`

describe('fennec runner', () => {
  test('registers itself, warns, runs the first pipeline, and is the same runner at the next start', async () => {
    const script = `env | grep FENNEC_ || echo "no settings"; umask`
    const pipeline = await pipelineOf(
      server,
      owner,
      `a: {script: ['${script}']}\nb: {stage: .post, script: [git status]}`,
    )
    const first = await start(['--url', `${server.url}/`, '--once']).ended
    expect(first.code, first.output).toBe(0)
    expect(first.output).toMatch(/^WARNING: jobs run as the user \S+, and may do what this user may: /)
    expect(first.output).not.toContain(server.rootToken)
    const { a, b } = await pipeline.jobs()
    expect([a?.status, b?.status], a?.log).toEqual(['success', 'success'])
    expect(a?.log).toContain('\nno settings\n')
    expect(a?.log).toContain('\n0022\n')
    expect((await stat(join(folder.path, 'data', 'builds'))).mode & 0o777).toBe(0o700)
    const id = /Runner (\d+) takes jobs/.exec(first.output)?.[1]
    expect((await stat(join(folder.path, 'data', 'runner.json'))).mode & 0o777).toBe(0o600)
    const second = await start(['--url', server.url, '--once', '--tags', 'x'], { FENNEC_ROOT_TOKEN: '' }).ended
    expect(second.code, second.output).toBe(0)
    expect(second.output).toContain(`Runner ${id} takes jobs`)
    expect(second.output).toContain('--tags is for a new runner')
    expect((await server.root.get('/runners/all')).body).toHaveLength(1)
    expect((await server.root.get(`/runners/${id}/managers`)).body).toHaveLength(1)
  })

  test('says in one line what is wrong', async () => {
    const problem = async (parameters: string[], settings: Record<string, string> = {}) => {
      const { code, output } = await start(parameters, settings).ended
      expect(code).toBe(1)
      return output
    }
    const away = await closedUrl()
    expect(await problem(['--url', away])).toBe(
      `fennec: no server answers at ${away} (ECONNREFUSED): start it, or give --url\n`,
    )
    expect(await problem(['--url', 'x'])).toContain('--url must be an address like')
    expect(await problem(['--concurrency', '0'])).toContain('--concurrency must be a whole number from 1 to 64')
    expect(await problem([], { FENNEC_LISTEN: '127.0.0.1:0' })).toContain('FENNEC_LISTEN names no port: give --url')
    expect(await problem(['--url', server.url, '--token', 'glrt-wrong'])).toBe(
      `fennec: ${server.url} refuses the token of the runner in --token\n`,
    )
  })

  test('lets the running job end at the first signal, and ends it at the second', async () => {
    const pipeline = await pipelineOf(server, owner, `a: {script: [${waiting('stopped')}]}`)
    const runner = start(['--url', server.url])
    await pipeline.waitFor('a', 'is waiting\n')
    runner.child.kill('SIGTERM')
    await expect.poll(() => runner.output()).toContain('No more jobs are taken')
    expect((await pipeline.jobs()).a?.status).toBe('running')
    // One that follows at once is the same.
    const repeated = setInterval(() => runner.child.kill('SIGINT'), 200)
    expect((await runner.ended).code).toBe(0)
    clearInterval(repeated)
    expect((await pipeline.jobs()).a).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    await expect.poll(() => isAlive('stopped')).toBe(false)
  })

  test('that is killed leaves no process of a job', async () => {
    const pipeline = await pipelineOf(server, owner, `a: {script: [${waiting('killed')}]}`)
    const runner = start(['--url', server.url])
    await pipeline.waitFor('a', 'is waiting\n')
    expect(await isAlive('killed')).toBe(true)
    runner.child.kill('SIGKILL')
    await runner.ended
    await expect.poll(() => isAlive('killed')).toBe(false)
  })
})
