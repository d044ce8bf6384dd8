import { GitError } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { BundleRefused } from '../../../platform/repositories/index.ts'
import { importAvatar, importProjectAttributes } from '../../projects/index.ts'
import {
  ImportProblem,
  type ImportRun,
  importedProjectRelations,
  importFiles,
  importLines,
  importStep,
  type RelationImport,
  type Unpacked,
} from '../../transfer-archives/index.ts'

/** Where the files of relations are in an archive, and the bundles (contract 25, Archive of a project). */
const places: Readonly<Record<string, string>> = {
  self: 'tree/project.json',
  repository: 'project.bundle',
  wiki: 'project.wiki.bundle',
  uploads: 'uploads/',
  lfs_objects: 'lfs-objects/',
}
const placeOf = ({ name, of = name }: RelationImport) => places[of] ?? `tree/project/${of}.ndjson`

/** The default branch that the file of the project names; null where it names none. */
async function defaultBranchOf(archive: Unpacked): Promise<string | null> {
  for await (const read of archive.lines('tree/project.json')) {
    const name = 'line' in read ? read.line.default_branch : null
    return typeof name === 'string' ? name : null
  }
  return null
}

/** @throws ImportProblem for a bundle that git refuses */
async function importBundleAt(platform: Platform, run: ImportRun, archive: Unpacked, relation: RelationImport) {
  const place = await archive.placeOf(placeOf(relation))
  if (place === null || relation.form !== 'bundle') return
  const { name, importBundle } = relation
  const defaultBranch = await defaultBranchOf(archive)
  await importStep(platform, run, name, async () => {
    try {
      await importBundle(platform, run.into, place, defaultBranch)
    } catch (error) {
      run.into.signal.throwIfAborted()
      const isRefused = error instanceof GitError && error.code === 'command_failed'
      if (!isRefused && !(error instanceof BundleRefused)) throw error
      throw new ImportProblem(`The bundle of the ${name} could not be read`)
    }
  })
}

async function importRelation(platform: Platform, run: ImportRun, archive: Unpacked, relation: RelationImport) {
  const { name, form } = relation
  const place = placeOf(relation)
  if (form === 'lines') await importLines(platform, run, name, archive.lines(place), relation.importLine)
  else if (form === 'files') await importFiles(platform, run, name, archive.filesBelow(place), relation.importFile)
  else await importBundleAt(platform, run, archive, relation)
}

/** Imports the picture of a project, unless it is none. */
async function importAvatarOf(platform: Platform, run: ImportRun, archive: Unpacked): Promise<void> {
  for await (const { path, sizeBytes } of archive.filesBelow('avatar/')) {
    const place = await archive.placeOf(`avatar/${path}`)
    if (place === null) continue
    await importFiles(
      platform,
      run,
      'avatar',
      oneFile({ path, sizeBytes, open: () => archive.open(place) }),
      async () => {
        await importAvatar(platform, run.into, { place, filename: path, sizeBytes })
        return async () => {}
      },
    )
    return
  }
}

async function* oneFile<File>(file: File): AsyncGenerator<File> {
  yield file
}

/** Imports everything that an archive has of a project. What was imported before a restart is left out. @throws ImportProblem */
export async function importContents(platform: Platform, run: ImportRun, archive: Unpacked): Promise<void> {
  for (const relation of importedProjectRelations) await importRelation(platform, run, archive, relation)
  await importAvatarOf(platform, run, archive)
  await importLines(platform, run, 'attributes', archive.lines('tree/project.json'), importProjectAttributes)
}

/** The lines that say who the users of an archive are. */
export async function* userLines(archive: Unpacked) {
  yield* archive.lines('tree/project/user_contributions.ndjson')
  yield* archive.lines('tree/project/project_members.ndjson')
}
