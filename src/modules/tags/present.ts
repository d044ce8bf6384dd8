import { forms, nullable, type Static, Type } from '../../api/index.ts'
import type { Commit, TagObject, TagRef } from '../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../commits/index.ts'

const ReleaseOfTag = Type.Object({ tag_name: Type.String(), description: forms.nullableString })

/** The release on a tag, as the tag shows it. */
export type ReleaseOfTag = Static<typeof ReleaseOfTag>

/** A tag (contract 22, Tag). One of something else than a commit has no commit. */
export const Tag = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    target: Type.String(),
    commit: nullable(CommitSummary),
    release: nullable(ReleaseOfTag),
    protected: Type.Boolean(),
    created_at: forms.nullableTimestamp,
  },
  { title: 'Tag' },
)
export type PresentedTag = Static<typeof Tag>

/** What is said of a tag besides its name and what it points at. */
export type TagFacts = {
  /** Undefined for a tag that is none of its own, or is too large to be read. */
  object: TagObject | undefined
  commit: Commit | undefined
  release: ReleaseOfTag | undefined
  isProtected: boolean
}

/** @param projectUrl web address of the project */
export function presentTag(tag: TagRef, facts: TagFacts, projectUrl: string): PresentedTag {
  const { object, commit, release, isProtected } = facts
  return {
    name: tag.name,
    // Git ends every message with a line break, which is not part of what was given.
    message: object?.message.replace(/\n+$/, '') ?? '',
    target: tag.oid,
    commit: commit ? presentCommit(commit, projectUrl) : null,
    release: release ?? null,
    protected: isProtected,
    created_at: object?.tagger?.date ?? null,
  }
}
