/** A project with a person who has reached it in every way, for the test of what ends a right. */
import { type ManualClock, manualClock } from '../../src/infra/clock/index.ts'
import { jobWithToken } from '../../src/modules/pipelines/testing.ts'
import { makeRunner } from '../../src/modules/runners/testing.ts'
import {
  type Answer,
  type Person,
  type SshKeyPair,
  sshKeyPair,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

export type Setting = { server: TestServer; clock: ManualClock; folder: { path: string } & AsyncDisposable }

/** Two minutes before a day begins, on which tokens expire; tokens of the registry last longer. */
const start = '2026-05-06T23:58:00.000Z'
export const twoMinutesMs = 120_000

export async function openSetting(): Promise<Setting> {
  const clock = manualClock({ start })
  const server = await startTestServer({ clock, sshPort: 0 })
  return { server, clock, folder: await temporaryDirectory() }
}

/** User name and password of HTTP Basic. */
export type Login = { username: string; token: string }

export const basic = ({ username, token }: Login) => `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`

/** The body of an answer that must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every form
export async function must(answer: Promise<Answer>): Promise<any> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

let made = 0

type Options = { visibility?: 'private' | 'public'; by?: 'member' | 'share' | 'role' | 'nobody'; expiring?: boolean }

/**
 * Makes the project, its contents and credentials. The person is a Developer, by a membership or by a share, or a Guest who reads code
 * by a role, or nobody.
 */
export async function makeWorld(setting: Setting, options: Options = {}) {
  const { server, folder, clock } = setting
  const { visibility = 'private', by = 'member', expiring = false } = options
  made += 1
  const owner = await server.user(`owner${made}`)
  const person = await server.user(`person${made}`)
  const project = await server.make.project('p', owner, { visibility })
  const base = `/projects/${project.id}`
  const invited = by === 'share' ? await server.make.group(`invited${made}`, owner) : null
  if (invited) {
    await server.make.member({ namespace: invited }, person, 30)
    await must(owner.post(`${base}/share`, { group_id: invited.id, group_access: 30 }))
  }
  if (by === 'member') await server.make.member({ project }, person, 30)
  if (by === 'role') {
    const role = { name: `reader ${made}`, base_access_level: 10, read_code: true }
    const { id: member_role_id } = await must(server.root.post('/member_roles', role))
    await must(owner.post(`${base}/members`, { user_id: person.id, access_level: 10, member_role_id }))
  }
  const file = (name: string, content: string) => ({ branch: 'main', content, commit_message: name })
  await must(owner.post(`${base}/repository/files/a.txt`, file('a', 'a')))
  await must(owner.post(`${base}/repository/files/.gitlab-ci.yml`, file('ci', 'work: {script: make}')))
  await server.app.platform.jobs.drain()

  const token = await server.make.token(person, ['api'], expiring ? '2026-05-07' : null)
  const keyPair = async (place: string, client: Person, values: object): Promise<SshKeyPair & { id: number }> => {
    const pair = await sshKeyPair(folder.path, `key-${made}-${place.replaceAll('/', '-')}`)
    const { id } = await must(client.post(place, { title: 'key', key: pair.publicKey, ...values }))
    return { ...pair, id }
  }
  const expires_at = new Date(clock.now().getTime() + twoMinutesMs).toISOString()
  const key = await keyPair('/user/keys', person, expiring ? { expires_at } : {})
  const deployKey = await keyPair(`${base}/deploy_keys`, owner, { can_push: true })
  const scopes = ['read_repository', 'read_registry', 'write_registry']
  const deploy = await must(owner.post(`${base}/deploy_tokens`, { name: 'reader', scopes }))
  const runner = await makeRunner(server, { runner_type: 'project_type', project_id: project.id })
  const job = await jobWithToken(server, { projectId: project.id, userId: by === 'nobody' ? owner.id : person.id })
  const alerts = await must(owner.post(`${base}/alert_management_integrations`, { name: 'pager' }))
  const form = new FormData()
  form.set('file', new File(['content'], 'a.txt'))
  const upload: string = (await must(owner.post(`${base}/uploads`, form))).full_path
  return {
    ...{ ...setting, owner, person, project, base, path: project.full_path, invited, alerts, runner, job, upload },
    ...{ key, deployKey, deploy: deploy as Login & { id: number } },
    /** The person as a client of the API, with the token that ends. */
    client: server.as(token),
    login: { username: person.username, token } satisfies Login,
    /** Closes the connections of the ways. */
    closing: [] as (() => void)[],
  }
}

export type World = Awaited<ReturnType<typeof makeWorld>>
