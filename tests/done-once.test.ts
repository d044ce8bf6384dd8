/**
 * Eight callers ask at once for a change that can happen once: one of them has made it, and the others are answered as if it had
 * been made before.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRunner } from '../src/modules/runners/testing.ts'
import { type Answer, type Client, startTestServer, type TestServer } from '../src/testing/index.ts'
import { atOnce } from './at-once.ts'
import { accountMakers } from './deleted-once-accounts.ts'
import { noteMakers } from './deleted-once-notes.ts'
import { workMakers } from './deleted-once-work.ts'
import { type Deletion, made, makeWorld, type World } from './deleted-once-world.ts'
import { eventsDuring } from './events-during.ts'

const callers = 8

/** A request, and who sends it; default: root, by `POST`. */
type Change = Omit<Deletion, 'body'> & { method?: 'PUT' | 'DELETE'; body?: object }
type Maker = (world: World) => Promise<Change>

let server: TestServer
let world: World
beforeAll(async () => {
  server = await startTestServer({ isOwn: true })
  world = await makeWorld(server)
})
afterAll(() => server.stop())

/** Makes what an operation deletes. @returns its path, and who may delete it */
async function thing(id: string): Promise<Deletion> {
  const maker = accountMakers[id] ?? workMakers[id] ?? noteMakers[id]
  if (!maker) throw new Error(`nothing makes what ${id} deletes`)
  const wanted = await maker(world)
  return typeof wanted === 'string' ? { path: wanted } : wanted
}

/** A request about what an operation deletes. @param below the end of its path */
const about =
  (id: string, below: string, more: Partial<Change> = {}): Maker =>
  async () => {
    const { path, as } = await thing(id)
    return { path: `${path}/${below}`, ...(as && { as }), ...more }
  }

/** The same request for another thing each time, which has a name that nothing else has. */
const creating =
  (path: (world: World) => string, body: (name: string) => object): Maker =>
  async (at) => ({ path: path(at), body: body(at.name()) })

/** A member of the project who has written nothing in it. */
async function member(): Promise<Client> {
  const user = await world.user()
  await world.post(`${world.inProject}/members`, { user_id: user.id, access_level: 40 })
  return user
}

const byMember =
  (id: string, below: string): Maker =>
  async (at) =>
    about(id, below, { as: await member() })(at)

/** A job that waits, in a project of its own. */
async function newJob(config: string): Promise<string> {
  const inProject = `/projects/${(await world.newProject()).id}`
  const commit = { branch: 'main', content: config, commit_message: 'configure' }
  await world.post(`${inProject}/repository/files/.gitlab-ci.yml`, commit)
  await server.app.platform.jobs.drain()
  const [job] = made(await world.root.get(`${inProject}/jobs`))
  return `${inProject}/jobs/${job.id}`
}

const marked =
  (id: string): Maker =>
  async () => {
    const { path } = await thing(id)
    made(await world.root.delete(path))
    return { path: `${path}/restore` }
  }

/** The removal of something that is marked for deletion. */
const removal =
  (kind: 'projects' | 'groups'): Maker =>
  async ({ name, post, group, root }) => {
    const path = name()
    const place = kind === 'groups' ? { parent_id: group.id } : { namespace_id: group.id }
    const { id } = await post(`/${kind}`, { name: path, path, ...place })
    made(await root.delete(`/${kind}/${id}`))
    const { full_path, path_with_namespace = full_path } = made(await root.get(`/${kind}/${id}`))
    const query = `permanently_remove=true&full_path=${encodeURIComponent(path_with_namespace)}`
    return { path: `/${kind}/${id}?${query}`, method: 'DELETE' }
  }

