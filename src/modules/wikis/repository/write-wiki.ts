import type { Actor } from '../../../api/index.ts'
import type { FileChange } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { oneAtATime } from '../../../platform/repositories/index.ts'
import { type CommitBase, untilNotOvertaken, writeCommit } from '../../commits/index.ts'
import { ensureWiki, openWikiForWriting, type WikiOwner } from './repository.ts'

/** A change of a wiki by one commit. */
export type WikiWrite = {
  /** Short name; default the branch of the pages, from which a new branch starts. */
  branch?: string
  message: string
  /** @param source the current state */
  build(source: CommitBase): Promise<readonly FileChange[]>
}

async function attempt(platform: Platform, owner: WikiOwner, actor: Actor, { message, build, ...write }: WikiWrite) {
  const wiki = await openWikiForWriting(platform, owner)
  const { opened, head } = wiki
  const branch = write.branch || wiki.branch
  const isNew = opened.snapshot.branch(branch) === null && head !== null
  const start = isNew ? { branch: wiki.branch } : {}
  return { wiki, branch, commit: await writeCommit(platform, { opened, actor, branch, message, start, build }) }
}

/** Makes a commit in a wiki (contract 22 R8), again when the branch moves meanwhile. @throws ApiError 400, 403 */
export async function writeWiki(platform: Platform, owner: WikiOwner, actor: Actor, write: WikiWrite) {
  const { id } = await ensureWiki(platform, owner)
  return oneAtATime(platform, id, () => untilNotOvertaken(() => attempt(platform, owner, actor, write)))
}
