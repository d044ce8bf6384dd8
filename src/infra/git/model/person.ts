/** The author or committer of a commit, or the tagger of a tag, with the time. */
export type Person = {
  name: string
  email: string
  /** `YYYY-MM-DDTHH:MM:SS.000Z`, UTC. */
  date: string
}
