import { manualClock } from '../../infra/clock/index.ts'
import {
  type Client,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

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
