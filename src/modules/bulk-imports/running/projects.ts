import { ApiError } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { isProjectName } from '../../namespaces/index.ts'
import {
  callerLevel,
  createImported,
  fromProject,
  projectById,
  setImportState,
  today,
  withRole,
} from '../../projects/index.ts'
import { recordImport } from '../../transfer-archives/index.ts'
import { destinationFor, requireFree } from '../core/destination.ts'
import { asFailure, importOf, type Made, nameFor, readEntity } from './groups.ts'
import { EntityFailed, type Running, Superseded } from './running.ts'
import * as store from './store.ts'

const mostNames = 100

const isNameTaken = (error: unknown): boolean => {
  if (!(error instanceof ApiError) || typeof error.body.message !== 'object') return false
  const { name, path } = error.body.message as Record<string, string[] | undefined>
  return name?.[0] === 'has already been taken' && path === undefined
}

/** Records the project that is made for an entity, with the import into it. @throws Superseded */
async function recordMade(running: Running, tx: Tx, sourceId: number, projectId: number): Promise<Made> {
  const { platform, entity } = running
  if (!(await store.recordProgress(tx, entity.id, now(platform.clock)))) throw new Superseded()
  const { id: import_id } = await recordImport(platform, tx, { kind: 'project', id: projectId }, importOf(entity))
  await setImportState(platform, tx, projectId, 'started')
  const made = { source_id: sourceId, namespace_id: null, project_id: projectId, import_id }
  await store.changeEntity(tx, entity.id, made)
  return made
}

/** Makes the private project of the entity, which refuses writes until the import ends. @throws EntityFailed, SourceRefused, Superseded */
export async function makeProject(running: Running): Promise<Made> {
  const { platform, entity, actor } = running
  const { item, sourceId } = await readEntity(running)
  const { destination_namespace: namespace, destination_slug: slug } = entity
  const wanted = { type: 'project' as const, namespace, slug }
  try {
    const parent = await destinationFor(platform, platform.database.read, actor, wanted)
    if (!parent) throw new EntityFailed('A project needs a namespace')
    await requireFree(platform.database.read, wanted, new Set())
    for (let number = 0; ; number += 1) {
      const name = nameFor(item, slug, isProjectName, number === 0 ? '' : ` ${number}`)
      let made: Made | undefined
      try {
        await createImported(platform, actor, { namespaceId: parent.id, name, path: slug }, async (tx, { id }) => {
          made = await recordMade(running, tx, sourceId, id)
        })
      } catch (error) {
        if (!isNameTaken(error) || number >= mostNames) throw error
      }
      if (made) return made
    }
  } catch (error) {
    throw asFailure(error)
  }
}

/** @throws EntityFailed when the user may not import into the project any more */
export async function requireProject({ platform, actor }: Running, id: number | null) {
  const row = id === null ? null : await projectById(platform.database.read, id)
  if (!row || row.pending_delete) throw new EntityFailed('The project was deleted')
  const project = await withRole(platform.database.read, row, actor, today(platform))
  if (callerLevel(actor, fromProject(project)) < role.maintainer) {
    throw new EntityFailed('The user may not import into the project any more')
  }
  return project
}
