import { type Actor, invalid, type PageRequest, parameterErrors, type Unmodified } from '../../../api/index.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { fixedLimits, planLimits } from '../../plan-limits/index.ts'
import { mostBytesOfOwner } from '../delivery/bounds.ts'
import { severalVariables, type VariableOwner, variableNotFound } from '../owner.ts'
import { openValues, sealValue } from '../sealing.ts'
import type { VariableRow } from '../tables.ts'
import type { NewVariable, ScopeFilter, VariableChanges } from './params.ts'
import { Variable } from './present.ts'
import * as store from './store.ts'
import { problemsOf, type VariableDraft } from './validation.ts'

const visibilityIsFixed = 'The visibility setting cannot be changed for masked and hidden variables.'

const limitNames = {
  project: 'project ci variables',
  group: 'group ci variables',
  instance: 'ci instance level variables',
} as const

async function limitOf(db: Reader, { kind }: VariableOwner): Promise<number> {
  if (kind === 'instance') return (await planLimits(db)).ci_instance_level_variables
  return kind === 'project' ? fixedLimits.project_ci_variables : fixedLimits.group_ci_variables
}

const lockOwner = (tx: Tx, { kind, id }: VariableOwner) => acquireLock(tx, `ci_variables:${kind}:${id}`)

/** Jobs read all values of an owner at once. @throws ApiError 400 */
async function requireRoomForValues(tx: Tx, owner: VariableOwner): Promise<void> {
  if ((await store.bytesOfValues(tx, owner)) > mostBytesOfOwner) {
    throw invalid({
      base: [`The values of all variables together are too long (maximum is ${mostBytesOfOwner} bytes)`],
    })
  }
}

/** @throws ApiError 400 */
async function requireRoom(tx: Tx, owner: VariableOwner): Promise<void> {
  await lockOwner(tx, owner)
  const limit = await limitOf(tx, owner)
  if (limit > 0 && (await store.countVariables(tx, owner)) >= limit) {
    throw invalid({ base: [`Maximum number of ${limitNames[owner.kind]} (${limit}) exceeded`] })
  }
}

