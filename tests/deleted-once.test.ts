/**
 * Eight callers delete one thing at once: one of them has deleted it, and the others are answered as if it had been deleted
 * before. For each operation with the method DELETE; one that no maker knows fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../src/api/index.ts'
import { registryOf } from '../src/modules/container-registry/http/testing.ts'
import { modules } from '../src/modules.ts'
import { type Answer, startTestServer, type TestServer } from '../src/testing/index.ts'
import { atOnce } from './at-once.ts'
import { accountMakers } from './deleted-once-accounts.ts'
import { deliveryMakers } from './deleted-once-delivery.ts'
import { noteMakers } from './deleted-once-notes.ts'
import { workMakers } from './deleted-once-work.ts'
import { type Deletion, type Maker, makeWorld, type World } from './deleted-once-world.ts'
import { eventsDuring } from './events-during.ts'

const callers = 8
const makers: Readonly<Record<string, Maker>> = { ...accountMakers, ...workMakers, ...noteMakers, ...deliveryMakers }

/** Operations that succeed for all callers, and why. */
const idempotent: Readonly<Record<string, string>> = {
  'branches.delete_merged': 'starts a job',
  'context_commits.remove': 'succeeds also for commits that are none (contract 26)',
  'cluster_agent_tokens.revoke': 'succeeds also for a revoked token (contract 26)',
  'dependency_proxy.purge': 'nothing is cached (contract 26)',
  'features.delete': 'succeeds also when nothing was set (contract 2.27)',
  'geo_nodes.delete_credentials': 'succeeds also when there are none (contract 15)',
  'group_access_tokens.delete': 'succeeds also for a revoked token (contract 20)',
  'group_integrations.delete': 'succeeds also when it is switched off (contract 25)',
  'impersonation_tokens.delete': 'succeeds also for a revoked token (contract 20)',
  'job_artifacts.delete': 'succeeds also when there are none (contract 04)',
  'job_artifacts.delete_of_project': 'starts a job',
  'pages.delete': 'succeeds also when nothing was published (contract 24)',
  'personal_access_tokens.delete': 'succeeds also for a revoked token (contract 20)',
  'project_access_tokens.delete': 'succeeds also for a revoked token (contract 20)',
  'project_integrations.delete': 'succeeds also when it is switched off (contract 25)',
  'project_registry.delete': 'succeeds while the job runs (contract 1.4)',
  'project_service_account_tokens.revoke': 'succeeds also for a revoked token (contract 12)',
  'service_account_tokens.revoke': 'succeeds also for a revoked token (contract 12)',
  'terraform_states.unlock': 'succeeds also for a state that is not locked (contract 26)',
}

/** Operations that refuse others while one is processed (contract 24): their answer says that, and not what happened. */
const alone: ReadonlySet<string> = new Set(['environments.delete_review_apps'])

const operations = modules
  .flatMap((module) => [...module.operations] as Operation[])
  .filter(({ method }) => method === 'DELETE')

let server: TestServer
let world: World
beforeAll(async () => {
  server = await startTestServer({ isOwn: true })
  world = await makeWorld(server)
})
afterAll(() => server.stop())

const succeeded = ({ status }: Answer) => status < 300

/** Makes a thing. @returns the request that deletes it, and how many callers the database sees at once */
async function deletionOf(maker: Maker): Promise<{ remove(): Promise<Answer>; arriving: number }> {
  const wanted = await maker(world)
  const { path, as = world.root, body, inTurn }: Deletion = typeof wanted === 'string' ? { path: wanted } : wanted
  // The use of a new token is recorded before the request is looked at.
  await as.get('/user')
  return { remove: () => as.delete(path, body ? { body } : {}), arriving: inTurn ? 1 : callers }
}

/** Makes a thing, and deletes it twice. */
async function oneAfterAnother(maker: Maker): Promise<[Answer, Answer]> {
  const { remove } = await deletionOf(maker)
  return [await remove(), await remove()]
}

test('has a maker for each operation', () => {
  const ids = operations.map(({ id }) => id)
  const missing = ids.filter((id) => !makers[id])
  expect(missing, 'add a function that makes the thing to one of deleted-once-*.ts').toEqual([])
  const others = Object.keys({ ...makers, ...idempotent }).filter((id) => !ids.includes(id))
  expect(others, 'remove what is not an operation any more').toEqual([])
})

describe.each(operations.map(({ id }) => id).filter((id) => makers[id]))('%s', (id) => {
  test('has one effect for eight callers', async () => {
    const maker = makers[id] as Maker
    const [first, again] = await oneAfterAnother(maker)
    expect(succeeded(first), `${first.status} ${JSON.stringify(first.body)}`).toBe(true)
    if (!(id in idempotent)) expect(succeeded(again), 'a second deletion succeeded').toBe(false)

    const { remove, arriving } = await deletionOf(maker)
    let answers: Answer[] = []
    const events = await eventsDuring(server, async () => {
      answers = await atOnce(
        server,
        Array.from({ length: callers }, () => remove),
        arriving,
      )
    })
    if (alone.has(id)) {
      expect(answers.filter(succeeded)).toHaveLength(1)
      return
    }
    const told = ({ status, body }: Answer) => `${status} ${JSON.stringify(status < 300 ? '' : body)}`
    const others = Array.from({ length: callers - 1 }, () => told(id in idempotent ? first : again))
    expect(answers.map(told).sort()).toEqual([told(first), ...others].sort())
    expect(events.filter((event, index) => event === events[index - 1]).join('\n')).toBe('')
  })
})

test('an upload of a blob is cancelled once', async () => {
  const registry = registryOf(server)
  const name = world.project.full_path
  const scope = `${name}:pull,push` as const
  const { headers } = await registry.send('POST', `${name}/blobs/uploads/`, { scope })
  const cancel = () => registry.send('DELETE', headers.get('location') ?? '', { scope })
  const answers = await atOnce(
    server,
    Array.from({ length: callers }, () => cancel),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: callers - 1 }, () => 404)])
})
