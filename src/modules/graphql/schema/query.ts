import { groupsGet, groupsList } from '../../groups/index.ts'
import { projectsGet, projectsList } from '../../projects/index.ts'
import { userGet, usersList } from '../../users/index.ts'
import { byPosition } from '../reading/lists.ts'
import { named } from '../reading/operations.ts'
import type { Arguments, Listing, Reading } from '../reading/types.ts'
import { Refusal } from '../refusal.ts'
import { connection, field, type ObjectType } from './declare.ts'
import { numberIn } from './ids.ts'
import { issueNamed, mergeRequestNamed } from './issuables.ts'
import type { ProjectSource } from './projects.ts'
import type { UserSource } from './users.ts'

/** Each is found by itself. */
const mostNamed = 100

/** The objects with these names, each once, the newest first; those that the caller does not find are left out. */
async function allNamed<T extends { id: number }>(
  names: readonly unknown[],
  find: (name: never) => Promise<unknown>,
): Promise<T[]> {
  if (names.length > mostNamed) throw new Refusal(`More than ${mostNamed} ids or names`)
  const found = (await Promise.all([...new Set(names)].map((name) => find(name as never)))) as (T | null)[]
  const byId = new Map(found.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  return [...byId.values()].toSorted((left, right) => right.id - left.id)
}

const userWithId = (reading: Reading) => (id: unknown) => reading.find(named('users.get'), { id: numberIn('User', id) })

const userNamed = (reading: Reading) => async (username: string) => {
  const found = (await reading.find(usersList, { username })) as { items: unknown[] } | null
  return found?.items[0] ?? null
}

/** A user by the id or the user name. */
function findUser({ id, username }: Arguments, reading: Reading) {
  const isById = id !== undefined && id !== null
  if (isById && username) throw new Refusal('Only one of `id` and `username` can be given')
  if (isById) return userWithId(reading)(id)
  return username ? userNamed(reading)(username) : null
}

const contains = (text: string | null | undefined, part: string) =>
  text?.toLowerCase().includes(part.toLowerCase()) === true

async function usersOf({ ids, usernames, search }: Arguments, reading: Reading): Promise<Listing> {
  if (!ids && !usernames) return { operation: usersList, call: { search } }
  const [byId, byName] = await Promise.all([
    ids && allNamed<UserSource>(ids, userWithId(reading)),
    usernames && allNamed<UserSource>(usernames, userNamed(reading)),
  ])
  const among = new Set((byName ?? byId).map(({ id }: UserSource) => id))
  const isFound = (user: UserSource) =>
    among.has(user.id) &&
    (!search || [user.name, user.username, user.public_email].some((text) => contains(text, search)))
  return { items: (byId ?? byName).filter(isFound) }
}

const projectNamed = (reading: Reading) => (id: string | number) => reading.find(projectsGet, { id })

async function projectsOf({ ids, fullPaths, search, membership }: Arguments, reading: Reading): Promise<Listing> {
  if (!ids && !fullPaths) return { operation: projectsList, call: { search, membership } }
  const find = projectNamed(reading)
  const [byId, byPath] = await Promise.all([
    ids && allNamed<ProjectSource>(ids, (id) => find(numberIn('Project', id))),
    fullPaths && allNamed<ProjectSource>(fullPaths.map(pathOf), find),
  ])
  const among = new Set((byPath ?? byId).map(({ id }: ProjectSource) => id))
  // As in the list, where an anonymous caller is a member of nothing.
  const isAnonymous = reading.actor.kind === 'anonymous'
  const isFound = ({ id, name, path, description, permissions }: ProjectSource) =>
    among.has(id) &&
    (!search || [name, path, description].some((text) => contains(text, search))) &&
    (!membership || isAnonymous || Boolean(permissions?.project_access ?? permissions?.group_access))
  return { items: (byId ?? byPath).filter(isFound) }
}

/** A path that nothing has. */
const noPath = '-'

/** The path of a project, group or namespace. Digits alone would be an id (contract 00, "Parameters"). */
function pathOf(given: unknown): string {
  const path = String(given)
  return /^\d*$/.test(path) || path.includes('\u0000') || !path.isWellFormed() ? noPath : path
}

/** All objects of a list; null where the caller may not read it. */
async function wholeList<T>(reading: Reading, id: string): Promise<T[] | null> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const found = (await reading.find(named(id), { page, per_page: 100 })) as { items: T[] } | null
    if (!found) return null
    all.push(...found.items)
    if (found.items.length < 100) return all
  }
}

