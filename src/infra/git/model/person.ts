/** Who wrote or committed something, and when. */
export type Person = {
  name: string
  email: string
  /** `YYYY-MM-DDTHH:MM:SS.000Z`, UTC. */
  date: string
}
