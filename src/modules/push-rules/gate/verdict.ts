/** The checks by precedence: the sentence of the first that refuses is shown (contract 22 R4). */
export const order = {
  message: 1,
  forbiddenMessage: 2,
  branchName: 3,
  authorEmail: 4,
  committerEmail: 5,
  member: 6,
  fileName: 7,
  tagDeletion: 8,
  signature: 9,
  committer: 10,
  committerName: 11,
  signoff: 12,
  fileSize: 13,
} as const

export type Rank = (typeof order)[keyof typeof order]

/** The outcome of the checks of a push: the refusal with the highest precedence. */
export type Verdict = {
  refuse(rank: Rank, sentence: string): void
  /** Whether a check with this rank could still change the outcome. */
  isOpen(rank: Rank): boolean
  sentence(): string | null
}

export function createVerdict(): Verdict {
  let best: { rank: Rank; sentence: string } | null = null
  return {
    refuse(rank, sentence) {
      if (!best || rank < best.rank) best = { rank, sentence }
    },
    isOpen: (rank) => best === null || rank < best.rank,
    sentence: () => best?.sentence ?? null,
  }
}
