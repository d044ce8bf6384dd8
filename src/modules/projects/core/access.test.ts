import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, ApiError } from '../../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import {
  noPermissions,
  type ProjectFeature,
  projectFeatures,
  projectPolicy,
  type Rule,
  role,
} from '../../access/index.ts'
import type { ProjectRow } from '../tables.ts'
import { canSee, canUseFeature, featureUnavailable, may, type Project } from './access.ts'

const anonymous = { kind: 'anonymous' } as Actor
const user = {
  kind: 'user',
  userId: 1,
  administrator: false,
  external: false,
  bot: false,
  credential: {},
} as unknown as Actor
const administrator = { ...user, administrator: true } as unknown as Actor

function projectWith(changes: Partial<ProjectRow>, level = 0): Project {
  const row = { visibility: 'public', archived: false, marked_for_deletion_on: null, settings: {}, ...changes }
  return {
    ...row,
    role: { level, projectLevel: null, groupLevel: null, permissions: noPermissions },
  } as unknown as Project
}

describe.each(Object.keys(projectFeatures) as ProjectFeature[])('the feature %s', (feature) => {
  const at = (access: string, level = 0) => projectWith({ settings: { [`${feature}_access_level`]: access } }, level)

  test('is available to everyone who can see the project when enabled', () => {
    for (const actor of [anonymous, user, administrator])
      expect(canUseFeature(actor, at('enabled'), feature)).toBe(true)
  })

  test('is available to members and administrators when private', () => {
    expect(canUseFeature(anonymous, at('private'), feature)).toBe(false)
    expect(canUseFeature(user, at('private'), feature)).toBe(false)
    const admitted = [role.guest, role.planner, role.reporter, role.developer, role.maintainer, role.owner].filter(
      (level) => canUseFeature(user, at('private', level), feature),
    )
    expect(admitted).toEqual(
      feature === 'container_registry' || feature === 'package_registry' ? [20, 30, 40, 50] : [10, 15, 20, 30, 40, 50],
    )
    expect(canUseFeature(administrator, at('private'), feature)).toBe(true)
  })

  test('is available to no one when disabled', () => {
    for (const actor of [anonymous, user, administrator]) {
      expect(canUseFeature(actor, at('disabled', role.owner), feature)).toBe(false)
    }
  })

  test('is required by its abilities', () => {
    const abilities = Object.entries<Rule>(projectPolicy).flatMap(([name, rule]) =>
      rule.feature === feature ? [name as keyof typeof projectPolicy] : [],
    )
    for (const ability of abilities) {
      expect([ability, may(user, at('disabled', role.owner), ability)]).toEqual([ability, false])
      expect([ability, may(user, at('private', role.owner), ability)]).toEqual([ability, true])
      expect([ability, may(user, at('private'), ability)]).toEqual([ability, false])
    }
  })
})

describe('the error of an unavailable feature', () => {
  const errorOf = (feature: ProjectFeature) => {
    const error = featureUnavailable(feature)
    return [error.status, error instanceof ApiError && error.body]
  }

  test.each([
    ['repository', 404, '404 Repository Not Found'],
    ['issues', 404, '404 Not Found'],
    ['merge_requests', 403, '403 Forbidden'],
    ['forking', 404, '404 Not Found'],
    ['wiki', 403, '403 Forbidden'],
    ['builds', 403, '403 Forbidden'],
    ['snippets', 403, '403 Forbidden'],
    ['pages', 404, '404 Not Found'],
    ['analytics', 404, '404 Not Found'],
    ['container_registry', 403, '403 Forbidden'],
    ['security_and_compliance', 404, '404 Not Found'],
    ['releases', 404, '404 Not Found'],
    ['environments', 403, '403 Forbidden'],
    ['feature_flags', 403, '403 Forbidden'],
    ['infrastructure', 404, '404 Not Found'],
    ['monitor', 403, '403 Forbidden'],
    ['model_experiments', 404, '404 Not Found'],
    ['model_registry', 404, '404 Not Found'],
    ['package_registry', 403, '403 Forbidden'],
    ['requirements', 404, '404 Not Found'],
  ] as const)('%s is %d', (feature, status, message) => {
    expect(errorOf(feature)).toEqual([status, { message }])
  })
})

describe('an archived project', () => {
  const states: [string, Partial<ProjectRow>][] = [
    ['archived', { archived: true }],
    ['marked for deletion', { marked_for_deletion_on: '2026-01-01' }],
  ]

  test.each(states)('%s: refuses every ability that writes, and no other', (_, changes) => {
    for (const [name, rule] of Object.entries<Rule>(projectPolicy)) {
      const ability = name as keyof typeof projectPolicy
      const isAllowed = may(administrator, projectWith(changes, role.owner), ability)
      expect([name, isAllowed]).toEqual([name, rule.writes !== true])
    }
  })
})

describe('visibility', () => {
  test.each([
    ['public', anonymous, 0, true],
    ['internal', anonymous, 0, false],
    ['internal', user, 0, true],
    ['internal', { ...user, external: true }, 0, false],
    ['internal', { ...user, bot: true }, 0, false],
    ['private', user, 0, false],
    ['private', user, role.guest, true],
    ['private', administrator, 0, true],
  ] as [ProjectRow['visibility'], Actor, number, boolean][])('%s is visible to %j at level %d: %s', (...given) => {
    const [visibility, actor, level, expected] = given
    expect(canSee(actor, projectWith({ visibility }, level))).toBe(expected)
  })
})

describe('a project at its former path', () => {
  let server: TestServer
  let alice: Person
  let id: number
  const path = '/projects/alice%2Fformer'

  beforeAll(async () => {
    server = await startTestServer()
    alice = await server.user('alice')
    id = (await server.make.project('former', alice)).id
    await alice.put(`/projects/${id}`, { path: 'current' })
  })
  afterAll(() => server.stop())

  test.each(['', '/users?per_page=5', '/repository/branches'])('redirects GET %s', async (rest) => {
    const { status, headers } = await alice.get(`${path}${rest}`)
    expect([status, headers.get('location')]).toEqual([301, `${server.url}/api/v4/projects/${id}${rest}`])
  })

  test('answers 405 to other methods', async () => {
    const answers = [
      await alice.put(path, { description: 'x' }),
      await alice.post(`${path}/archive`),
      await alice.post(`${path}/repository/branches`, { branch: 'a', ref: 'b' }),
      await alice.delete(path),
    ]
    const moved = { status: 405, body: { message: 'Non GET methods are not allowed for moved projects' } }
    for (const answer of answers) expect(answer).toMatchObject(moved)
  })

  test('does not exist for callers who cannot see the project', async () => {
    const bob = await server.user('bob')
    for (const client of [bob, server.anonymous]) {
      expect(await client.get(path)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
      expect((await client.put(path, { description: 'x' })).status).not.toBe(405)
    }
  })
})
