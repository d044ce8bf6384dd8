import type { Random } from '../random.ts'
import type { JobPlan } from '../world-types.ts'
import type { Api } from './client.ts'
import { logOf } from './log.ts'
import { zipOf } from './zip.ts'

/** A job as the server hands it out, as far as the demo reads it. */
type TakenJob = {
  id: number
  token: string
  job_info: { name: string; project_full_path: string }
  git_info: { sha: string }
}

/** A registered runner, which does by the protocol of runners what a real one does. */
export type Runner = {
  /** Takes and ends jobs until none waits. @param failing the names of those that fail */
  work(failing?: readonly string[]): Promise<void>
  /** Takes one job and leaves it at half of its log. */
  begin(): Promise<void>
}

type Parts = {
  api: Api
  /** The token of the runner. */
  token: string
  random: Random
  /** How the jobs of a project go, by their names. @param path the project's */
  jobPlans(path: string): Record<string, JobPlan>
  clock: { now(): Date; pass(ms: number): void }
  /** Waits until the server has done what follows from the requests so far. */
  settle(): Promise<void>
}

const info = { name: 'gitlab-runner', version: '17.7.0', platform: 'linux', architecture: 'amd64', executor: 'docker' }

export function runnerOf({ api, token, random, jobPlans, clock, settle }: Parts): Runner {
  const json = { 'Content-Type': 'application/json' }

  async function take(): Promise<TakenJob | null> {
    const body = JSON.stringify({ token, info, system_id: 's_demo' })
    const answer = await api.open('POST', '/api/v4/jobs/request', { headers: json, body })
    if (answer.status === 204) return null
    if (answer.status !== 201) throw new Error(`jobs/request: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text) as TakenJob
  }

  async function send(
    job: TakenJob,
    method: 'PATCH' | 'POST' | 'PUT',
    path: string,
    body: string | FormData,
    headers = {},
  ) {
    const tokenOfJob = { 'JOB-TOKEN': job.token, ...headers }
    const answer = await api.open(method, `/api/v4/jobs/${job.id}${path}`, { headers: tokenOfJob, body })
    if (!answer.ok) throw new Error(`${job.job_info.name}: ${method} ${path}: ${answer.status} ${answer.text}`)
  }

  function trace(job: TakenJob, text: string): Promise<void> {
    const range = `0-${Buffer.byteLength(text) - 1}`
    return send(job, 'PATCH', '/trace', text, { 'Content-Type': 'text/plain', 'Content-Range': range })
  }

  function jobPlanOf({ job_info: { name, project_full_path: path } }: TakenJob): JobPlan {
    const jobPlan = jobPlans(path)[name]
    if (!jobPlan) throw new Error(`${path} does not say how its job ${name} goes`)
    return jobPlan
  }

  async function run(job: TakenJob, isFailed: boolean): Promise<void> {
    const jobPlan = jobPlanOf(job)
    const seconds = random.between(...jobPlan.seconds)
    const log = logOf(isFailed ? (jobPlan.failure ?? jobPlan.log) : jobPlan.log, {
      job,
      isFailed,
      seconds,
      now: clock.now(),
    })
    await trace(job, log)
    if (jobPlan.artifacts && !isFailed) {
      const form = new FormData()
      form.set('file', new File([new Uint8Array(zipOf(jobPlan.artifacts))], 'artifacts.zip'))
      await send(job, 'POST', '/artifacts', form)
    }
    // Work of the server does not take as long as the job.
    await settle()
    clock.pass(seconds * 1000)
    const state = isFailed ? { state: 'failed', failure_reason: 'script_failure', exit_code: 1 } : { state: 'success' }
    await send(job, 'PUT', '', JSON.stringify({ token: job.token, ...state }), json)
  }

  return {
    async work(failing = []) {
      for (let job = await take(); job; job = await take()) await run(job, failing.includes(job.job_info.name))
    },
    async begin() {
      const job = await take()
      if (!job) throw new Error('there is no job to begin')
      const jobPlan = jobPlanOf(job)
      const log = logOf(jobPlan.log, { job, isFailed: false, seconds: 60, now: clock.now() })
      await trace(job, log.slice(0, log.lastIndexOf('\n', log.length / 2) + 1))
    },
  }
}
