import { manualClock } from '../../infra/clock/index.ts'
import { now } from '../../infra/database/index.ts'
import { hashToken, randomToken } from '../../infra/secrets/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import {
  type Client,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { insertPipeline } from './creation/store.ts'
import type { CiState } from './tables.ts'

/** Starts a server with members of several roles, and makes projects whose commits get statuses. */
export async function startWithStatuses() {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const server = await startTestServer({ clock })
  const owner = await server.user('owner')
  const developer = await server.user('developer')
  const reporter = await server.user('reporter')
  const guest = await server.user('guest')
  const outsider = await server.user('outsider')

  /** A project with three commits: two on `main`, and one of its own on `topic`. */
  async function made(path: string, visibility: 'private' | 'public' = 'private') {
    const commit = (message: string, branch: string) => ({
      message,
      branch,
      files: [['100644', `${message}.txt`, message]] as [string, string, string][],
    })
    const stream = importStream([commit('one', 'main'), commit('two', 'main'), commit('three', 'topic')])
    const project = await imported(server, owner, path, stream, { visibility })
    for (const [person, level] of [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ] as const) {
      await server.make.member({ project }, person, level)
    }
    const commits = `/projects/${project.id}/repository/commits`
    const idsOf = async (branch: string) =>
      (await owner.get(`${commits}?ref_name=${branch}`)).body.map(({ id }: { id: string }) => id) as string[]
    const [two = '', one = ''] = await idsOf('main')
    const [three = ''] = await idsOf('topic')
    const set = (state: string, more: object = {}, { sha = one, as = owner as Client } = {}) =>
      as.post(`/projects/${project.id}/statuses/${sha}`, { state, ...more })
    const list = (query = '', sha = one) => owner.get(`${commits}/${sha}/statuses${query}`)
    const detail = async (sha = one) => (await owner.get(`${commits}/${sha}`)).body
    return { project, commits, one, two, three, set, list, detail }
  }

  return { server, clock, owner, developer, reporter, guest, outsider, made }
}

/** A project with a configuration on `main`, pushed by its owner. Jobs that follow the push have not run yet. */
export async function projectWithConfig(server: TestServer, owner: Person, path: string, config: string) {
  const commit = { message: 'configure', branch: 'main', files: [['100644', '.gitlab-ci.yml', config]] }
  return imported(server, owner, path, importStream([commit as never]))
}

/** The latest jobs of a pipeline, `name status` each. */
export async function statusesOf(server: TestServer, pipelineId: number): Promise<string[]> {
  const rows = await server.app.platform.database.read
    .selectFrom('ci_jobs')
    .select(['name', 'status'])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false)
    .orderBy('id')
    .execute()
  return rows.map(({ name, status }) => `${name} ${status}`)
}

/** A job by rows, with a token that is valid while it is pending, running or being canceled. */
export async function jobWithToken(
  { app }: TestServer,
  { projectId, userId, status = 'running' }: { projectId: number; userId: number; status?: CiState },
): Promise<{ id: number; pipelineId: number; token: string; end(): Promise<void> }> {
  const { database, clock } = app.platform
  const token = randomToken('glcbt-')
  const moment = now(clock)
  const common = { project_id: projectId, user_id: userId, sha: 'a'.repeat(40), ref: 'main', created_at: moment }
  const unset = { started_at: null, finished_at: null, updated_at: moment }
  const made = await database.write(async (tx) => {
    const iid = await nextInternalId(tx, { projectId }, 'pipelines')
    const pipeline = await insertPipeline(tx, { ...common, ...unset, iid, status: 'running', source: 'api' })
    const job = await tx
      .insertInto('ci_jobs')
      .values({
        ...{ ...common, ...unset, pipeline_id: pipeline.id, status, token_digest: hashToken(token) },
        ...{ external: false, stage: 'test', name: 'work', target_url: null, description: null, coverage: null },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id: job.id, pipelineId: pipeline.id }
  })
  const end = async () => {
    const ended = { status: 'success', finished_at: now(clock) } as const
    await database.write((tx) => tx.updateTable('ci_jobs').set(ended).where('id', '=', made.id).execute())
  }
  return { ...made, token, end }
}
