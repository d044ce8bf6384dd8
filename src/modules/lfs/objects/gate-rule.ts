import { GitError, isZeroOid, type Quarantine } from '../../../infra/git/index.ts'
import type { Platform, ProposedChange, RefRule } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import { isLfsEnabled } from '../access/admission.ts'
import { objectsOfProject } from './objects.ts'
import { parsePointer, pointerBytes } from './pointer.ts'

const sentence = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'

/** Whether the rule applies: a push by git to a project with LFS. No large file can be created through the API. */
async function applies(platform: Platform, { row, writer }: ProposedChange): Promise<boolean> {
  if (row.project_id === null || row.kind !== 'project' || writer.via !== 'git') return false
  const project = await projectById(platform.database.read, row.project_id)
  return project !== null && isLfsEnabled(platform, project)
}

async function missesObjects(platform: Platform, { row, repository }: ProposedChange, quarantine: Quarantine) {
  let isMissing = false
  await repository.quarantinedBlobs({ quarantine, maxBytes: pointerBytes }, async (contents) => {
    const pointers = contents.flatMap((content) => parsePointer(content) ?? [])
    const oids = [...new Set(pointers.map(({ oid }) => oid))]
    const owned = await objectsOfProject(platform, { id: row.project_id as number }, oids)
    isMissing = owned.size < oids.length
    return !isMissing
  })
  return isMissing
}

/** Refuses pointers without an object: clones would miss these files (contract 22 R3, R4). Reads the pushed small files. */
export const lfsIntegrityRule: RefRule = async (platform, change) => {
  const { changes, quarantine } = change
  if (!quarantine || changes.every((one) => isZeroOid(one.new)) || !(await applies(platform, change))) return null
  try {
    return (await missesObjects(platform, change, quarantine)) ? [sentence] : null
  } catch (error) {
    // A push too large to search within the time limit is accepted: missing objects harm only those who pushed them.
    if (error instanceof GitError && error.code === 'timeout') return null
    throw error
  }
}
