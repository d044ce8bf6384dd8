import { type Actor, failure, forbidden, notFound } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { makeOwner } from '../../access/index.ts'
import { type NamespaceRow, namespaceById, visibilityIn } from '../../namespaces/index.ts'
import { type Project, refusesWrites, today, withRole } from '../core/access.ts'
import { mayCreateIn, visibleNamespace } from '../core/destinations.ts'
import { visibleProject } from '../core/lookup.ts'
import { clashes } from '../core/naming.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import { heldInTree, relocate } from './relocation.ts'

/** The failure as clients know it: a Ruby hash. */
const failed = (reason: string) => failure(400, `Failed to transfer project {:new_namespace=>["${reason}"]}`)
const notAllowed = () => failed('Transfer failed, please contact an admin.')
const nameTaken = () => failed('Project with same name or path in target namespace already exists')

/** npm packages name the path of their top-level group (contract 23 R11). */
const scopeTaken = () =>
  failed("Root namespace can't be updated if the project has NPM packages scoped to the current root level namespace.")
const rootOf = (path: string) => path.split('/', 1)[0] ?? ''

async function move(platform: Platform, tx: Tx, project: Project, targetId: number, actor: Actor): Promise<ProjectRow> {
  const moment = now(platform.clock)
  const { row } = await heldInTree(tx, project, [targetId])
  if (refusesWrites(row)) throw forbidden()
  const target = await namespaceById(tx, targetId)
  if (!target || target.pending_delete || !(await mayCreateIn(tx, actor, target, today(platform)))) throw notAllowed()
  if (row.namespace_id === target.id) throw failed('Project is already in this namespace.')
  const taken = await clashes(tx, { namespace: target, name: row.name, path: row.path })
  if (Object.keys(taken).length > 0) throw nameTaken()
  const root = rootOf(row.full_path)
  const isScoped =
    root !== rootOf(target.full_path) &&
    (await platform.ports['groups.scoped_packages'](platform, tx, { projectId: row.id }, root))
  if (isScoped) throw scopeTaken()
  if (target.owner_id !== null) {
    // The owner of a personal namespace is an owner of the projects that are created in it.
    await makeOwner(tx, { kind: 'project', id: row.id }, target.owner_id, moment)
  }
  const changes = { visibility: visibilityIn(target, row.visibility), updated_at: moment }
  return relocate(platform, tx, row, { namespace: target, name: row.name, path: row.path }, changes)
}

/** @throws ApiError 400 `Failed to transfer project …` */
async function moveTo(
  platform: Platform,
  project: Project,
  target: NamespaceRow,
  { actor, act }: { actor: Actor; act?: Act },
): Promise<ProjectRow> {
  const { database } = platform
  if (project.namespace_id === target.id) throw failed('Project is already in this namespace.')
  if (!(await mayCreateIn(database.read, actor, target, today(platform)))) throw notAllowed()
  return database
    .write(async (tx) => {
      const moved = await move(platform, tx, project, target.id, actor)
      await act?.(tx, project.id)
      return moved
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? nameTaken() : error
    })
}

/**
 * Moves a project to another namespace. Its old paths redirect to it, and its visibility is lowered to that of the group
 * (contract 21, x.projects_transfer).
 * @param text id or full path of the namespace
 * @throws ApiError 404 Namespace, 400 `Failed to transfer project …`
 */
export async function transferProject(
  platform: Platform,
  project: Project,
  text: string,
  actor: Actor,
): Promise<PresentedProject> {
  const [db, day] = [platform.database.read, today(platform)]
  if (text.trim() === '') throw failed('Please select a new namespace for your project.')
  const target = await visibleNamespace(db, { text }, actor, day)
  if (!target) throw notFound('Namespace')
  const row = await moveTo(platform, project, target, { actor })
  return presentProject(platform, await withRole(db, row, actor, day), actor)
}

/**
 * Moves a project into a group, for administrators (contract 21, x.groups_take_project).
 * @param text id or full path of the project
 * @throws ApiError 404 Project, 400 `Failed to transfer project …`
 */
export async function transferIntoGroup(
  platform: Platform,
  group: Pick<NamespaceRow, 'id'>,
  text: string,
  by: { actor: Actor; act: Act },
): Promise<void> {
  const db = platform.database.read
  const project = await visibleProject(db, text, by.actor, today(platform))
  const target = await namespaceById(db, group.id)
  if (!project || !target) throw notFound('Project')
  await moveTo(platform, project, target, by)
}
