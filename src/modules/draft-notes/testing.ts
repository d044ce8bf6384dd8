import type { Person } from '../../testing/index.ts'

/** Makes drafts on a merge request, one after the other. @param at the address of the merge request @returns their objects */
export async function addDrafts(person: Person, at: string, ...drafts: readonly object[]) {
  const made = []
  for (const draft of drafts) {
    const { status, body } = await person.post(`${at}/draft_notes`, draft)
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
    made.push(body)
  }
  return made
}
