import type { Tx } from '../../../infra/database/index.ts'
import { finishImport } from '../../projects/index.ts'
import { type ReadLine, readUsers } from '../../transfer-archives/index.ts'
import { textOf } from '../source/values.ts'
import type { EntityRow } from '../tables.ts'
import { followChildren } from './children.ts'
import { askForExports, finishedExports } from './exports.ts'
import { makeGroup, readEntity, requireGroup } from './groups.ts'
import { importedRelations } from './kinds.ts'
import { importMembers, readMembers } from './members.ts'
import { makeProject, requireProject } from './projects.ts'
import { type ImportingEntity, importRelations, linesOfRelation } from './relations.ts'
import { EntityFailed, type Running } from './running.ts'

const contributions = 'user_contributions'

async function* both(first: AsyncIterable<ReadLine>, second: readonly ReadLine[]): AsyncGenerator<ReadLine> {
  yield* first
  yield* second
}

/** The default branch of a project at the source, which its relations do not say; null where it has none. */
async function defaultBranchOf(running: Running): Promise<string | null> {
  const { item } = await readEntity(running)
  return textOf(item, 'default_branch') ?? null
}

/** Where the relations of an entity are imported. */
type Into = { kind: 'group' | 'project'; id: number; namespaceId: number; requireRight(): Promise<unknown> }

/** Imports the relations of an entity, and its members, once the source has exported all. @throws NotReady before */
async function importContents(running: Running, to: Into): Promise<void> {
  const { platform, entity, actor, signal } = running
  if (entity.import_id === null) throw new EntityFailed('The import was deleted')
  const asked = await askForExports(running)
  const exported = await finishedExports(asked)
  const members = entity.migrate_memberships ? await readMembers(asked) : []
  const contributors = linesOfRelation(asked, exported.get(contributions))
  const users = await readUsers(platform, actor, both(contributors, members))
  const { requireRight, ...place } = to
  const source = 'gitlab_migration' as const
  const into = { ...place, importer: actor, source, users, signal, placeOf: async () => null }
  const defaultBranch = to.kind === 'project' ? await defaultBranchOf(asked) : null
  const importing: ImportingEntity = { running: asked, importId: entity.import_id, into, defaultBranch, requireRight }
  await importRelations(importing, exported, importedRelations[to.kind])
  await requireRight()
  await importMembers(importing, members)
}

/** Imports a group: its relations, its members, and then what is below it. */
async function importGroup(running: Running): Promise<void> {
  const { entity } = running
  const requireRight = () => requireGroup(running, entity.namespace_id)
  const { id, full_path: path } = await requireRight()
  await importContents(running, { kind: 'group', id, namespaceId: id, requireRight })
  await followChildren(running, 'subgroups', path)
  if (entity.migrate_projects) await followChildren(running, 'projects', path)
}

/** Imports a project: its relations and its members. */
async function importProject(running: Running): Promise<void> {
  const { entity } = running
  const requireRight = () => requireProject(running, entity.project_id)
  const { id, namespace_id: namespaceId } = await requireRight()
  await importContents(running, { kind: 'project', id, namespaceId, requireRight })
}

const kinds = {
  group: { make: makeGroup, importKind: importGroup },
  project: { make: makeProject, importKind: importProject },
} as const

/** Imports a group or project: makes it, unless a run before has, and imports what it consists of. @returns the entity as it is then */
export async function importEntity(running: Running): Promise<EntityRow> {
  const { make, importKind } = kinds[running.entity.entity_type]
  const isMade = running.entity.source_id !== null
  const entity: EntityRow = isMade ? running.entity : { ...running.entity, ...(await make(running)) }
  await importKind({ ...running, entity })
  return entity
}

/** Makes an imported project one like any other. */
export async function finishEntity(
  { platform, actor }: Pick<Running, 'platform' | 'actor'>,
  tx: Tx,
  entity: EntityRow,
) {
  if (entity.project_id === null) return
  await finishImport(platform, tx, { projectId: entity.project_id, userId: actor.userId, former: null })
}
