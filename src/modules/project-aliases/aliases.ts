import {
  type Actor,
  dayOf,
  forms,
  invalid,
  notFound,
  object,
  of,
  type PageRequest,
  recordNotFound,
  refuse,
  Type,
  taken,
  type Unmodified,
} from '../../api/index.ts'
import { claim, isUniqueViolation, now } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { pathProblems, visibleProject } from '../projects/index.ts'
import * as store from './store.ts'
import type { ProjectAliasRow } from './tables.ts'

/** An alias of a project (contract 26.16). */
export const ProjectAlias = object('ProjectAlias', of<ProjectAliasRow>(), {
  id: forms.id,
  project_id: forms.id,
  name: Type.String(),
})

/** A page of all aliases (contract 26, x.project_alias_list). */
export async function listAliases({ database }: Platform, page: PageRequest) {
  const found = await store.pageOfAliases(database.read, page)
  return { ...found, items: found.items.map((row) => ProjectAlias.present(row)) }
}

/** One alias (contract 26, x.project_alias_get). @throws ApiError 404 */
export async function getAlias({ database }: Platform, name: string) {
  const row = await store.aliasNamed(database.read, name)
  if (!row) throw recordNotFound()
  return ProjectAlias.present(row)
}

/** Gives a project a second name (contract 26, x.project_alias_create). @throws ApiError 400, 404 */
export async function createAlias(
  { database, clock }: Platform,
  actor: Actor,
  { project_id: key, name }: { project_id: string; name: string },
  act: Act,
) {
  const project = await visibleProject(database.read, key, actor, dayOf(clock.now()))
  if (!project) throw notFound('Project')
  refuse({ name: pathProblems(name) })
  return database
    .write(async (tx) => {
      const row = await store.insertAlias(tx, { project_id: project.id, name, created_at: now(clock) })
      await act(tx, name)
      return ProjectAlias.present(row)
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? invalid({ name: [taken] }) : error
    })
}

/** Deletes an alias (contract 26, x.project_alias_delete). @throws ApiError 404, 412 */
export async function removeAlias(
  { database }: Platform,
  name: string,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'project_aliases', () => store.aliasNamed(tx, name))
    if (!row) throw recordNotFound()
    unmodified(row.created_at)
    await store.deleteAlias(tx, row.id)
    await act(tx, name)
  })
}
