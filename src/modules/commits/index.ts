export type { IntroducedBy } from './changelog/changelog.ts'
export type { CommitMergeRequests } from './merge-requests.ts'
export {
  CommitDetail,
  type CommitFacts,
  CommitPipeline,
  CommitSummary,
  presentCommit,
  presentCommitDetail,
} from './present.ts'
export { type CommitReading, type CommitReadingNeeds, createCommitReading } from './reading.ts'
export { type RevisionSource, requireCommit, resolveRevision } from './revision.ts'
export type { PgpVerification } from './signatures/signatures.ts'
export { type ActionTexts, changesOf, encodings, type FileAction, writablePath } from './writing/actions.ts'
export type { PresentDetail } from './writing/operations.ts'
export {
  type CommitBase,
  type CommitWriter,
  type CommitWriterNeeds,
  createCommitWriter,
  isOvertaken,
  writableRef,
} from './writing/write-commit.ts'
export { type CommitWritingNeeds, createCommitWriting } from './writing-module.ts'
