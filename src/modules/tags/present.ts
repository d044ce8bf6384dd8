import { forms, nullable, type Static, Type } from '../../api/index.ts'
import type { Commit, TagObject, TagRef } from '../../infra/git/index.ts'
import { CommitSummary, presentCommit } from '../commits/index.ts'

const ReleaseOfTag = Type.Object({ tag_name: Type.String(), description: forms.nullableString })

/** The release of a tag, as shown with the tag. */
export type ReleaseOfTag = Static<typeof ReleaseOfTag>

/** A tag (contract 22, Tag). `commit` is null when the tag does not lead to a commit. */
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

/** The facts shown with a tag in addition to its ref. */
type TagFacts = {
  /** The tag object; undefined for a lightweight tag, or when the object is too large. */
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
    // Git adds a line break to the end of every message.
    message: object?.message.replace(/\n+$/, '') ?? '',
    target: tag.oid,
    commit: commit ? presentCommit(commit, projectUrl) : null,
    release: release ?? null,
    protected: isProtected,
    created_at: object?.tagger?.date ?? null,
  }
}
