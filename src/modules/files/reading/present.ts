import { forms, oneOf, Type } from '../../../api/index.ts'
import type { BlameHunk, Commit, Oid, TreeEntry } from '../../../infra/git/index.ts'
import type { Content } from './content.ts'

const base64 = oneOf(['base64'])

/** A file with its content (contract 22, File). */
export const File = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    size: Type.Integer(),
    encoding: base64,
    content_sha256: Type.String(),
    ref: Type.String(),
    blob_id: Type.String(),
    commit_id: Type.String(),
    last_commit_id: Type.String(),
    execute_filemode: Type.Boolean(),
    content: Type.String(),
  },
  { title: 'RepositoryFile' },
)

/** Facts about a file besides its content. */
export type FileFacts = ReturnType<typeof presentFile>

/** @param found the requested ref, its commit, and the last commit that changed the file */
export function presentFile(entry: TreeEntry, content: Content, found: { ref: string; commit: Oid; lastCommit: Oid }) {
  return {
    file_name: entry.name,
    file_path: entry.path,
    size: content.sizeBytes,
    encoding: 'base64' as const,
    content_sha256: content.sha256,
    ref: found.ref,
    blob_id: entry.oid,
    commit_id: found.commit,
    last_commit_id: found.lastCommit,
    execute_filemode: entry.mode === '100755',
  }
}

/** A blob with its content. */
export const Blob = Type.Object(
  { size: Type.Integer(), encoding: base64, content: Type.String(), sha: Type.String() },
  { title: 'RepositoryBlob' },
)

/** Consecutive lines of a file with the commit that added them. */
export const Blame = Type.Object(
  {
    commit: Type.Object({
      id: Type.String(),
      parent_ids: forms.strings,
      message: Type.String(),
      authored_date: forms.timestamp,
      author_name: Type.String(),
      author_email: Type.String(),
      committed_date: forms.timestamp,
      committer_name: Type.String(),
      committer_email: Type.String(),
    }),
    lines: forms.strings,
  },
  { title: 'Blame' },
)

export function presentBlame(commit: Commit, { lines }: BlameHunk) {
  return {
    commit: {
      id: commit.oid,
      parent_ids: [...commit.parentOids],
      message: commit.message,
      authored_date: commit.author.date,
      author_name: commit.author.name,
      author_email: commit.author.email,
      committed_date: commit.committer.date,
      committer_name: commit.committer.name,
      committer_email: commit.committer.email,
    },
    lines,
  }
}
