import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeRunner, workOn } from '../modules/runners/testing.ts'
import { type Person, startTestServer, type TestServer, zipOf } from '../testing/index.ts'
import { pipelineOf, type TestMachine, testMachine } from './testing.ts'

let server: TestServer
let owner: Person
let machine: TestMachine
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  machine = await testMachine(server, { tag_list: ['here'] })
})
afterAll(async () => {
  await machine[Symbol.asyncDispose]()
  await server.stop()
})

describe('artifacts of another runner', () => {
  const config = `
made: {stage: build, script: [a], artifacts: {paths: [a]}}
used: {tags: [here], script: ['cat a/b']}`

  /** Has another runner upload an archive, on which a job of this one depends. */
  async function jobWith(archive: Buffer, comment: string) {
    const pipeline = await pipelineOf(server, owner, `${config} # ${comment}`)
    const job = await (await makeRunner(server)).take()
    const work = workOn(server, job)
    expect((await work.upload(archive)).status).toBe(201)
    await work.update({ state: 'success' })
    await machine.runAll()
    return (await pipeline.jobs()).used
  }

  test('are extracted', async () => {
    expect(await jobWith(zipOf({ 'a/b': 'content' }), 'plain')).toMatchObject({
      status: 'success',
      log: expect.stringContaining('content'),
    })
  })

  test('that would leave the folder of the project are refused', async () => {
    const job = await jobWith(zipOf({ 'a/b': 'content', '../../../../evil': 'evil' }), 'evil')
    expect(job).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    expect(job?.log).toContain('the artifacts of made are refused')
    expect(job?.log).not.toContain('cat a/b')
    for (const path of ['evil', 'builds/evil']) await expect(stat(join(machine.folder, path))).rejects.toThrow('ENOENT')
  })
})

describe('artifacts', () => {
  test('that the server refuses fail the job', async () => {
    const config = `
a:
  script: ['head -c 2000000 /dev/urandom > large']
  artifacts: {paths: [large]}
b:
  script: ['echo "not a variable" > build.env']
  artifacts: {reports: {dotenv: build.env}}`
    const pipeline = await pipelineOf(server, owner, config)
    await server.root.put('/application/settings', { max_artifacts_size: 1 })
    await machine.runAll()
    const { a, b } = await pipeline.jobs()
    expect(a).toMatchObject({ status: 'failed', failure_reason: 'runner_system_failure' })
    expect(a?.log).toContain('archive: the upload is refused: 413 Request Entity Too Large')
    expect(b?.log).toContain('dotenv: the upload is refused: Invalid Format')
  })

  test('have untracked files, and neither the history nor files outside', async () => {
    const config = `
a:
  script: [echo x > ignored, mkdir -p .git/info, echo ignored > .git/info/exclude, git init -q ../other]
  artifacts: {untracked: true, paths: ['**/config', '.git', ../other/.git/config, /etc/passwd]}`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { a } = await pipeline.jobs()
    expect(a?.status, a?.log).toBe('success')
    expect(a?.log).toContain('../other/.git/config: is outside of the project')
    expect(await pipeline.namesIn(a?.id ?? 0)).toEqual(['ignored'])
  })
})

describe('a cache', () => {
  test('is found by a fallback key, and is of one project only', async () => {
    const job = (key: string, more: string) =>
      `{cache: {key: ${key}, paths: [c]${more}}, script: ['cat c || echo none', 'echo "by ${key}" > c']}`
    const config = `
a: ${job('first', '')}
b: ${job('second', ', fallback_keys: [first, other]').replace('{cache', '{stage: .post, cache')}`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { a, b } = await pipeline.jobs()
    expect(a?.log).toContain('\nnone\n')
    expect(b?.log).toContain('\nby first\n')
    const other = await pipelineOf(server, owner, `${config} # of another project`)
    await machine.runAll()
    expect((await other.jobs()).a?.log).toContain('\nnone\n')
  })

  test('is neither read nor written by its policy and its result', async () => {
    const cached = (more: string) => `cache: {key: k, paths: [c], ${more}}`
    const config = `
pull: {stage: build, ${cached('policy: pull')}, script: [echo pull > c]}
push: {stage: test, ${cached('policy: push')}, script: [test ! -e c, echo push > c]}
fails: {stage: deploy, allow_failure: true, ${cached('when: on_success')}, script: [cat c, echo fails > c, exit 1]}
last: {stage: .post, ${cached('when: always')}, script: [cat c]}`
    const pipeline = await pipelineOf(server, owner, config)
    await machine.runAll()
    const { push, fails, last } = await pipeline.jobs()
    expect(push?.status, push?.log).toBe('success')
    expect(fails?.log).toContain('\npush\n')
    expect(last?.log).toContain('\npush\n')
  })
})
