import type { Contents, Progress } from '../backup/index.ts'
import type { Config } from '../config.ts'
import { diskPath, type Git } from '../infra/git/index.ts'
import type { ObjectStore } from '../infra/objects/index.ts'
import { type Compared, countFilesWithoutRow, namedFiles, placeFile, removeCopy } from '../modules/replication/index.ts'
import type { Report } from './report.ts'
import { type Chosen, limited } from './repositories.ts'

type Given = {
  compared: Compared
  objects: ObjectStore
  git: Git
  contents: Contents | null
  config: Config
  chosen: Chosen
  report: Report
  progress: Progress
}

/** Puts the copies of files in their places. @returns the names of those that have none, by their keys */
async function placeCopies({ compared, objects, report, progress }: Given): Promise<Map<string, string>> {
  const missing = new Map<string, string>()
  await progress.step('copies of files', undefined, 'items')
  for await (const file of namedFiles(compared)) {
    const found = await placeFile(objects, file, report)
    if (found === 'missing') missing.set(file.key, file.name)
    else report.files[found] += 1
    progress.advance(1)
  }
  return missing
}

/** Where a repository is restored: in the storage of its name, if there is one. */
const storageFor = ({ storages }: Config, storage: string) => (Object.hasOwn(storages, storage) ? storage : 'default')

/** Restores what the copies have not: repositories, and all objects of all kinds. What is there is left as it is. */
async function restoreRest({ contents, config, chosen, git, objects }: Given): Promise<void> {
  for (const { id, storage, disk_path, object_format } of chosen.fromBackup.values()) {
    chosen.places.push({ id, storage: storageFor(config, storage), disk_path, object_format })
  }
  await contents?.restoreFiles(
    { git, objects },
    {
      async storageOf({ id, storage: named, path: text }) {
        const path = diskPath(text)
        if (!chosen.fromBackup.has(id) || path === null) return null
        const storage = storageFor(config, named)
        return (await git.repository({ storage, diskPath: path }).exists()) ? null : storage
      },
      object: async (key, sizeBytes) => (await objects.head(key))?.sizeBytes !== sizeBytes,
    },
  )
}

/** Puts files and the repositories of the backup in their places, and notes what is missing. A trial only looks. */
export async function placeFiles(given: Given): Promise<void> {
  const { contents, report } = given
  const missing = await placeCopies(given)
  if (contents) {
    for await (const key of contents.objectKeys()) if (missing.delete(key)) report.files.backup += 1
    if (!report.isDryRun) await restoreRest(given)
  }
  report.files.missing = missing.size
  report.findings.push(...limited([...missing.values()].map((name) => `Missing: ${name}.`)))
  const unknown = await countFilesWithoutRow(given.compared)
  if (unknown > 0) {
    report.findings.push(
      `Made after the database, which has no rows of them: ${unknown} uploads, LFS objects, package files, secure files and sites; their copies stay below replicas/ of the objects.`,
    )
  }
}

/** Deletes the copies of files that are in their places, when the server is the primary. */
export async function removeCopies({ compared, objects }: Pick<Given, 'compared' | 'objects'>): Promise<void> {
  for await (const file of namedFiles(compared)) await removeCopy(objects, file)
}