/** Features and whether they are on for all, as administrators see them (contract 05). */
async function featureFlags(names: readonly string[], reading: Reading): Promise<FlagSource[] | null> {
  const set = await wholeList<{ name: string; state: string }>(reading, 'features.list')
  const definitions = await wholeList<{ name: string; default_enabled: boolean }>(reading, 'features.definitions')
  if (!set || !definitions) return null
  const isOn = new Map(definitions.map((one) => [one.name, one.default_enabled]))
  for (const { name, state } of set) isOn.set(name, state === 'on')
  return names.map((name) => ({ name, enabled: isOn.get(name) ?? false }))
}

type MetadataSource = { version: string; revision: string; enterprise: boolean; kas: KasSource }
type KasSource = { enabled: boolean; externalUrl: string | null; version: string | null }
type FlagSource = { name: string; enabled: boolean }

/** What queries begin with, and what is known of the server (contract 25, "GraphQL"). */
export const queryTypes: readonly ObjectType[] = [
  {
    name: 'Query',
    description: 'What can be read. There are no mutations.',
    fields: {
      currentUser: field('CurrentUser', (_, __, reading) => reading.find(userGet, {})),
      user: field('UserCore', (_, args, reading) => findUser(args, reading), 'id: UserID, username: String'),
      users: connection(
        'UserCore',
        (_, args, reading) => usersOf(args, reading),
        'ids: [ID!], usernames: [String!], search: String',
      ),
      project: field('Project', (_, { fullPath }, reading) => projectNamed(reading)(pathOf(fullPath)), 'fullPath: ID!'),
      projects: connection(
        'Project',
        (_, args, reading) => projectsOf(args, reading),
        'ids: [ID!], fullPaths: [String!], search: String, membership: Boolean',
      ),
      group: field(
        'Group',
        (_, { fullPath }, reading) => reading.find(groupsGet, { id: pathOf(fullPath), with_projects: false }),
        'fullPath: ID!',
      ),
      groups: connection(
        'Group',
        (_, { search }, reading) =>
          byPosition(reading, groupsList, { search, all_available: true, order_by: 'id', sort: 'desc' }),
        'search: String',
      ),
      namespace: field(
        'Namespace',
        (_, { fullPath }, reading) => reading.find(named('namespaces.get'), { id: pathOf(fullPath) }),
        'fullPath: ID!',
      ),
      issue: field('Issue', (_, args, reading) => issueNamed(args, reading), 'id: IssueID!'),
      mergeRequest: field(
        'MergeRequest',
        (_, args, reading, selects) => mergeRequestNamed(args, reading, selects),
        'id: MergeRequestID!',
      ),
      metadata: field('Metadata', (_, __, reading) => reading.find(named('metadata.metadata'), {})),
      queryComplexity: field('QueryComplexity', (_, __, { complexity }) => complexity),
      echo: field('String!', (_, { text }) => text, 'text: String!'),
    },
  },
  {
    name: 'Metadata',
    description: 'What is known of the server.',
    fields: {
      version: field<MetadataSource>('String!', ({ version }) => version),
      revision: field<MetadataSource>('String!', ({ revision }) => revision),
      enterprise: field<MetadataSource>('Boolean!', ({ enterprise }) => enterprise),
      kas: field<MetadataSource>('Kas!', ({ kas }) => kas),
      featureFlags: field<MetadataSource>(
        '[FeatureFlag!]',
        (_, { names }, reading) => featureFlags(names, reading),
        'names: [String!]!',
      ),
    },
  },
  {
    name: 'Kas',
    description: 'The server for agents of clusters, which there is none of.',
    fields: {
      enabled: field<KasSource>('Boolean!', ({ enabled }) => enabled),
      externalUrl: field<KasSource>('String', ({ externalUrl }) => externalUrl),
      version: field<KasSource>('String', ({ version }) => version),
    },
  },
  {
    name: 'FeatureFlag',
    description: 'A feature that administrators switch, and whether it is on for all.',
    fields: {
      name: field<FlagSource>('String!', ({ name }) => name),
      enabled: field<FlagSource>('Boolean!', ({ enabled }) => enabled),
    },
  },
  {
    name: 'QueryComplexity',
    description: 'The complexity of the query, and what it may have.',
    fields: {
      score: field<{ score: number }>('Int', ({ score }) => score),
      limit: field<{ limit: number }>('Int', ({ limit }) => limit),
    },
  },
]
