/** A runner in the process of the tests, with folders of its own. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { vi } from 'vitest'
import { systemClock } from '../infra/clock/index.ts'
import { makeRunner } from '../modules/runners/testing.ts'
import { freePort, type Person, type TestServer, temporaryDirectory } from '../testing/index.ts'
import { features, inheritedEnvironment, RunnerClient, type RunnerOptions, startRunner } from './index.ts'

/** An address at which nothing listens any more. */
export const closedUrl = async () => `http://127.0.0.1:${await freePort()}`

export type TestMachine = AsyncDisposable & {
  folder: string
  /** What the runner said. */
  said: string[]
  /** Starts the runner; the same one each time. */
  start(more?: Partial<RunnerOptions>): ReturnType<typeof startRunner>
  /** Runs the jobs that there are. */
  runAll(more?: Partial<RunnerOptions>): Promise<void>
}

/** A machine with a new runner of the instance. @param body of its creation */
export async function testMachine(server: TestServer, body: object = {}): Promise<TestMachine> {
  const { token } = await makeRunner(server, body)
  const directory = await temporaryDirectory()
  const said: string[] = []
  const start = (more: Partial<RunnerOptions> = {}) =>
    startRunner({
      client: new RunnerClient(server.url),
      credentials: { token, systemId: 's_test' },
      info: {
        name: 'fennec-runner',
        version: '1',
        platform: 'test',
        architecture: 'test',
        executor: 'shell',
        features,
      },
      ...{
        longestIntervalMs: 100,
        concurrency: 1,
        once: false,
        clock: systemClock,
        builds: join(directory.path, 'builds'),
      },
      environment: { ...inheritedEnvironment(process.env), HOME: directory.path },
      say: (line) => said.push(line),
      ...more,
    })
  return {
    ...{ folder: directory.path, said, start },
    runAll: (more) => start({ once: true, ...more }).ended,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

export type TestJob = {
  id: number
  status: string
  failure_reason?: string
  allow_failure: boolean
  log: string
  artifacts: { file_type: string }[]
}

/** A project, and what became of its jobs. */
export type TestPipeline = {
  projectId: number
  /** Starts another pipeline. @returns its id */
  again(): Promise<number>
  /** The jobs of the latest pipeline by name, with their logs. */
  jobs(): Promise<Record<string, TestJob>>
  /** The names in a folder of the artifacts of a job. */
  namesIn(jobId: number, folder?: string): Promise<string[]>
  /** Waits until the log of a job has a text. @returns the job */
  waitFor(name: string, text: string): Promise<TestJob>
}

/** Creates a project with these files, and its pipeline. */
export async function pipelineOf(
  server: TestServer,
  owner: Person,
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<TestPipeline> {
  const path = `p${createHash('sha1').update(config).digest('hex').slice(0, 10)}`
  const { id: projectId } = await server.make.project(path, owner)
  const at = `/projects/${projectId}`
  const all = Object.entries({ '.gitlab-ci.yml': config, ...files })
  const actions = all.map(([file_path, content]) => ({ action: 'create', file_path, content }))
  const commit = { branch: 'main', commit_message: 'Begin [skip ci]', actions }
  const { status, body } = await owner.post(`${at}/repository/commits`, commit)
  if (status !== 201) throw new Error(JSON.stringify(body))
  let pipelineId = 0
  const again = async () => {
    const made = await owner.post(`${at}/pipeline`, { ref: 'main' })
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    pipelineId = made.body.id
    return pipelineId
  }
  const jobs = async () => {
    const { body: found } = await owner.get(`${at}/pipelines/${pipelineId}/jobs`)
    const named = (found as (TestJob & { name: string })[]).map(async (job) => {
      const { body: log } = await owner.get(`${at}/jobs/${job.id}/trace`)
      return [job.name, { ...job, log: String(log ?? '') }] as const
    })
    return Object.fromEntries(await Promise.all(named))
  }
  const waitFor = (name: string, text: string) =>
    vi.waitFor(
      async () => {
        const job = (await jobs())[name]
        if (!job?.log.includes(text)) throw new Error(`the log of ${name} has no ${text}: ${job?.log}`)
        return job
      },
      { timeout: 60_000, interval: 100 },
    )
  const namesIn = async (jobId: number, folder = '') => {
    const { body } = await owner.get(`${at}/jobs/${jobId}/artifacts/tree?path=${folder}`)
    return (body as { path: string }[]).map((entry) => entry.path)
  }
  await again()
  return { projectId, again, jobs, namesIn, waitFor }
}
