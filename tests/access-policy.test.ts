/** Compares the policy (src/modules/access/policy.ts) with the literal table of access rights, without a server. */
import { describe, expect, test } from 'vitest'
import { type Actor, ApiError, anonymous } from '../src/api/index.ts'
import { groupPolicy, projectPolicy, role } from '../src/modules/access/index.ts'
import { canSeeGroup, type Group, group, mayInGroup } from '../src/modules/groups/index.ts'
import { canSee, may, type Project, project } from '../src/modules/projects/index.ts'
import { accessTables, type Caller, callers, type Outcome, type State, withoutFeature } from './access-table.ts'

const levels: Partial<Record<Caller, number>> = {
  guest: role.guest,
  planner: role.planner,
  reporter: role.reporter,
  developer: role.developer,
  maintainer: role.maintainer,
  owner: role.owner,
}
const levelOf = (caller: Caller) => levels[caller] ?? 0

function actorOf(caller: Caller): Actor {
  if (caller === 'anonymous') return anonymous
  return {
    kind: 'user',
    userId: 1,
    username: 'caller',
    administrator: caller === 'administrator',
    external: caller === 'external user',
    bot: caller === 'foreign bot',
    hasMemberRoles: true,
    credential: { kind: 'personal', id: 1, scopes: new Set(['api']) },
  }
}

const isNarrow = (state: State) => state === 'private' || state === 'internal'
const visibilityOf = (state: State) => (isNarrow(state) ? state : 'public')

/** The columns that access depends on. */
function projectIn(state: State, caller: Caller): Project {
  const restricted = { 'code off': 'disabled', 'wiki off': 'disabled', 'members only': 'private' } as const
  const level = restricted[state as keyof typeof restricted]
  const settings = {
    ...(level && state !== 'wiki off' && { repository_access_level: level }),
    ...(level && state !== 'code off' && { wiki_access_level: level }),
    ...(state === 'members only' && { container_registry_access_level: level, package_registry_access_level: level }),
    ...(state === 'images off' && { container_registry_access_level: 'disabled' }),
    ...(state === 'planning off' && { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' }),
  }
  const columns = { visibility: visibilityOf(state), archived: state === 'archived', marked_for_deletion_on: null }
  return { ...columns, settings, role: { level: levelOf(caller), permissions: new Set() } } as unknown as Project
}

function groupIn(state: State, caller: Caller): Group {
  const wiki: Partial<Record<State, string>> = { 'wiki off': 'disabled', 'members only': 'private' }
  const settings = wiki[state] ? { wiki_access_level: wiki[state] } : {}
  return {
    visibility: visibilityOf(state),
    archived: state === 'archived',
    marked_for_deletion_on: null,
    settings,
    level: levelOf(caller),
    permissions: new Set(),
  } as unknown as Group
}

const kinds = {
  project: {
    policy: projectPolicy,
    subject: project,
    isVisible: (actor: Actor, state: State, caller: Caller) => canSee(actor, projectIn(state, caller)),
    make: projectIn as (state: State, caller: Caller) => never,
  },
  group: {
    policy: groupPolicy,
    subject: group,
    isVisible: (actor: Actor, state: State, caller: Caller) => canSeeGroup(actor, groupIn(state, caller)),
    make: groupIn as (state: State, caller: Caller) => never,
  },
} as const

/** The checks of a request in the order of contract 00, "Order of checks". */
async function outcomeOf(kind: keyof typeof kinds, ability: string, state: State, caller: Caller): Promise<Outcome> {
  const { subject, isVisible, make } = kinds[kind]
  const actor = actorOf(caller)
  if (caller === 'anonymous' && !subject.opensToAnonymous(ability as never)) return 'unauthorized'
  if (subject.administratorsOnly(ability as never) && caller !== 'administrator') return 'forbidden'
  if (!isVisible(actor, state, caller)) return 'invisible'
  try {
    await subject.authorize(actor, make(state, caller), ability as never)
    return 'allowed'
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return 'unauthorized'
    if (error instanceof ApiError) return absence(error)
    throw error
  }
}

function absence({ status, body }: ApiError): Outcome {
  if (status !== 404) return 'forbidden'
  return JSON.stringify(body).includes('Repository') ? 'repository off' : 'issues off'
}

describe.each(['project', 'group'] as const)('the policy of a %s', (kind) => {
  const table = accessTables[kind]

  test('has the abilities of the table', () => {
    expect(Object.keys(kinds[kind].policy)).toEqual(table.abilities)
  })

  test.each(table.abilities)('grants %s as the table says', async (ability) => {
    const cells = table.states.flatMap((state) => callers.map((caller) => ({ state, caller })))
    const differing: string[] = []
    for (const { state, caller } of cells) {
      const found = await outcomeOf(kind, ability, state, caller)
      const expected = table.outcome(ability, state, caller)
      if (found !== expected) differing.push(`${caller}, ${state}: ${found} instead of ${expected}`)
    }
    expect(differing).toEqual([])
  })
})

/** The abilities that a caller is refused, with the status. */
async function refusalsOf(abilities: readonly string[], authorize: (ability: never) => unknown) {
  const refusals: Record<string, number> = {}
  for (const ability of abilities) {
    try {
      await authorize(ability as never)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refusals[ability] = error.status
    }
  }
  return refusals
}

test.each(Object.entries(withoutFeature))(
  'a project without %s refuses these abilities to everyone',
  async (...given) => {
    const [feature, lists] = given
    const found = { ...projectIn('public', 'owner'), settings: { [`${feature}_access_level`]: 'disabled' } }
    const expected = Object.entries(lists).flatMap(([status, list]) =>
      list.split(' ').map((ability) => [ability, Number(status)]),
    )
    const authorize = (ability: never) => project.authorize(actorOf('administrator'), found, ability)
    expect(await refusalsOf(accessTables.project.abilities, authorize)).toEqual(Object.fromEntries(expected))
  },
)

test('a role in a project below shows a private group, its labels, milestones and badges (contract 21 R3, 26.8)', async () => {
  const found: Group = { ...groupIn('private', 'user'), hasProject: true }
  const { abilities } = accessTables.group
  const refused = await refusalsOf(abilities, (ability) => group.authorize(actorOf('user'), found, ability))
  const granted = abilities.filter((ability) => refused[ability] === undefined)
  expect(granted).toEqual([
    ...[
      'read_group',
      'set_notifications',
      'search',
      'read_labels',
      'read_milestones',
      'read_boards',
      'billable_members',
      'read_badges',
      'read_packages',
    ],
  ])
})

test('only administrators may administer', () => {
  expect(may(actorOf('owner'), projectIn('private', 'owner'), 'administer')).toBe(false)
  expect(may(actorOf('administrator'), projectIn('private', 'administrator'), 'administer')).toBe(true)
  expect(mayInGroup(actorOf('owner'), groupIn('private', 'owner'), 'administer')).toBe(false)
  expect(mayInGroup(actorOf('administrator'), groupIn('private', 'administrator'), 'administer')).toBe(true)
})
