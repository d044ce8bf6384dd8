import { manualClock } from '../../infra/clock/index.ts'
import { openRow, repositoryOfProject } from '../../platform/repositories/index.ts'
import { addMembers, makePeople, projectWithMembers, startTestServer } from '../../testing/index.ts'
import { failJob, finishJob, startProblem, transitionJob } from '../pipelines/index.ts'
import { projectWithConfig } from '../pipelines/testing.ts'

/** Starts a server, with people of which each project has one in every role. */
export async function startWithEnvironments() {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const server = await startTestServer({ clock })
  const people = await makePeople(server)
  let count = 0

  /** A project without environments; `base` is its address. */
  async function made(visibility: 'private' | 'public' = 'private') {
    count += 1
    const { project } = await projectWithMembers(server, { people, path: `deployed-${count}`, visibility })
    const base = `/projects/${project.id}`
    return { project, base, environments: `${base}/environments` }
  }

  return { server, clock, ...people, made }
}

type JobState = 'success' | 'failed'

/** As `startWithEnvironments`, with projects whose jobs run as the test says. */
export async function startWithDeployments() {
  const at = await startWithEnvironments()
  const { server, owner } = at
  const { platform } = server.app
  const { database } = platform
  const drain = () => platform.jobs.drain()
  let count = 0

  /** The latest job of a pipeline that has this name. */
  async function latest(pipelineId: number, name: string) {
    const jobs = database.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId)
    return jobs.where('name', '=', name).where('retried', '=', false).executeTakeFirstOrThrow()
  }

  const pipelinesOf = async (base: string) => (await owner.get(`${base}/pipelines`)).body as { id: number }[]

  /** Takes a pending job as a runner does. @returns null when it has failed in place of running */
  async function take(pipelineId: number, name: string) {
    await drain()
    const job = await latest(pipelineId, name)
    const problem = await startProblem(platform, job)
    if (problem) {
      await failJob(platform, job, problem, { event: 'refuse' })
      return null
    }
    return database.write((tx) => transitionJob(platform, tx, job, 'run'))
  }

  /** A project with a configuration on `main`, whose pipeline waits for runners. */
  async function pushed(config: string) {
    count += 1
    const project = await projectWithConfig(server, owner, `pushed-${count}`, config)
    await addMembers(server, project, at)
    await drain()
    const base = `/projects/${project.id}`
    const pipeline = async () => (await pipelinesOf(base)).at(-1)?.id ?? 0

    /** Runs a job of a pipeline, the oldest one unless told, to an end. */
    async function run(name: string, state: JobState, pipelineId?: number): Promise<void> {
      const taken = await take(pipelineId ?? (await pipeline()), name)
      if (!taken) throw new Error(`${name} does not run`)
      await finishJob(platform, taken, { state })
      await drain()
    }

    /** The status of a job, with the reason of a failure. */
    async function status(name: string, pipelineId?: number): Promise<string> {
      const { status: found, failure_reason: reason } = await latest(pipelineId ?? (await pipeline()), name)
      return reason === null ? found : `${found} ${reason}`
    }

    const environment = async (name: string) =>
      (await owner.get(`${base}/environments?name=${encodeURIComponent(name)}`)).body[0]

    return { project, base, pipeline, run, status, drain, environment, latest }
  }

  /** The names of all refs of a project. */
  async function refs(base: string): Promise<string[]> {
    const row = await repositoryOfProject(database.read, Number(base.split('/').at(-1)))
    if (!row) return []
    const lines = (await (await openRow(platform, row)).allRefs()).toString().trim().split('\n')
    return lines.map((line) => line.split(' ')[1] ?? '')
  }

  return { ...at, pushed, take, refs, drain }
}
