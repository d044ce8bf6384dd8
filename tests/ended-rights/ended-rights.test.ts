/**
 * What ends a right, and every way that had it: each way works before, and is refused after. Ways that hold something from before
 * (an open connection, an open upload, an issued token) are refused at their next request as well.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Answer } from '../../src/testing/index.ts'
import { prepared, type WayName, ways } from './ways.ts'
import { makeWorld, must, openSetting, type Setting, twoMinutesMs, type World } from './world.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let setting: Setting
beforeAll(async () => {
  setting = await openSetting()
})
afterAll(async () => {
  await setting.server.stop()
  await setting.folder[Symbol.asyncDispose]()
})

const names = Object.keys(ways) as WayName[]
const beginning = (...prefixes: string[]) => names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))

const byToken = [
  ...beginning('API', 'archive', 'upload', 'git ', 'registry'),
  ...(['LFS download', 'LFS upload'] as const),
]
const byKey = beginning('SSH', 'LFS token')
const byUser = [...byToken, ...byKey]
const byJob = beginning('job')
const reads: WayName[] = [
  ...(['API read', 'API code', 'archive', 'upload', 'git fetch', 'registry pull', 'LFS download'] as const),
]
const code = byUser.filter(
  (name) => !['API read', 'API write', 'upload'].includes(name) && !name.startsWith('registry'),
)

type End = {
  end(world: World): Promise<unknown>
  refused: readonly WayName[]
  /** Ways that go on working. */
  kept?: readonly WayName[]
  made?: Parameters<typeof makeWorld>[1]
}

const member = ({ base, person }: World) => `${base}/members/${person.id}`
const change = ({ owner, base }: World, body: object) => must(owner.put(base, body))
const setState = (world: World, state: 'blocked' | 'deactivated') =>
  world.server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ state }).where('id', '=', world.person.id).execute(),
  )
const root = (world: World, call: Promise<Answer>) => must(call).then(() => world)

const ofAccount = [...byUser, ...beginning('job fetch', 'job API', 'job registry')]

/** The ends of rights, each with all ways that had the right by it. */
const ends: Record<string, End> = {
  'the member is removed': {
    end: (world) => must(world.owner.delete(member(world))),
    refused: [...byUser, 'job fetch'],
    kept: ['deploy token fetch', 'deploy key fetch'],
  },
  'the role is lowered': {
    end: (world) => must(world.owner.put(member(world), { access_level: 20 })),
    refused: byUser.filter((name) => /push|chunk|end of|commit|LFS.*upload/.test(name)),
    kept: reads,
  },
  'the share of the group is removed': {
    made: { by: 'share' },
    end: ({ owner, base, invited }) => must(owner.delete(`${base}/share/${invited?.id}`)),
    refused: byUser,
  },
  'the member role is taken away': {
    made: { by: 'role' },
    end: (world) => must(world.owner.put(member(world), { access_level: 10, member_role_id: null })),
    refused: ['API code', 'archive', 'git fetch', 'SSH fetch', 'LFS download'],
    kept: ['API read'],
  },
  'the token is revoked': {
    end: ({ client }) => must(client.delete('/personal_access_tokens/self')),
    refused: byToken,
    kept: byKey,
  },
  'the token and the key expire': {
    made: { expiring: true },
    end: async ({ clock }) => clock.advance(twoMinutesMs),
    refused: byUser,
    kept: ['deploy token fetch', 'job fetch'],
  },
  'the user is blocked': {
    end: (world) => root(world, world.server.root.post(`/users/${world.person.id}/block`)),
    refused: ofAccount,
  },
  'the user is deactivated': { end: (world) => setState(world, 'deactivated'), refused: ofAccount },
  'the user is deleted': {
    end: (world) => root(world, world.server.root.delete(`/users/${world.person.id}`)),
    refused: ofAccount,
  },
  'the project becomes private for people who are no members': {
    made: { visibility: 'public', by: 'nobody' },
    end: (world) => change(world, { visibility: 'private' }),
    refused: [...reads, 'SSH fetch', 'anonymous fetch', 'anonymous registry pull'],
  },
  'the SSH key is removed': {
    end: ({ person, key }) => must(person.delete(`/user/keys/${key.id}`)),
    refused: byKey,
    kept: byToken.filter((name) => !name.startsWith('registry')),
  },
  'the deploy token is deleted': {
    end: ({ owner, base, deploy }) => must(owner.delete(`${base}/deploy_tokens/${deploy.id}`)),
    refused: beginning('deploy token'),
  },
  'the deploy key is removed': {
    end: ({ owner, base, deployKey }) => must(owner.delete(`${base}/deploy_keys/${deployKey.id}`)),
    refused: beginning('deploy key'),
  },
  'the job has finished': { end: ({ job }) => job.end(), refused: byJob },
  'the runner is removed': {
    end: (world) => root(world, world.server.root.delete(`/runners/${world.runner.id}`)),
    refused: ['runner request'],
    kept: ['job trace'],
  },
  'the runner is paused': {
    end: (world) => root(world, world.server.root.put(`/runners/${world.runner.id}`, { paused: true })),
    refused: ['runner request'],
  },
  'the registry is disabled': {
    end: (world) => change(world, { container_registry_access_level: 'disabled' }),
    refused: beginning('registry', 'deploy token registry', 'job registry'),
    kept: ['git fetch'],
  },
  'the repository is disabled': {
    end: (world) =>
      change(world, {
        ...{ repository_access_level: 'disabled', merge_requests_access_level: 'disabled' },
        builds_access_level: 'disabled',
      }),
    refused: [...code, ...beginning('deploy key', 'deploy token fetch', 'job fetch')],
    kept: ['API read', 'registry pull'],
  },
  'LFS is disabled': {
    end: (world) => change(world, { lfs_enabled: false }),
    refused: beginning('LFS', 'deploy key LFS'),
    kept: ['git fetch'],
  },
  'the alert integration is switched off': {
    end: ({ owner, base, alerts }) =>
      must(owner.put(`${base}/alert_management_integrations/${alerts.id}`, { active: false })),
    refused: ['alert'],
  },
  'monitoring is disabled': {
    end: (world) => change(world, { monitor_access_level: 'disabled' }),
    refused: ['alert'],
  },
}

test.each(Object.entries(ends))('when %s, each way that had the right is closed', async (_, ending) => {
  const { end, refused, kept = [], made } = ending
  const world = await makeWorld(setting, made)
  const [before, others] = [await prepared(world, refused), await prepared(world, kept)]
  const closed: string[] = []
  for (const [name, reach] of [...before, ...others]) if (!(await reach())) closed.push(name)
  expect(closed, 'closed before the end').toEqual([])
  await end(world)
  const open: string[] = []
  for (const [name, reach] of before) if (await reach()) open.push(name)
  expect(open, 'open after the end').toEqual([])
  for (const [name, reach] of others) if (!(await reach())) closed.push(name)
  expect(closed, 'closed by the end of another right').toEqual([])
  for (const close of world.closing) close()
})

test('each way is closed by something', () => {
  const tested = new Set(Object.values(ends).flatMap(({ refused }) => refused))
  expect(names.filter((name) => !tested.has(name))).toEqual([])
})
