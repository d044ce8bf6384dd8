import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Answer,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

let server: TestServer
let owner: Person
let top: NamespaceRow
let invited: NamespaceRow
let count = 0

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('group-owner')
  top = await server.make.group('top', owner)
  invited = await server.make.group('invited', owner, { visibility: 'public' })
})
afterAll(() => server.stop())

type Protected = ProjectWithMembers & { base: string; group: NamespaceRow; someone: Person; path: string }

/** A project in a group of its own, which is open to a user, and to what else is named. */
async function protectedProject(more: object[] = []): Promise<Protected> {
  count += 1
  const group = await server.make.group(`inner-${count}`, owner, { parent: top })
  const people = await projectWithMembers(server, { namespace: group })
  const someone = await server.user(`someone-${count}`)
  const base = `/projects/${people.project.id}`
  await server.make.member({ namespace: group }, someone, 30)
  expect((await owner.post(`${base}/share`, { group_id: invited.id, group_access: 30 })).status).toBe(201)
  const named = [{ user_id: someone.id }, ...more]
  const given = { name: 'live', deploy_access_levels: [...named, { access_level: 60 }], approval_rules: named }
  expect((await owner.post(`${base}/protected_environments`, given)).status).toBe(201)
  return { ...people, base, group, someone, path: `${base}/protected_environments/live` }
}

/** Whom the entries name, and the levels of the rules. */
async function shown({ path }: { path: string }) {
  const { body } = await owner.get(path)
  const of = (entries: { user_id: number; group_id: number; access_level: number }[]) =>
    entries.map(({ user_id, group_id, access_level }) => user_id ?? group_id ?? access_level)
  return { deploy: of(body.deploy_access_levels), approval: of(body.approval_rules) }
}

const ended = { deploy: [60], approval: [40] }

type End = Record<'end' | 'back', (made: Protected) => Promise<Answer>>

const ends: Record<string, End> = {
  'the member leaves the group': {
    end: ({ group, someone }) => owner.delete(`/groups/${group.id}/members/${someone.id}`),
    back: ({ group, someone }) => owner.post(`/groups/${group.id}/members`, { user_id: someone.id, access_level: 30 }),
  },
  'the project is transferred to another group': {
    end: ({ base }) => owner.put(`${base}/transfer`, { namespace: top.id }),
    back: ({ base, group }) => owner.put(`${base}/transfer`, { namespace: group.id }),
  },
}

test.each(Object.entries(ends))('entries end at once when %s, and do not come back', async (_, { end, back }) => {
  const made = await protectedProject()
  expect(await shown(made)).toEqual({ deploy: [made.someone.id, 60], approval: [made.someone.id] })
  expect((await end(made)).status).toBeLessThan(300)
  expect(await shown(made), 'before the job has run').toEqual(ended)
  await server.app.platform.jobs.drain()
  expect((await back(made)).status).toBeLessThan(300)
  expect(await shown(made)).toEqual(ended)
})

test('entries of a group end at once with its invitation, and do not come back', async () => {
  const made = await protectedProject([{ group_id: invited.id }])
  const { someone } = made
  expect(await shown(made)).toEqual({ deploy: [someone.id, invited.id, 60], approval: [someone.id, invited.id] })
  expect((await owner.delete(`${made.base}/share/${invited.id}`)).status).toBe(204)
  const left = { deploy: [someone.id, 60], approval: [someone.id, 40] }
  expect(await shown(made)).toEqual(left)
  await server.app.platform.jobs.drain()
  await owner.post(`${made.base}/share`, { group_id: invited.id, group_access: 30 })
  expect(await shown(made)).toEqual(left)
})

test('entries of members and of former groups above end when a group is transferred', async () => {
  const made = await protectedProject([{ group_id: top.id }])
  expect((await shown(made)).deploy).toEqual([made.someone.id, top.id, 60])
  expect((await owner.post(`/groups/${made.group.id}/transfer`)).status).toBeLessThan(300)
  expect(await shown(made)).toEqual({ deploy: [made.someone.id, 60], approval: [made.someone.id, 40] })
  await server.app.platform.jobs.drain()
  expect(await shown(made)).toEqual({ deploy: [made.someone.id, 60], approval: [made.someone.id, 40] })
})

test('a change ends the entries of those who have lost access before a job has seen it', async () => {
  const { someone, path } = await protectedProject()
  const memberUntil = (expires_at: string | null) =>
    server.app.platform.database.write((tx) =>
      tx.updateTable('members').set({ expires_at }).where('user_id', '=', someone.id).execute(),
    )
  await memberUntil('2020-01-01')
  expect((await owner.put(path, {})).status).toBe(200)
  await memberUntil(null)
  expect(await shown({ path })).toEqual(ended)
})

test('those who only approve stay as long as they have access', async () => {
  const made = await protectedProject()
  const approval_rules = [{ user_id: made.someone.id }]
  const given = { name: 'staging', deploy_access_levels: [{ access_level: 40 }], approval_rules }
  expect((await owner.post(`${made.base}/protected_environments`, given)).status).toBe(201)
  expect((await owner.delete(`${made.base}/share/${invited.id}`)).status).toBe(204)
  await server.app.platform.jobs.drain()
  const staging = { path: `${made.base}/protected_environments/staging` }
  expect(await shown(staging)).toEqual({ deploy: [40], approval: [made.someone.id] })
})

test('entries of a deleted user end, and the rule is for maintainers', async () => {
  const made = await protectedProject()
  expect((await server.root.delete(`/users/${made.someone.id}`)).status).toBe(204)
  expect(await shown(made)).toEqual(ended)
  await server.app.platform.jobs.drain()
  expect(await shown(made)).toEqual(ended)
})
