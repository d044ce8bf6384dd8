import { GitError } from '../../../infra/git/index.ts'
import {
  type ImportedLine,
  type Importing,
  type ImportLine,
  type Platform,
  requiredText,
} from '../../../platform/index.ts'
import { BundleRefused } from '../../../platform/repositories/index.ts'
import {
  heldForChange,
  importGroupAttributes,
  importGroupDescription,
  importNamespaceSettings,
  insertGroup,
} from '../../groups/index.ts'
import { namespaceById, namespaceByPath } from '../../namespaces/index.ts'
import {
  ImportProblem,
  type ImportRun,
  importedGroupRelations,
  importLines,
  importStep,
  type RelationImport,
  type Unpacked,
} from '../../transfer-archives/index.ts'
import type { ArchivedGroup } from './tree.ts'

/** A run of the import of one group of an archive. */
export type GroupRun = { platform: Platform; run: ImportRun; archive: Unpacked; group: ArchivedGroup }

async function* oneLine(line: ImportedLine) {
  yield { number: 1, bytes: 0, line }
}

/** Makes a group below another one. */
const importSubgroup: ImportLine = async (platform, { id: parentId, importer }, line) => {
  const values = { name: requiredText(line, 'name'), path: requiredText(line, 'path') }
  const instance = await platform.settings.current()
  return async (tx) => {
    const parent = await heldForChange(tx, parentId)
    await insertGroup(
      platform,
      tx,
      importer,
      { ...values, visibility: 'private' },
      { parent, instance, isImported: true },
    )
  }
}

/**
 * Makes the group of an archive below an imported one.
 * @returns its id; null when it could not be made, which is a failure of the import
 */
export async function makeSubgroup(
  { platform, run, group }: Omit<GroupRun, 'archive'>,
  parentId: number,
): Promise<number | null> {
  const into: Importing = { ...run.into, id: parentId, namespaceId: parentId }
  await importLines(platform, { ...run, into }, 'group', oneLine(group.attributes), importSubgroup)
  const parent = await namespaceById(platform.database.read, parentId)
  const { path } = group.attributes
  if (!parent || typeof path !== 'string') return null
  const found = await namespaceByPath(platform.database.read, `${parent.full_path}/${path}`)
  return found?.kind === 'group' && found.parent_id === parentId ? found.id : null
}

/** @throws ImportProblem for a bundle that git refuses */
async function importWikiOf({ platform, run, archive, group }: GroupRun, relation: RelationImport): Promise<void> {
  const place = await archive.placeOf(`repositories/${group.id}.wiki.bundle`)
  if (place === null || relation.form !== 'bundle') return
  await importStep(platform, run, relation.name, async () => {
    await relation.importBundle(platform, run.into, place, null).catch((error) => {
      run.into.signal.throwIfAborted()
      const isRefused = error instanceof GitError && error.code === 'command_failed'
      if (!isRefused && !(error instanceof BundleRefused)) throw error
      throw new ImportProblem('The bundle of the wiki could not be read')
    })
  })
}

/** Imports what an archive has of a group that was made. @throws ImportProblem */
export async function importGroupContents(of: GroupRun): Promise<void> {
  const { platform, run, archive, group } = of
  const attributes = { self: importGroupAttributes, description: importGroupDescription }
  for (const [name, importLine] of Object.entries(attributes)) {
    await importLines(platform, run, name, oneLine(group.attributes), importLine)
  }
  const linesAt = (relation: string) => archive.lines(`tree/groups/${group.id}/${relation}.ndjson`)
  await importLines(platform, run, 'namespace_settings', linesAt('namespace_settings'), importNamespaceSettings)
  for (const relation of importedGroupRelations) {
    const { name, of: read = name, form } = relation
    if (form === 'lines') await importLines(platform, run, name, linesAt(read), relation.importLine)
    else if (form === 'bundle') await importWikiOf(of, relation)
  }
}

/** The lines that say who the users of an archive are. */
export async function* userLines(archive: Unpacked, groups: readonly ArchivedGroup[]) {
  for (const { id } of groups) {
    yield* archive.lines(`tree/groups/${id}/user_contributions.ndjson`)
    yield* archive.lines(`tree/groups/${id}/members.ndjson`)
  }
}
