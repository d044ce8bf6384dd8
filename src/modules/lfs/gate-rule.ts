import { GitError, isZeroOid, type Quarantine } from '../../infra/git/index.ts'
import type { Platform, ProposedChange, RefRule } from '../../platform/index.ts'
import { ancestorsOf } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'
import { isLfsEnabled } from './entrance.ts'
import { parsePointer, pointerBytes } from './pointer.ts'
import { objectsOf } from './store.ts'

const sentence = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'

/** Whether the change is a push to a project with LFS. The API cannot create pointers to objects that do not exist. */
async function isChecked({ database }: Platform, { row, mover }: ProposedChange): Promise<boolean> {
  if (row.project_id === null || row.kind !== 'project' || mover.via !== 'git') return false
  const project = await projectById(database.read, row.project_id)
  return project !== null && isLfsEnabled(project, await ancestorsOf(database.read, project.namespace_id))
}

async function missesObjects(
  { database }: Platform,
  { row, repository }: ProposedChange,
  quarantine: Quarantine,
): Promise<boolean> {
  let isMissing = false
  await repository.quarantinedBlobs({ quarantine, maxBytes: pointerBytes }, async (contents) => {
    const pointers = contents.flatMap((content) => parsePointer(content) ?? [])
    const oids = [...new Set(pointers.map(({ oid }) => oid))]
    const owned = await objectsOf(database.read, [row.project_id as number], oids)
    isMissing = new Set(owned.map(({ oid }) => oid)).size < oids.length
    return !isMissing
  })
  return isMissing
}

/** Refuses pushes of pointers to LFS objects that the project does not have: a clone could not get them (contract 22 R3, R4). */
export const lfsIntegrityRule: RefRule = async (platform, change) => {
  const { changes, quarantine } = change
  if (!quarantine || changes.every((one) => isZeroOid(one.new)) || !(await isChecked(platform, change))) return null
  try {
    return (await missesObjects(platform, change, quarantine)) ? [sentence] : null
  } catch (error) {
    // The push is too large to search within a minute. Missing objects harm only the project itself.
    if (error instanceof GitError && error.code === 'timeout') return null
    throw error
  }
}
