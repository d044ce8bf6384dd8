import type { Database } from '../../infra/database/index.ts'
import { GitError, isZeroOid, type Quarantine } from '../../infra/git/index.ts'
import { ancestorsOf } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'
import type { ProposedChange, RefRule } from '../repositories/index.ts'
import { isLfsEnabled } from './entrance.ts'
import type { LfsObjects } from './objects.ts'
import { parsePointer, pointerBytes } from './pointer.ts'

const sentence = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'

/**
 * Pushed pointers have something behind them (contract 22 R3, R4): whoever clones would find files that cannot be had. Looks
 * at the small files that a push brings, wherever they stand. What is made through the API is not asked: no large file
 * can come that way.
 */
export function lfsIntegrityRule({ database, objects }: { database: Database; objects: LfsObjects }): RefRule {
  const db = database.read

  async function keepsLargeFiles({ row, mover }: ProposedChange): Promise<boolean> {
    if (row.project_id === null || row.kind !== 'project' || mover.via !== 'git') return false
    const project = await projectById(db, row.project_id)
    return project !== null && isLfsEnabled(project, await ancestorsOf(db, project.namespace_id))
  }

  async function missesObjects({ row, repository }: ProposedChange, quarantine: Quarantine): Promise<boolean> {
    let isMissing = false
    await repository.quarantinedBlobs({ quarantine, maxBytes: pointerBytes }, async (contents) => {
      const pointers = contents.flatMap((content) => parsePointer(content) ?? [])
      const oids = [...new Set(pointers.map(({ oid }) => oid))]
      const owned = oids.length > 0 ? await objects.ownedBy({ id: row.project_id as number }, oids) : new Map()
      isMissing = owned.size < oids.length
      return !isMissing
    })
    return isMissing
  }

  return async (change) => {
    const { changes, quarantine } = change
    if (!quarantine || changes.every((one) => isZeroOid(one.new)) || !(await keepsLargeFiles(change))) return null
    try {
      return (await missesObjects(change, quarantine)) ? [sentence] : null
    } catch (error) {
      // So much that a minute is not enough to look through it: missing objects harm only those who pushed them.
      if (error instanceof GitError && error.code === 'timeout') return null
      throw error
    }
  }
}
