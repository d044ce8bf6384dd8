import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RefChange } from '../../../infra/git/index.ts'
import { branchRef } from '../../../infra/git/index.ts'
import { changeRefs, RefRefused, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  type Client,
  openWorkTree,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { granteeOf } from '../rules/entries.ts'
import { type Grantee, insertEntries } from '../store/entries.ts'
import { insertRule } from '../store/rules.ts'

let server: TestServer
let people: ProjectWithMembers
let group: NamespaceRow
let persons: Person[]
let grantees: Grantee[]
let step: RefChange

beforeAll(async () => {
  server = await startTestServer()
  const founder = await server.user('founder')
  const namespace = await server.make.group('top', founder)
  people = await projectWithMembers(server, { namespace })
  const { project, owner, developer } = people
  const teamed = await server.user('teamed')
  const visitor = await server.user('visitor')
  const administrator = await server.user('administrator')
  const junior = await server.user('junior')
  group = await server.make.group('team', founder)
  const inner = await server.make.group('inner', founder, { parent: namespace })
  await server.make.member({ namespace: group }, teamed, 30)
  await server.make.member({ namespace: group }, visitor, 20)
  await server.make.member({ namespace: inner }, junior, 40)
  await server.make.member({ project }, junior, 30)
  const { database, clock } = server.app.platform
  await database.write(async (tx) => {
    const link = { group_id: group.id, namespace_id: null, project_id: project.id, access_level: 30, expires_at: null }
    await tx
      .insertInto('group_links')
      .values({ ...link, created_at: clock.now().toISOString() })
      .execute()
    await tx.updateTable('users').set({ is_admin: true }).where('id', '=', administrator.id).execute()
  })
  const { maintainer, reporter, outsider } = people
  persons = [founder, owner, maintainer, developer, reporter, teamed, visitor, outsider, administrator, junior]
  grantees = [
    ...[0, 30, 40, 60].map((access_level) => ({ access_level })),
    ...[developer, reporter, teamed, outsider].map(({ id }) => ({ user_id: id })),
    ...[group, inner, namespace].map(({ id }) => ({ group_id: id })),
  ].map(granteeOf)
  await using work = await openWorkTree(server, people.project)
  await work.commit()
  await work.commit()
  expect(await work.push(owner, 'main~1:refs/heads/b', 'main')).toMatchObject({ isAccepted: true })
  const [first, second] = [await work.run('rev-parse', 'main~1'), await work.run('rev-parse', 'main')]
  step = { ref: branchRef('b')!, old: first as never, new: second as never }
})
afterAll(() => server.stop())

type WantedRule = { name: string; isInherited: boolean; push: Grantee[]; merge: Grantee[] }

const ruleSets = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('b', '*', 'b*', '*b', 'c', 'B'),
    isInherited: fc.boolean(),
    push: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { maxLength: 2 }),
    merge: fc.subarray([0, 1, 2, 3], { maxLength: 1 }),
  }),
  { maxLength: 3, selector: ({ name, isInherited }) => `${name}${isInherited}` },
)

async function putRules(rules: readonly WantedRule[]): Promise<void> {
  const { database, clock } = server.app.platform
  const moment = clock.now().toISOString()
  await database.write(async (tx) => {
    await tx.deleteFrom('protected_branches').execute()
    for (const { name, isInherited, push, merge } of rules) {
      const place = isInherited
        ? { project_id: null, namespace_id: people.project.namespace_id }
        : { project_id: people.project.id, namespace_id: null }
      const { id } = await insertRule(tx, { ...place, name, created_at: moment, updated_at: moment })
      await insertEntries(tx, 'push', id, push)
      await insertEntries(tx, 'merge', id, merge)
    }
  })
}

async function shows(client: Client): Promise<boolean> {
  const { status, body } = await client.get(`/projects/${people.project.id}/repository/branches/b`)
  return status === 200 && body.can_push === true
}

/** Whether a push is accepted by the transport and then by the gate. */
async function succeeds({ id, username, token }: Person): Promise<boolean> {
  const asked = await fetch(`${server.url}/${people.path}.git/info/refs?service=git-receive-pack`, {
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` },
  })
  await asked.arrayBuffer()
  if (asked.status !== 200) return false
  const { database } = server.app.platform
  const row = async () => (await repositoryOfProject(database.read, people.project.id))!
  try {
    await changeRefs(server.app.platform, await row(), [step], { userId: id, via: 'git' })
  } catch (error) {
    if (error instanceof RefRefused) return false
    throw error
  }
  const back = { ...step, old: step.new, new: step.old }
  await changeRefs(server.app.platform, await row(), [back], { userId: null, via: 'api', isBeginning: true })
  return true
}

test('the facts shown with a branch agree with the outcome of pushes', { timeout: 180_000 }, async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(ruleSets, async (drawn) => {
      const rules = drawn.map((rule) => ({
        ...rule,
        push: rule.push.map((index) => grantees[index]!),
        merge: rule.merge.map((index) => grantees[index]!),
      }))
      await putRules(rules)
      for (const person of persons) {
        const shown = await shows(person)
        seen.add(`${person.username} ${shown}`)
        expect(await succeeds(person), `${person.username} ${JSON.stringify(drawn)}`).toBe(shown)
      }
    }),
    { numRuns: 40 },
  )
  const both = persons.filter(({ username }) => seen.has(`${username} true`) && seen.has(`${username} false`))
  expect(both.length).toBeGreaterThan(4)
})
