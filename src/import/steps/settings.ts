import { Refused } from '../clients/errors.ts'
import { type Item, requireNumber } from '../clients/values.ts'
import { attempt, type ImportContext, type Place } from './context.ts'

/**
 * Creates a group or project. One with a visibility that is not allowed here is as visible as what it is made in.
 * @returns its id
 */
export async function createVisible(
  { state }: ImportContext,
  about: { place: string; what: string },
  visibility: object,
  create: (visibility: object) => Promise<Item>,
): Promise<number> {
  try {
    return requireNumber(await create(visibility), 'id')
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 400 || !error.message.includes('visibility')) throw error
    const made = requireNumber(await create({}), 'id')
    const reason = `it is not as visible as at the source: ${error.message}`
    state.reportProblem(`visibility ${about.what} ${about.place}`, { ...about, reason })
    return made
  }
}

/** Writes settings; where they are refused as a whole, each for itself. */
export async function writeSettings(context: ImportContext, place: Place, settings: Item): Promise<void> {
  if (Object.keys(settings).length === 0) return
  try {
    await context.target.write('PUT', place.to, settings)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    for (const [name, value] of Object.entries(settings)) {
      const report = { key: `setting ${place.from} ${name}`, place: place.path, what: `setting ${name}` }
      await attempt(context, report, () => context.target.write('PUT', place.to, { [name]: value }))
    }
  }
}
