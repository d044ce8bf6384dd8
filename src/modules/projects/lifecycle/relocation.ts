import type { Updateable } from 'kysely'
import { notFound } from '../../../api/index.ts'
import { isUniqueViolation, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { holdTree, moveRoutes, type NamespaceRow, namespaceById } from '../../namespaces/index.ts'
import { heldProject } from '../core/access.ts'
import { updateProject } from '../core/store.ts'
import type { ProjectRow, ProjectsTable } from '../tables.ts'

/** A project and its namespace, both locked. */
export type HeldProject = { row: ProjectRow; namespace: NamespaceRow }

/**
 * Takes the locks of a project's tree and of the project itself, in this order, so that nothing that its path depends
 * on changes until the transaction ends.
 * @param others further namespaces whose trees are locked
 * @throws ApiError 404 when the project was deleted
 */
export async function heldInTree(
  tx: Tx,
  project: Pick<ProjectRow, 'id' | 'namespace_id'>,
  others: readonly number[] = [],
): Promise<HeldProject> {
  // Always in the same order, so that two requests cannot wait for each other.
  for (const id of [project.namespace_id, ...others].sort((a, b) => a - b)) await holdTree(tx, id)
  const row = await heldProject(tx, project.id)
  if (row.namespace_id !== project.namespace_id) await holdTree(tx, row.namespace_id)
  const namespace = await namespaceById(tx, row.namespace_id)
  if (!namespace) throw notFound('Project')
  return { row, namespace }
}

type Target = { namespace: Pick<NamespaceRow, 'id' | 'full_path'>; name: string; path: string }

/**
 * Gives a locked project another name, path or namespace; its old paths redirect to it (contract 21 R5).
 * @throws UniqueViolation when the name or the path is taken
 */
export async function relocate(
  platform: Platform,
  tx: Tx,
  row: ProjectRow,
  { namespace, name, path }: Target,
  changes: Updateable<ProjectsTable>,
): Promise<ProjectRow> {
  const fullPath = `${namespace.full_path}/${path}`
  await moveRoutes(tx, row.full_path, fullPath)
  const moved = { namespace_id: namespace.id, name, path, full_path: fullPath }
  const changed = await updateProject(tx, row.id, { ...changes, ...moved })
  const former = { formerPath: row.full_path, formerNamespaceId: row.namespace_id }
  await react(platform, tx, 'project.moved', { projectId: row.id, ...former })
  return changed ?? row
}

const attempts = 3

/** Retries a transaction that finds a free name itself, when another request took that name meanwhile. */
export async function untilFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || !isUniqueViolation(error)) throw error
    }
  }
}
