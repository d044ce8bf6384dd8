import type { Operation } from '../../api/index.ts'
import { type ChangelogNeeds, createChangelog } from './changelog/changelog.ts'
import { changelogOperations } from './changelog/operations.ts'
import { createPicking } from './picking/picking.ts'
import { createCommitMaking } from './writing/new-commit.ts'
import { type CommitWritingOperationsNeeds, commitWritingOperations } from './writing/operations.ts'
import { type CommitWriter, type CommitWriterNeeds, createCommitWriter } from './writing/write-commit.ts'

export type CommitWritingNeeds = CommitWriterNeeds &
  Omit<CommitWritingOperationsNeeds, 'making' | 'picking'> &
  Omit<ChangelogNeeds, 'writer'>

/** Everything that makes commits for the API; the writer is for the other modules that write into repositories. */
export function createCommitWriting(needs: CommitWritingNeeds): { writer: CommitWriter; operations: Operation[] } {
  const writer = createCommitWriter(needs)
  const making = createCommitMaking({ ...needs, writer })
  const picking = createPicking({ ...needs, writer })
  const changelog = createChangelog({ ...needs, writer })
  const operations = [
    ...commitWritingOperations({ ...needs, making, picking }),
    ...changelogOperations({ changelog, project: needs.project }),
  ]
  return { writer, operations }
}
