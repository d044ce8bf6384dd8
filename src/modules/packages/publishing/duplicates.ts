import type { Reader } from '../../../infra/database/index.ts'
import { compileRegex } from '../../../infra/regex/index.ts'
import { settingsOfGroup } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { PackageRow } from '../tables.ts'

/** Formats whose groups decide about second files of one name (contract 23 R5). */
type Format = 'generic' | 'maven'

/**
 * Whether a package may get a second file of one name. Duplicates are allowed, but for names and versions that the expression of the
 * group matches as a whole, or the other way round. The settings of the group that holds the project count.
 */
export async function duplicatesAllowed(
  db: Reader,
  project: ProjectRow,
  format: Format,
  { name, version }: Pick<PackageRow, 'name' | 'version'>,
): Promise<boolean> {
  const namespace = await namespaceById(db, project.namespace_id)
  if (namespace?.kind !== 'group') return true
  const settings = settingsOfGroup(namespace)
  const isAllowed = settings[`${format}_duplicates_allowed`]
  const expression = settings[`${format}_duplicate_exception_regex`]
  if (expression === '') return isAllowed
  const regex = compileRegex(expression)
  return isAllowed !== [name, version].some((text) => regex.matches(text))
}
