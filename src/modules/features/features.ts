import { type Actor, badRequest, type Page, type PageRequest, pageOfList } from '../../api/index.ts'
import { acquireLock, now } from '../../infra/database/index.ts'
import { instanceTarget, type Platform, recordAct } from '../../platform/index.ts'
import { definitions, licensedFeatureNames } from './definitions.ts'
import { closedGates, type Gates, optOutOf } from './gates.ts'
import type { FeatureChange } from './params.ts'
import { Feature } from './present.ts'
import { deleteFeature, gatesNamed, pageOfFeatures, putGates } from './store.ts'
import { type Target, targetsOf } from './targets.ts'

const longestName = 255
const enabling = new Set(['true', '100', '100.0'])
const disabling = new Set(['false', '0', '0.0'])
const number = /^\d+(\.\d+)?$/
const percentages = { percentage_of_time: 'percentageOfTime', percentage_of_actors: 'percentageOfActors' } as const

const gateOf = (key: string | undefined) =>
  Object.hasOwn(percentages, key ?? 'percentage_of_time')
    ? percentages[(key ?? 'percentage_of_time') as keyof typeof percentages]
    : null

/** The gates after a change without targets (contract 05, 2.26). @throws ApiError 400 */
function changeGates(name: string, gates: Gates, { value, key }: FeatureChange): Gates {
  const isNumber = number.test(value)
  if (disabling.has(value)) return closedGates
  const gate = gateOf(key)
  if (enabling.has(value)) return { ...closedGates, enabled: true, ...(isNumber && gate ? { [gate]: 100 } : {}) }
  if (gate === null) throw badRequest(`Cannot set '${name}' ("${key}") to "${value}"`)
  if (!isNumber) throw badRequest(key === undefined ? `Cannot set '${name}' to "${value}"` : 'Not a percentage')
  if (Number(value) > 100) {
    throw badRequest(`value must be a positive number less than or equal to 100, but was ${value}`)
  }
  return { ...gates, [gate]: Number(value) }
}

const withValue = (list: readonly string[], value: string) => (list.includes(value) ? list : [...list, value])
const withoutValue = (list: readonly string[], value: string) => list.filter((one) => one !== value)

/** The gates after a change for one target. @throws ApiError 400 */
function changeTarget(name: string, gates: Gates, { kind, id, reference }: Target, value: string): Gates {
  const optOut = optOutOf(id)
  const isOptedOut = gates.actors.includes(optOut)
  if (enabling.has(value) || disabling.has(value)) {
    const change = enabling.has(value) ? withValue : withoutValue
    if (kind === 'group') return { ...gates, groups: change(gates.groups, id) }
    if (change === withValue && isOptedOut) {
      throw badRequest(`Opt-out exists for ${reference} - remove opt-out before enabling`)
    }
    return { ...gates, actors: change(gates.actors, id) }
  }
  if (kind === 'actor' && value === 'opt_out') return { ...gates, actors: withValue(gates.actors, optOut) }
  if (kind === 'actor' && value === 'remove_opt_out') {
    if (!isOptedOut) throw badRequest(`No opt-out exists for ${id}`)
    return { ...gates, actors: withoutValue(gates.actors, optOut) }
  }
  throw badRequest(`Cannot set '${name}' to "${value}" for ${id}`)
}

/** @throws ApiError 400 */
function requireName(name: string, force: boolean): void {
  if ([...name].length > longestName) throw badRequest(`Name is too long (maximum is ${longestName} characters)`)
  if (licensedFeatureNames.has(name) && !force) {
    throw badRequest(
      `The '${name}' is a licensed feature name, and thus it cannot be used as a feature flag name. Use \`force\` to force the change.`,
    )
  }
}

const idOf = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

/** Sets a feature, for all or for targets (contract 05, 2.26). @throws ApiError 400 */
export async function setFeature(platform: Platform, name: string, given: FeatureChange, actor: Actor) {
  const { database, clock, log } = platform
  requireName(name, given.force ?? false)
  const gates = await database.write(async (tx) => {
    await acquireLock(tx, `features:${name}`)
    const current = (await gatesNamed(tx, name)) ?? closedGates
    const targets = await targetsOf(tx, given)
    const changed = targets
      ? targets.reduce((gates, target) => changeTarget(name, gates, target, given.value), current)
      : changeGates(name, current, given)
    // An empty list of targets changes nothing.
    if (targets?.length !== 0) await putGates(tx, name, changed, now(clock))
    await recordAct(platform, tx, actor, { name: 'features.set', target: instanceTarget, changed: { [name]: true } })
    return changed
  })
  const { value, ...targets } = given
  log.info({ feature: name, value, targets, user: idOf(actor) }, 'feature set')
  return Feature.present({ name, gates })
}

/** A page of the features that were set (contract 05, 2.24). */
export async function listFeatures({ database }: Platform, page: PageRequest) {
  const found = await pageOfFeatures(database.read, page)
  return { ...found, items: found.items.map((feature) => Feature.present(feature)) }
}

/** A page of the definitions, by name (contract 05, 2.25). */
export function listDefinitions(page: PageRequest): Page<(typeof definitions)[number]> {
  return pageOfList(
    definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    page,
  )
}

/** Deletes what was set; its definition applies again (contract 05, 2.27). */
export async function resetFeature(platform: Platform, name: string, actor: Actor): Promise<void> {
  const { database, log } = platform
  await database.write(async (tx) => {
    if (!(await deleteFeature(tx, name))) return
    tx.afterCommit(() => log.info({ feature: name, user: idOf(actor) }, 'feature deleted'))
    await recordAct(platform, tx, actor, { name: 'features.delete', target: instanceTarget, changed: { [name]: true } })
  })
}
