import {
  badRequest,
  forbidden,
  forms,
  type InstanceAbility,
  instance,
  notFound,
  object,
  of,
  type PageRequest,
  refuse,
  Type,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform, Subject } from '../../platform/index.ts'
import { type NamespaceRow, namespaceById, namespaceByPath } from '../namespaces/index.ts'
import * as store from './store.ts'

const longestReason = 255

/** An exclusion (contract 25, LimitExclusion). */
export const LimitExclusion = object('LimitExclusion', of<store.NamedExclusion>(), {
  id: forms.id,
  namespace_id: forms.id,
  namespace_name: Type.String(),
  reason: Type.String(),
})

/** The instance, where namespaces have plans: elsewhere every operation is refused (contract 25). */
export const instanceWithPlans: Subject<undefined, InstanceAbility> = {
  ...instance,
  async find({ settings }: Platform) {
    if (!(await settings.current()).check_namespace_plan) throw forbidden('this API is for GitLab.com only')
    return undefined
  },
}

/** A root namespace, by its id or path. @throws ApiError 404, and 400 for one below another */
async function requireRoot(db: Reader, key: string): Promise<NamespaceRow> {
  const id = /^\d{1,15}$/.test(key) ? Number(key) : null
  const row = id === null ? await namespaceByPath(db, key) : await namespaceById(db, id)
  if (!row || row.pending_delete) throw notFound('Namespace')
  if (row.parent_id !== null) throw badRequest('must use a root namespace')
  return row
}

/** A page of exclusions (contract 25, x.limit_exclusion_list). */
export async function listExclusions({ database }: Platform, page: PageRequest) {
  const found = await store.pageOfExclusions(database.read, page)
  return { ...found, items: found.items.map((row) => LimitExclusion.present(row)) }
}

const excluded = () => badRequest('already excluded')

/** Exempts a namespace from limits of storage (contract 25, x.limit_exclusion_create). @throws ApiError 400, 404 */
export async function createExclusion(
  { database, clock }: Platform,
  { id: key, reason }: { id: string; reason: string },
  act: Act,
) {
  refuse({ reason: textProblems(reason, longestReason) })
  return database
    .write(async (tx) => {
      const { id, name } = await requireRoot(tx, key)
      if (await store.exclusionOf(tx, id)) throw excluded()
      const row = await store.insertExclusion(tx, { namespace_id: id, reason, created_at: now(clock) })
      await act(tx, id)
      return LimitExclusion.present({ ...row, namespace_name: name })
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? excluded() : error
    })
}

/** Ends an exemption (contract 25, x.limit_exclusion_delete). @throws ApiError 400, 404; 412 by `unmodified` */
export async function deleteExclusion(
  { database }: Platform,
  key: string,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const { id } = await requireRoot(tx, key)
    const row = await claim(tx, 'limit_exclusions', () => store.exclusionOf(tx, id))
    if (!row) throw badRequest('not excluded')
    unmodified(row.created_at)
    await store.removeExclusion(tx, row.id)
    await act(tx, id)
  })
}
