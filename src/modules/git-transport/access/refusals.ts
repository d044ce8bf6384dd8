import { readOnly } from '../../../platform/repositories/index.ts'

/** Why a git request is refused. Each transport has its own form for it (contract 22, the table of the transport). */
export type GitRefusal =
  | { kind: 'credentials' }
  /** With the sentence of projects, unless another one is given. */
  | { kind: 'not_found'; sentence?: string }
  | { kind: 'forbidden'; sentence: string }
  /** The push would have created a project, and it cannot be created. */
  | { kind: 'unprocessable'; sentence: string }

/** The sentences of the contract, and `unavailable`. */
export const sentences = {
  notFound: "The project you were looking for could not be found or you don't have permission to view it.",
  noDownload: 'You are not allowed to download code from this project.',
  tokenNoDownload: 'You are not allowed to download code.',
  noPush: 'You are not allowed to push code to this project.',
  tokenNoPush: 'You are not allowed to upload code.',
  keyNoPush: 'This deploy key does not have write access to this project.',
  otherProject: (from: string, to: string) => `Authentication by CI/CD job token not allowed from ${from} to ${to}.`,
  archived: "You can't push code to an archived project.",
  readOnly,
  notAllowed: "The command you're trying to execute is not allowed.",
  unavailable: 'The service is unavailable. Please try again later.',
} as const

/** The sentences that differ between projects, with their wikis, and snippets. */
export type TargetWords = { noPush: string; notFound: GitRefusal; noRepository: GitRefusal | null }

export const projectWords: TargetWords = {
  noPush: sentences.noPush,
  notFound: { kind: 'not_found' },
  // Without a repository, the project or wiki counts as absent.
  noRepository: null,
}

/** The sentences of contract 09, x.snippet_git_refs. */
export const snippetWords: TargetWords = {
  noPush: 'You are not allowed to update this snippet.',
  notFound: { kind: 'not_found', sentence: 'The snippet you were looking for could not be found.' },
  noRepository: { kind: 'not_found', sentence: 'The snippet repository you were looking for could not be found.' },
}

export const forbidden = (sentence: string): GitRefusal => ({ kind: 'forbidden', sentence })

/** A refusal as one sentence, where the transport has no other form. */
export function sentenceOf(refusal: GitRefusal): string {
  return ('sentence' in refusal ? refusal.sentence : undefined) ?? sentences.notFound
}
