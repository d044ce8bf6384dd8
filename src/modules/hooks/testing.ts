import type { Clock } from '../../infra/clock/index.ts'
import { type Client, startReceiver, startTestServer } from '../../testing/index.ts'

export type Hooked = Awaited<ReturnType<typeof startWithReceiver>>

/** Starts a server with a receiver on this machine, which hooks may reach, and a group with a project of an owner. */
export async function startWithReceiver(options?: { clock: Clock }) {
  const server = await startTestServer(options)
  const receiver = await startReceiver()
  const { platform } = server.app
  const allowLocal = (allow_local_requests_from_web_hooks_and_services: boolean) =>
    server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services })
  await allowLocal(true)
  const owner = await server.user('owner')
  const group = await server.make.group('hooked', owner)
  const project = await server.make.project('code', owner, { namespace: group })

  /** Waits until everything that was enqueued has run. */
  const settle = () => platform.jobs.drain()

  async function created(client: Client, path: string, body: object) {
    const answer = await client.post(path, { url: receiver.url, ...body })
    if (answer.status !== 201) throw new Error(`no hook was created: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  return {
    server,
    receiver,
    owner,
    group,
    project,
    allowLocal,
    settle,
    /** Creates a hook of the project. */
    hook: (body: object = {}) => created(owner, `/projects/${project.id}/hooks`, body),
    groupHook: (body: object = {}) => created(owner, `/groups/${group.id}/hooks`, body),
    systemHook: (body: object = {}) => created(server.root, '/hooks', body),
    /** Deletes all hooks, and forgets what the receiver got. */
    async clear() {
      await settle()
      await platform.database.write((tx) => tx.deleteFrom('web_hooks').execute())
      receiver.reset()
    },
    /** What the receiver has got once everything is done, as JSON. */
    async payloads() {
      await settle()
      return receiver.received.map(({ body }) => JSON.parse(body))
    },
    /** Commits a file to a branch of the project, new ones from `main`. */
    async commit(file: string, branch = 'main', client: Client = owner) {
      const known = await client.get(`/projects/${project.id}/repository/branches/${encodeURIComponent(branch)}`)
      const begin = known.status === 404 && branch !== 'main' ? { start_branch: 'main' } : {}
      const actions = [{ action: 'create', file_path: file, content: file }]
      const body = { branch, ...begin, commit_message: `Add ${file}`, actions }
      const answer = await client.post(`/projects/${project.id}/repository/commits`, body)
      if (answer.status !== 201) throw new Error(`no commit was made: ${JSON.stringify(answer.body)}`)
      return answer.body as { id: string }
    },
    async stop() {
      await settle()
      await receiver.stop()
      await server.stop()
    },
  }
}
