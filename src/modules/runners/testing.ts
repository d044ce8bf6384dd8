/** Rows of runners, for tests that are about something else. */
import { now } from '../../infra/database/index.ts'
import { type Answer, bytesAt, type Person, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** Records a contact of a runner by a program. @returns the id of the manager */
export async function contact(server: TestServer, runnerId: number, systemId = 's_test'): Promise<number> {
  const { database, clock } = server.app.platform
  const contacted_at = now(clock)
  const facts = { version: '19.4.0', revision: 'abc', platform: 'linux', architecture: 'amd64', executor: 'shell' }
  return database.write(async (tx) => {
    const seen = { ...facts, ip_address: '10.0.0.1', contacted_at }
    await tx.updateTable('runners').set(seen).where('id', '=', runnerId).execute()
    const manager = { ...seen, runner_id: runnerId, system_id: systemId, created_at: contacted_at }
    return (await tx.insertInto('runner_managers').values(manager).returning('id').executeTakeFirstOrThrow()).id
  })
}

/** A client of the runner protocol, which needs no user. */
export type TestRunner = {
  id: number
  token: string
  /** Asks for a job. */
  ask(more?: object): Promise<Answer>
  /** Asks for a job, and fails when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every form
  take(more?: object): Promise<any>
}

/** What a current runner announces. */
export const features = {
  upload_multiple_artifacts: true,
  artifacts_exclude: true,
  return_exit_code: true,
  fallback_cache_keys: true,
  cancel_gracefully: true,
}

/** Creates a runner by the API. @param body `POST /user/runners`; default: a runner of the instance */
export async function makeRunner(server: TestServer, body: object = {}): Promise<TestRunner> {
  const created = await server.root.post('/user/runners', { runner_type: 'instance_type', ...body })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const { id, token } = created.body
  const info = { name: 'gitlab-runner', version: '19.4.0', executor: 'shell', features }
  const ask = (more: object = {}) =>
    server.anonymous.post('/jobs/request', { token, system_id: 's_test', info, ...more })
  return {
    ...{ id, token, ask },
    async take(more) {
      const answer = await ask(more)
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}

/** The job of a payload, as its runner reports it. */
export function workOn(server: TestServer, { id, token }: { id: number; token: string }) {
  const headers = { 'JOB-TOKEN': token }
  return {
    update: (body: object = {}) => server.anonymous.put(`/jobs/${id}`, { token, ...body }),
    trace: (text: string, range?: string) =>
      server.anonymous.patch(`/jobs/${id}/trace`, text, {
        headers: {
          ...headers,
          'Content-Type': 'text/plain',
          ...(range === undefined ? {} : { 'Content-Range': range }),
        },
      }),
    upload(content: string | Buffer, query = '', name = 'artifacts.zip') {
      const form = new FormData()
      form.set('file', new File([content], name))
      return server.anonymous.post(`/jobs/${id}/artifacts${query}`, form, { headers })
    },
    download: (jobId: number) => bytesAt(server.anonymous, `/jobs/${jobId}/artifacts`, headers),
  }
}

/** A project whose jobs wait for runners: its configuration is committed, and the pipeline of the commit is created. */
export async function queuedProject(
  server: TestServer,
  owner: Person,
  path: string,
  { config, message = 'configure', namespace }: { config: string; message?: string; namespace?: NamespaceRow },
): Promise<ProjectRow> {
  const project = await server.make.project(path, owner, namespace && { namespace })
  const file = { branch: 'main', content: config, commit_message: message }
  const { status, body } = await owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file)
  if (status !== 201) throw new Error(JSON.stringify(body))
  await server.app.platform.jobs.drain()
  return project
}