const changes: Readonly<Record<string, Maker>> = {
  'the approval of a request to join a project': about('project_access_requests.delete', 'approve', { method: 'PUT' }),
  'the approval of a request to join a group': about('group_access_requests.delete', 'approve', { method: 'PUT' }),
  'the rotation of a personal token': about('personal_access_tokens.delete', 'rotate'),
  'the rotation of a token of a project': about('project_access_tokens.delete', 'rotate'),
  'the rotation of a token of a group': about('group_access_tokens.delete', 'rotate'),
  'the rotation of a token of a service account of a project': about('project_service_account_tokens.revoke', 'rotate'),
  'the rotation of a token of a service account': about('service_account_tokens.revoke', 'rotate'),
  'the revocation of a GPG key': about('user_gpg_keys.delete', 'revoke'),
  'the promotion of a label': about('project_labels.delete', 'promote', { method: 'PUT' }),
  'the promotion of a milestone': about('project_milestones.delete', 'promote'),
  'the merge of a merge request': async () => {
    const { path } = await thing('merge_requests.delete')
    await server.app.platform.jobs.drain()
    made(await world.root.get(path))
    return { path: `${path}/merge`, method: 'PUT', inTurn: true }
  },
  'the approval of a merge request': byMember('merge_requests.delete', 'approve'),
  'a subscription': byMember('issues.delete', 'subscribe'),
  'a to-do': about('issues.delete', 'todo'),
  'an award emoji': about('issues.delete', 'award_emoji', { body: { name: 'rocket' } }),
  'a star': about('projects.delete', 'star'),
  'the follow of a user': about('users.delete', 'follow'),
  'the protection of a branch': creating(
    ({ inProject }) => `${inProject}/protected_branches`,
    (name) => ({ name }),
  ),
  'the protection of a tag': creating(
    ({ inProject }) => `${inProject}/protected_tags`,
    (name) => ({ name }),
  ),
  'the start of a manual job': async () => ({ path: `${await newJob('one: {script: a, when: manual}')}/play` }),
  'the retry of a job': async () => {
    const job = await newJob('one: {script: a}')
    made(await world.root.post(`${job}/cancel`))
    return { path: `${job}/retry` }
  },
  'the replacement of the token of a runner': async () => {
    const { token } = await makeRunner(server)
    return { path: '/runners/reset_authentication_token', as: server.anonymous, body: { token } }
  },
  'the merge of two topics': async ({ name, post }) => {
    const topic = async () => (await post('/topics', { name: name(), title: 'x' })).id
    return { path: '/topics/merge', body: { source_topic_id: await topic(), target_topic_id: await topic() } }
  },
  'the removal of a project that is marked': removal('projects'),
  'the removal of a group that is marked': removal('groups'),
  'the restoration of a project': marked('projects.delete'),
  'the restoration of a group': marked('groups.delete'),
  'the approval of a user': async ({ user }) => {
    const { id } = await user()
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ state: 'blocked_pending_approval' }).where('id', '=', id).execute(),
    )
    return { path: `/users/${id}/approve` }
  },
}

/** Events that one change raises several times. */
const repeated = /^ci_jobs\.changed /

async function requestOf(make: Maker): Promise<{ send(): Promise<Answer>; arriving: number }> {
  const { path, as = world.root, method = 'POST', body, inTurn } = await make(world)
  // The use of a new token is recorded before the request is looked at.
  await as.get('/user')
  return { send: () => as.request(method, path, body ? { body } : {}), arriving: inTurn ? 1 : callers }
}

test.each(Object.entries(changes))('%s happens once', async (_, make) => {
  const twice = await requestOf(make)
  const [first, again] = [await twice.send(), await twice.send()]
  expect(first.status, JSON.stringify(first.body)).toBeLessThan(300)
  expect(again.status).toBeGreaterThan(300)
  const { send, arriving } = await requestOf(make)
  const requests = Array.from({ length: callers }, () => send)
  let answers: Answer[] = []
  const events = await eventsDuring(server, async () => {
    answers = await atOnce(server, requests, arriving)
  })
  const others = Array.from({ length: callers - 1 }, () => again.status)
  expect(answers.map(({ status }) => status).sort()).toEqual([first.status, ...others].sort())
  const unexpected = events.filter((event, index) => event === events[index - 1] && !repeated.test(event))
  expect(unexpected).toEqual([])
})