/** @throws ApiError 400, form C */
function requireValid(draft: VariableDraft, { kind }: VariableOwner): void {
  const problems = problemsOf(draft, kind === 'instance')
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

const taken = (key: string) => (error: unknown) => {
  throw isUniqueViolation(error) ? invalid({ key: [`(${key}) has already been taken`] }) : error
}

async function present(platform: Platform, row: VariableRow) {
  const [value = null] = await openValues(platform, [row])
  return Variable.present({ ...row, value })
}

/** The one variable that a key and a scope select. @throws ApiError 404, 409 */
async function requireVariable(db: Reader, owner: VariableOwner, key: string, filter: ScopeFilter) {
  const [found, another] = await store.variablesNamed(db, owner, key, filter?.environment_scope?.trim() || undefined)
  if (!found) throw variableNotFound(owner)
  if (another) throw severalVariables()
  return found
}

/** A page of the variables of an owner (contract 2.1, 2.6). */
export async function listVariables(platform: Platform, owner: VariableOwner, page: PageRequest) {
  const found = await store.pageOfVariables(platform.database.read, owner, page)
  const values = await openValues(platform, found.items)
  return {
    ...found,
    items: found.items.map((row, index) => Variable.present({ ...row, value: values[index] ?? null })),
  }
}

/** One variable (contract 2.2, 2.7). @throws ApiError 404, 409 */
export async function getVariable(platform: Platform, owner: VariableOwner, key: string, filter?: ScopeFilter) {
  return present(platform, await requireVariable(platform.database.read, owner, key, filter))
}

/** For whom a behaviour of the variables of an owner is switched. */
const actorsOf = ({ kind, id }: VariableOwner, actor: Actor) => ({
  userId: actor.kind === 'user' ? actor.userId : null,
  ...(kind === 'project' ? { projectId: id } : kind === 'group' ? { groupId: id } : {}),
})

/** Creates a variable (contract 2.3, 2.8). @throws ApiError 400 */
export async function createVariable(
  platform: Platform,
  owner: VariableOwner,
  given: NewVariable,
  { actor, act }: { actor: Actor; act: Act },
) {
  const isHidden =
    given.masked_and_hidden === true && (await isFeatureOn(platform, 'ci_hidden_variables', actorsOf(owner, actor)))
  const draft: VariableDraft = {
    key: given.key.trim(),
    value: given.value,
    masked: isHidden || (given.masked ?? false),
    raw: given.raw ?? false,
    description: given.description ?? null,
    environmentScope: given.environment_scope?.trim() ?? '*',
  }
  requireValid(draft, owner)
  const sealed_value = await sealValue(platform, owner, draft.key, draft.value)
  const moment = now(platform.clock)
  const { key, masked, raw, description, environmentScope: environment_scope } = draft
  const row = await platform.database
    .write(async (tx) => {
      await requireRoom(tx, owner)
      await act(tx, key)
      const inserted = await store.insertVariable(tx, {
        project_id: owner.kind === 'project' ? owner.id : null,
        namespace_id: owner.kind === 'group' ? owner.id : null,
        ...{ key, environment_scope, sealed_value, masked, raw, description },
        ...{ variable_type: given.variable_type ?? 'env_var', protected: given.protected ?? false, hidden: isHidden },
        ...{ created_at: moment, updated_at: moment },
      })
      await requireRoomForValues(tx, owner)
      return inserted
    })
    .catch(taken(key))
  return present(platform, row)
}

/** @throws ApiError 400 */
function requireVisibility({ hidden }: VariableRow, { masked, value }: VariableChanges): void {
  if (hidden && masked === false) throw invalid({ base: [visibilityIsFixed] })
  // Clients that send back what they were shown send null for a hidden value.
  if (!hidden && value === null) throw parameterErrors([{ name: 'value', missing: true, text: 'is missing' }])
}

/** The variable with the changes, and its sealed value where it changes. @throws ApiError 400 */
async function changed(platform: Platform, owner: VariableOwner, row: VariableRow, given: VariableChanges) {
  const [current = null] = await openValues(platform, [row])
  const draft: VariableDraft = {
    key: row.key,
    value: given.value ?? current ?? '',
    masked: given.masked ?? row.masked,
    raw: given.raw ?? row.raw,
    description: given.description === undefined ? row.description : given.description,
    environmentScope: given.environment_scope?.trim() ?? row.environment_scope,
  }
  requireValid(draft, owner)
  const { masked, raw, description, environmentScope: environment_scope } = draft
  const replaced = typeof given.value === 'string'
  return {
    ...{ masked, raw, description, environment_scope },
    ...(replaced ? { sealed_value: await sealValue(platform, owner, row.key, draft.value) } : {}),
    protected: given.protected ?? row.protected,
    variable_type: given.variable_type ?? row.variable_type,
    updated_at: now(platform.clock),
  }
}

/** Changes a variable; omitted members stay (contract 2.4, 2.9). @throws ApiError 400, 404, 409 */
export async function updateVariable(
  platform: Platform,
  owner: VariableOwner,
  key: string,
  given: VariableChanges,
  act: Act,
) {
  const row = await platform.database
    .write(async (tx) => {
      if (typeof given.value === 'string') await lockOwner(tx, owner)
      const found = await requireVariable(tx, owner, key, given.filter)
      requireVisibility(found, given)
      await act(tx, found.key)
      const updated = await store.updateVariable(tx, found.id, await changed(platform, owner, found, given))
      if (typeof given.value === 'string') await requireRoomForValues(tx, owner)
      return updated
    })
    .catch(taken(key))
  return present(platform, row)
}

/** Deletes a variable (contract 2.5, 2.10). @throws ApiError 404, 409; 412 by `unmodified` */
export async function deleteVariable(
  { database }: Platform,
  owner: VariableOwner,
  key: string,
  filter: ScopeFilter,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'ci_variables', () => requireVariable(tx, owner, key, filter))
    unmodified(row.updated_at)
    await store.deleteVariable(tx, row.id)
    await act(tx, row.key)
  })
}
