import type { Actor } from '../../api/index.ts'
import type { FileChange, Oid } from '../../infra/git/index.ts'
import { type CommitBase, type CommitWriter, isOvertaken } from '../commits/index.ts'
import type { OpenedWiki, WikiOwner, WikiRepositories } from './repository.ts'
import { inTurns } from './turns.ts'

export type WikiWriterNeeds = { repositories: WikiRepositories; writer: CommitWriter }

/** What a wiki is to become by one commit. */
export type WikiWrite = {
  /** Short name; the branch of the pages unless told. A new one begins where that stands. */
  branch?: string
  message: string
  /** @param source what is there now */
  build(source: CommitBase): Promise<readonly FileChange[]>
}

export type WrittenWiki = { wiki: OpenedWiki; branch: string; commit: Oid }

/** How often a commit is built anew when somebody else was faster. */
const attempts = 5

/** Makes commits in wikis, for the caller (contract 22 R8). */
export type WikiWriter = ReturnType<typeof createWikiWriter>

export function createWikiWriter({ repositories, writer }: WikiWriterNeeds) {
  const inTurn = inTurns()

  async function attempt(owner: WikiOwner, actor: Actor, write: WikiWrite): Promise<WrittenWiki> {
    const wiki = await repositories.openForWriting(owner)
    const { opened, head } = wiki
    const branch = write.branch || wiki.branch
    const isNew = opened.snapshot.branch(branch) === null && head !== null
    const commit = await writer.write({
      opened,
      actor,
      branch,
      message: write.message,
      start: isNew ? { branch: wiki.branch } : {},
      build: write.build,
    })
    return { wiki, branch, commit }
  }

  return {
    /**
     * Makes a commit in a wiki. What others change at the same time is seen: the commit is built on it.
     * @throws ApiError whatever `build` throws; 400 as commits of the API, 403 while the wiki is being moved
     */
    async write(owner: WikiOwner, actor: Actor, write: WikiWrite): Promise<WrittenWiki> {
      const { id } = await repositories.ensure(owner)
      return inTurn(id, async () => {
        for (let number = 1; ; number += 1) {
          try {
            return await attempt(owner, actor, write)
          } catch (error) {
            if (number >= attempts || !isOvertaken(error)) throw error
          }
        }
      })
    },
  }
}
