import { type ImportLine, requiredText, timesOf } from '../../platform/index.ts'
import { importedEntries, insertEntries } from '../protected-branches/index.ts'
import { insertTagRule } from './store.ts'

/** Imports a rule that protects tags of a project (contract 14, protected_tags). */
export const importProtectedTag: ImportLine = async (_platform, into, line) => {
  const row = { project_id: into.id, name: requiredText(line, 'name'), ...timesOf(line) }
  const entries = importedEntries(into, line, 'create_access_levels')
  return async (tx) => {
    const { id } = await insertTagRule(tx, row)
    await insertEntries(tx, 'create', id, entries)
  }
}
