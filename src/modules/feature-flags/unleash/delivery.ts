import { LRUCache } from 'lru-cache'
import type { Static } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { StoredStrategy } from '../flags/drafts.ts'
import { flagsOfProject, strategiesOfFlags } from '../flags/store.ts'
import { userListStrategy } from '../flags/strategy-rules.ts'
import type { FlagClientRow, UserListRow } from '../tables.ts'
import { userListsByIds } from '../user-lists/store.ts'
import type { UnleashFeatures } from './present.ts'

type Features = Static<typeof UnleashFeatures>

/** A strategy as clients get it. */
export type DeliveredStrategy = Features['features'][number]['strategies'][number]

/** Whether a strategy applies to an environment; without one only the scope `*` matches. */
function appliesTo({ scopes }: StoredStrategy, environment: string | null): boolean {
  return scopes.some(({ environment_scope: scope }) =>
    environment === null ? scope === '*' : wildcardMatcher(scope)(environment),
  )
}

/** Clients do not know lists of users: they get their ids. */
function delivered({ name, parameters, user_list_id }: StoredStrategy, lists: ReadonlyMap<number, UserListRow>) {
  if (name !== userListStrategy) return { name, parameters: parameters as Record<string, string> }
  return { name: 'userWithId', parameters: { userIds: lists.get(user_list_id ?? 0)?.user_xids ?? '' } }
}

/**
 * The flags of a project for an environment: those with a strategy that applies, with all of these (contract 24, "Feature flag
 * delivery").
 * @param environment null: the client names none
 */
async function computeFeatures(db: Reader, projectId: number, environment: string | null): Promise<Features> {
  const features = await allFeatures(db, projectId, environment)
  return { version: 1, features: features.filter(({ strategies }) => strategies.length > 0) }
}

/** The same with the flags that no strategy brings into the environment. */
export async function allFeatures(
  db: Reader,
  projectId: number,
  environment: string | null,
): Promise<Features['features']> {
  const flags = await flagsOfProject(db, projectId)
  const ids = flags.map(({ id }) => id)
  const stored = await strategiesOfFlags(db, ids)
  const applying = new Map(ids.map((id) => [id, (stored.get(id) ?? []).filter((one) => appliesTo(one, environment))]))
  const listIds = [...applying.values()].flat().flatMap(({ user_list_id: id }) => id ?? [])
  const lists = await userListsByIds(db, [...new Set(listIds)])
  return flags.map(({ id, name, description, active }) => {
    const strategies = applying.get(id) ?? []
    const shown = { name, ...(description === null ? {} : { description }), enabled: active }
    return { ...shown, strategies: strategies.map((one) => delivered(one, lists)) }
  })
}

/** In characters of names, parameters and ids. */
const cacheWeight = 32 * 1024 * 1024

function weightOf({ features }: Features): number {
  const ofStrategies = features.flatMap(({ strategies }) => strategies)
  const texts = ofStrategies.flatMap(({ parameters }) => Object.values(parameters))
  return texts.reduce((sum, text) => sum + text.length, 512 + 512 * (features.length + ofStrategies.length))
}

const cacheOf = perPlatform(
  () =>
    new LRUCache<string, { generation: number; features: Features }>({
      maxSize: cacheWeight,
      sizeCalculation: ({ features }) => weightOf(features),
    }),
)

/** The flags for a client. They are computed once for each state of the flags of the project, which the row of the client tells. */
export async function featuresFor(
  platform: Platform,
  { project_id: projectId, generation }: FlagClientRow,
  environment: string | null,
): Promise<Features> {
  const cache = cacheOf(platform)
  const key = `${projectId} ${environment ?? ''}`
  const known = cache.get(key)
  if (known?.generation === generation) return known.features
  const features = await computeFeatures(platform.database.read, projectId, environment)
  cache.set(key, { generation, features })
  return features
}
