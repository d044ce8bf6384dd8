import { createHash } from 'node:crypto'
import { bytesAt, clientOf } from '../../../src/testing/index.ts'
import { ask, bodyAt, change, type Load, type Piece, project, readEach } from './load.ts'

const config = Array.from({ length: 3 }, (_, index) => `job ${index}: {script: make}\n`).join('')
const digestOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
/** The token of the runner, by the ledger of the load. */
const runners = new WeakMap<object, string>()

/** How the server ends jobs whose runners are gone. */
const timeouts = ['job_execution_timeout', 'stuck_or_timeout_failure']

const idOf = (name: string) => name.split(':')[1]

/** Performs a job as a runner does: two parts of a log, an artifact, and the end. */
async function perform(load: Load, { id, token }: { id: number; token: string }, step: string): Promise<void> {
  const headers = { 'JOB-TOKEN': token }
  const name = `job:${id}`
  const trace = `trace:${id}`
  load.ledger.acknowledge(name, 'running')
  const parts = [`${step} one\n`, `${step} two\n`]
  let written = ''
  for (const part of parts) {
    const range = `${written.length}-${written.length + part.length - 1}`
    written += part
    const options = { headers: { ...headers, 'Content-Type': 'text/plain', 'Content-Range': range } }
    await change(load, trace, written, (client) => client.patch(`/jobs/${id}/trace`, part, options))
  }
  const content = step.repeat(500)
  const form = new FormData()
  form.set('file', new File([content], 'artifacts.zip'))
  await change(load, `artifact:${id}`, digestOf(content), (client) =>
    client.post(`/jobs/${id}/artifacts?expire_in=never`, form, { headers }),
  )
  await change(load, name, 'success', (client) => client.put(`/jobs/${id}`, { token, state: 'success' }))
}

async function readJob(load: Load, name: string): Promise<string | null> {
  const client = clientOf(load.url(), load.token)
  const path = `${project}/jobs/${idOf(name)}`
  if (name.startsWith('job:')) {
    const job = await bodyAt(load, path)
    // Its runner was cut off, and the run of the campaign has taken longer than a job may.
    return timeouts.includes(job?.failure_reason) ? 'running' : (job?.status ?? null)
  }
  if (name.startsWith('pipeline:')) {
    const jobs = await bodyAt(load, `${project}/pipelines/${idOf(name)}/jobs?per_page=100`)
    return jobs && `${jobs.length} jobs`
  }
  const { status, bytes } = await bytesAt(client, `${path}/${name.startsWith('trace:') ? 'trace' : 'artifacts'}`)
  if (status === 404) return null
  if (status !== 200) return `status ${status}`
  if (name.startsWith('artifact:')) return digestOf(bytes)
  // No log yet is an empty one.
  return bytes.length === 0 ? null : bytes.toString()
}

/** Creates pipelines, and performs their jobs by the protocol of runners. */
export const jobs: Piece = {
  title: 'job',
  kinds: ['job', 'pipeline', 'trace', 'artifact'],
  clients: 1,
  async prepare(load) {
    const file = { branch: 'ci', start_branch: 'main', commit_message: 'configure [skip ci]', content: config }
    await ask(load, (client) => client.post(`${project}/repository/files/.gitlab-ci.yml`, file))
    const { body: branch } = await ask(load, (client) => client.get(`${project}/repository/branches/ci`))
    load.ledger.acknowledge('branch:ci', branch.commit.id)
    const { body } = await ask(load, (client) => client.post('/user/runners', { runner_type: 'instance_type' }))
    runners.set(load.ledger, body.token)
  },
  async step(load, _client, step) {
    const runner = { token: runners.get(load.ledger), system_id: 's_campaign' }
    const { status, body } = await ask(load, (client) => client.post('/jobs/request', runner))
    if (status === 201) return perform(load, body, step)
    const { body: made } = await ask(load, (client) => client.post(`${project}/pipeline`, { ref: 'ci' }))
    load.ledger.acknowledge(`pipeline:${made.id}`, '3 jobs')
  },
  read: (load, names) => readEach(names, (name) => readJob(load, name)),
}
