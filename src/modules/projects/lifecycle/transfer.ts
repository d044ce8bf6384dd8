import { type Actor, dayOf, failure, forbidden, notFound } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { makeOwner } from '../../access/index.ts'
import { type NamespaceRow, namespaceById, type Visibility } from '../../namespaces/index.ts'
import { type Project, refusesWrites, withRole } from '../core/access.ts'
import { visibleNamespace } from '../core/destination.ts'
import { clashes } from '../core/naming.ts'
import { mayCreateIn } from '../core/targets.ts'
import { isWider } from '../core/visibility.ts'
import { visibleProject } from '../core/visible-project.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import { heldInTree, relocate } from './relocation.ts'

export type TransferNeeds = {
  database: Database
  clock: Clock
  presenter: Pick<ProjectPresenter, 'presentProject'>
  /** Whether images of the project are in the registry, under its path. */
  hasRegistryTags?(projectId: number): Promise<boolean>
}

/** Moves projects to other namespaces (contract 21, x.projects_transfer). */
export type Transfers = ReturnType<typeof createTransfers>

/** The failure in the form that clients know: a hash as Ruby writes it. */
const failed = (reason: string) => failure(400, `Failed to transfer project {:new_namespace=>["${reason}"]}`)
const notAllowed = () => failed('Transfer failed, please contact an admin.')
const nameTaken = () => failed('Project with same name or path in target namespace already exists')

/** A project is never more visible than the group that it is in. */
function visibilityIn(namespace: NamespaceRow, visibility: Visibility): Visibility {
  return namespace.kind === 'group' && isWider(visibility, namespace.visibility) ? namespace.visibility : visibility
}

export function createTransfers({ database, clock, presenter, hasRegistryTags }: TransferNeeds) {
  const today = () => dayOf(clock.now())

  async function move(tx: Tx, project: Project, targetId: number, actor: Actor): Promise<ProjectRow> {
    const { row } = await heldInTree(tx, project, [targetId])
    if (refusesWrites(row)) throw forbidden()
    const target = await namespaceById(tx, targetId)
    if (!target || target.pending_delete || !(await mayCreateIn(tx, actor, target, today()))) throw notAllowed()
    if (row.namespace_id === target.id) throw failed('Project is already in this namespace.')
    const taken = await clashes(tx, { namespace: target, name: row.name, path: row.path })
    if (Object.keys(taken).length > 0) throw nameTaken()
    const place = { namespace: target, name: row.name, path: row.path }
    if (target.owner_id !== null) {
      // The holder of a personal namespace is an owner of the projects in it, as of one that is made there.
      await makeOwner(tx, { kind: 'project', id: row.id }, target.owner_id, now(clock))
    }
    return relocate(tx, row, place, { visibility: visibilityIn(target, row.visibility), updated_at: now(clock) })
  }

  /** @throws ApiError 400 `Failed to transfer project …` */
  async function moveTo(project: Project, target: NamespaceRow, actor: Actor): Promise<ProjectRow> {
    if (project.namespace_id === target.id) throw failed('Project is already in this namespace.')
    if (!(await mayCreateIn(database.read, actor, target, today()))) throw notAllowed()
    if (await hasRegistryTags?.(project.id)) {
      throw failed('Project cannot be transferred, because tags are present in its container registry')
    }
    return database
      .write((tx) => move(tx, project, target.id, actor))
      .catch((error) => {
        throw isUniqueViolation(error) ? nameTaken() : error
      })
  }

  return {
    /**
     * Moves a project; its old paths lead on to it, and it becomes no more visible than its new group.
     * @param text id or full path of the namespace
     * @throws ApiError 404 Namespace, 400 `Failed to transfer project …`
     */
    async transfer(project: Project, text: string, actor: Actor): Promise<PresentedProject> {
      if (text.trim() === '') throw failed('Please select a new namespace for your project.')
      const target = await visibleNamespace(database.read, { text }, actor, today())
      if (!target) throw notFound('Namespace')
      const row = await moveTo(project, target, actor)
      return presenter.presentProject(await withRole(database.read, row, actor, today()), actor)
    },

    /**
     * Moves a project into a group, for administrators (x.groups_take_project).
     * @param text id or full path of the project
     * @throws ApiError 404 Project, 400 `Failed to transfer project …`
     */
    async take(group: Pick<NamespaceRow, 'id'>, text: string, actor: Actor): Promise<void> {
      const project = await visibleProject(database.read, text, actor, today())
      const target = await namespaceById(database.read, group.id)
      if (!project || !target) throw notFound('Project')
      await moveTo(project, target, actor)
    },
  }
}
