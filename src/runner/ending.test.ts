import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, runProgram, startTestServer, type TestServer } from '../testing/index.ts'
import { RunnerClient } from './index.ts'
import { closedUrl, pipelineOf, type TestMachine, testMachine } from './testing.ts'

let server: TestServer
let owner: Person
let machine: TestMachine
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  machine = await testMachine(server)
})
afterAll(async () => {
  await machine[Symbol.asyncDispose]()
  await server.stop()
})

/** A process of a script: its id is in a file that the script writes. */
const pidIn = async (name: string) => Number((await readFile(join(machine.folder, name), 'utf8')).trim())

/** Whether a process runs. One that has ended and was not asked for its end does not. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await runProgram({
    ...{ binary: 'ps', parameters: ['-o', 'stat=', '-p', String(pid)] },
    env: { PATH: process.env.PATH },
  })
  return /^[^Z\s]/.test(stdout.trim())
}

const hasEnded = (name: string) => expect.poll(async () => isAlive(await pidIn(name))).toBe(false)

/** Commands that wait until they are ended, with a process of their own. */
const waiting = (name: string) => `'sleep 600 & echo $! > "$HOME/${name}"; echo "is waiting"; wait'`

describe('a running job', () => {
  test('that is canceled ends with all its processes, and has after_script', async () => {
    const config = `a:\n  script: [${waiting('canceled')}]\n  after_script: ['echo "after $CI_JOB_STATUS"']`
    const pipeline = await pipelineOf(server, owner, config)
    const running = machine.start({ once: true })
    const { id } = await pipeline.waitFor('a', 'is waiting\n')
    expect((await owner.post(`/projects/${pipeline.projectId}/jobs/${id}/cancel`)).status).toBe(201)
    expect((await pipeline.jobs()).a?.status).toBe('canceling')
    await running.ended
    const { a } = await pipeline.jobs()
    expect(a?.status).toBe('canceled')
    expect(a?.log).toContain('\nafter canceled\n')
    expect(a?.log).toContain('ERROR: Job failed: the job was canceled')
    await hasEnded('canceled')
    expect(machine.said.at(-1)).toMatch(/^job \d+ \(owner\/\w+, a\) was canceled$/)
  })

  test('that the server has ended is given up with its after_script', async () => {
    const config = `a:\n  script: [${waiting('first')}]\n  after_script: [echo "after", ${waiting('second')}]`
    const pipeline = await pipelineOf(server, owner, config)
    const running = machine.start({ once: true })
    const { id } = await pipeline.waitFor('a', 'is waiting\n')
    const at = `/projects/${pipeline.projectId}/jobs/${id}`
    await owner.post(`${at}/cancel`)
    await pipeline.waitFor('a', 'after\n')
    await pipeline.waitFor('a', 'is waiting\n')
    expect((await owner.post(`${at}/cancel?force=true`)).body.status).toBe('canceled')
    await running.ended
    await hasEnded('first')
    await hasEnded('second')
    expect((await pipeline.jobs()).a).toMatchObject({ status: 'canceled', log: expect.not.stringContaining('ERROR') })
    expect(machine.said.at(-1)).toContain('was ended by the server')
  })

  test('ends with its timeout, and all its processes', async () => {
    const config = `a:\n  timeout: 2 seconds\n  script: [${waiting('late')}]\n  after_script: [echo never]`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'job_execution_timeout' })
    expect(a?.log).toContain('ERROR: Job failed: execution took longer than 2 seconds')
    expect(a?.log).not.toContain('never')
    await hasEnded('late')
  })

  test('has a script and an after_script with timeouts of their own', async () => {
    const config = `
a:
  variables: {RUNNER_SCRIPT_TIMEOUT: 1s, RUNNER_AFTER_SCRIPT_TIMEOUT: 1s}
  script: [${waiting('one')}]
  after_script: ['echo "after $CI_JOB_STATUS"', sleep 600]`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'job_execution_timeout' })
    expect(a?.log).toContain('\nafter failed\n')
    expect(a?.log).toContain('after_script failed, but the job goes on: execution took longer than 1 seconds')
  })

  test('leaves no process in the background', async () => {
    const pipeline = await pipelineOf(server, owner, `a: {script: ['sleep 600 & echo $! > "$HOME/background"']}`)
    await machine.runAll()
    expect((await pipeline.jobs()).a?.status).toBe('success')
    await hasEnded('background')
  })
})

describe('a runner that is stopped', () => {
  test('lets the running job end, and takes no other', async () => {
    const config = `
a: {script: ['echo "is waiting"; until test -e "$HOME/go"; do sleep 0.1; done']}
b: {stage: .post, script: [echo never]}`
    const pipeline = await pipelineOf(server, owner, config)
    const running = machine.start()
    await pipeline.waitFor('a', 'is waiting\n')
    running.finish()
    await writeFile(join(machine.folder, 'go'), '')
    await running.ended
    const { a, b } = await pipeline.jobs()
    expect([a?.status, b?.status]).toEqual(['success', 'pending'])
    await machine.runAll()
  })

  test('at once reports the running job as failed', async () => {
    const pipeline = await pipelineOf(
      server,
      owner,
      `a:\n  script: [${waiting('stopped')}]\n  after_script: [echo never]`,
    )
    const running = machine.start()
    await pipeline.waitFor('a', 'is waiting\n')
    running.abort()
    await running.ended
    const { a } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    expect(a?.log).toContain('ERROR: Job failed: the runner was stopped')
    expect(a?.log).not.toContain('never')
    await hasEnded('stopped')
  })

  test('runs several jobs at once, each in a folder of its own', async () => {
    const script =
      'echo "in $CI_PROJECT_DIR"; touch "$HOME/$CI_JOB_NAME"; until test -e "$HOME/x" -a -e "$HOME/y"; do sleep 0.1; done'
    const pipeline = await pipelineOf(server, owner, `x: {script: ['${script}']}\ny: {script: ['${script}']}`)
    await machine.runAll({ concurrency: 2 })
    const { x, y } = await pipeline.jobs()
    expect([x?.status, y?.status]).toEqual(['success', 'success'])
    expect(`${x?.log}${y?.log}`).toMatch(/in \S+work-0[\s\S]*in \S+work-1|in \S+work-1[\s\S]*in \S+work-0/)
  })
})

describe('an outage of the server', () => {
  test('is said once, and ends a runner that runs once only', async () => {
    await using away = await testMachine(server)
    const client = new RunnerClient(await closedUrl())
    await expect(away.runAll({ client })).rejects.toThrow(`no server answers at ${client.url} (ECONNREFUSED)`)
    const running = away.start({ client })
    await expect.poll(() => away.said).toEqual([expect.stringContaining('trying again')])
    running.finish()
    await running.ended
    expect(away.said).toHaveLength(1)
  })

  test('a token that is refused ends the runner', async () => {
    const credentials = { token: 'glrt-unknown', systemId: 's_test' }
    await expect(machine.start({ credentials }).ended).rejects.toThrow('403 Forbidden')
  })
})
