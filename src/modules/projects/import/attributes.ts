import { BadLine, booleanOf, type ImportLine, textOf } from '../../../platform/index.ts'
import { namespaceById, refusedLevels, unrefused, visibilityIn, visibilityOfLevel } from '../../namespaces/index.ts'
import { holdProject, updateProject } from '../core/store.ts'

const longestDescription = 2000

/**
 * Imports the description and visibility of a project, and whether it is archived (contract 14, self). It is no more open than its group
 * allows, and the instance the importer.
 */
export const importProjectAttributes: ImportLine = async ({ settings }, into, line) => {
  const description = textOf(line, 'description')?.slice(0, longestDescription) ?? null
  const archived = booleanOf(line, 'archived', false)
  const wanted = visibilityOfLevel(line.visibility_level) ?? 'private'
  const refused = refusedLevels(into.importer, (await settings.current()).restricted_visibility_levels)
  return async (tx) => {
    const row = await holdProject(tx, into.id)
    const namespace = row && (await namespaceById(tx, row.namespace_id))
    if (!namespace) throw new BadLine('the project does not exist any more')
    const visibility = unrefused(visibilityIn(namespace, wanted), refused)
    const isArchived = { archived: archived || namespace.archived, archived_by_group: !archived && namespace.archived }
    await updateProject(tx, into.id, { description, visibility, ...isArchived })
  }
}
