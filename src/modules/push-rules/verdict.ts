/** The checks in the order in which they speak (contract 22 R4). */
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

export type Place = (typeof order)[keyof typeof order]

/** What the checks of a push have come to: of all that refuse, the first in order speaks. */
export type Verdict = {
  refuse(place: Place, sentence: string): void
  /** Whether a check at this place could still change anything. */
  isOpen(place: Place): boolean
  sentence(): string | null
}

export function createVerdict(): Verdict {
  let best: { place: Place; sentence: string } | null = null
  return {
    refuse(place, sentence) {
      if (!best || place < best.place) best = { place, sentence }
    },
    isOpen: (place) => best === null || place < best.place,
    sentence: () => best?.sentence ?? null,
  }
}
